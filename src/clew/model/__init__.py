"""What things are: frozen values, kinds, times, errors. Standard library only."""
