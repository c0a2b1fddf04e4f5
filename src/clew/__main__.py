"""`python -m clew` is the command line."""

from clew.surfaces.cli import main

main()
