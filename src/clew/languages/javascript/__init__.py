"""JavaScript, with what TypeScript shares with it."""
