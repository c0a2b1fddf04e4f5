"""Knowledge that agents record: who and what there is, what happened, why, and what was true when."""
