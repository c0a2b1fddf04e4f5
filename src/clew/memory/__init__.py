"""What agents remember: episodes, their recall, what is learned of them, and how code moved on since."""
