"""The safety net of large changes: records what Clew makes of fixed repositories, and shows each row that changed.

It uses the command line and the library only, so that it runs unchanged whatever moves inside the package.
"""
