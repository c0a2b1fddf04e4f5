"""The values of the domain: frozen values, kinds, times, errors. Standard library only."""
