"""What git knows: of the tree, and of how its files came to be as they are."""
