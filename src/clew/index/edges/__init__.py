"""Edges beside calls, imports and inheritance: a module for each kind; `clew.index.linker` asks them file by file.

What a file needs for them is recorded when it is read (`gathering`, and the reader of Python itself), what
others offer is looked up when it is linked.
"""
