"""How the model in the wheel is made: pairs of what people write and the code it is about, from public sources.

Nothing of it is needed to use Clew, or is in the wheel. `research/training/README.md` says how to run it.
"""
