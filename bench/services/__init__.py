"""How many connections of a real system the service graph finds: `python -m bench.services`."""
