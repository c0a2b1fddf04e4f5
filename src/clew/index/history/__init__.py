"""Git's knowledge of the tree and of its history."""
