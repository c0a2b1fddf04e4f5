"""Edges beside calls, imports and inheritance: a module for each kind; `clew.index.link_stage` asks them file by file.

Each file's own facts are extracted when it is read (`extract`, and the reader of Python), other files' are looked up
when it is linked.
"""
