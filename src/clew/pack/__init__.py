"""Context packs: one briefing for a task, inside its budget, every item with the reason it is there."""
