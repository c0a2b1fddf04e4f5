"""Training of the model in the package, and rulers that were used to choose: imported by nothing, not in the wheel."""
