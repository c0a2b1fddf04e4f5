"""Vue and Svelte components."""
