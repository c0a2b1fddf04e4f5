"""Memory of agents: episodes, recall, learnings from them, and the drift of the code they are about."""
