"""The kinds of abstract values: plain module-level integers, since they are compared millions of times. A class
attribute is slower to read, and an Enum member ten times as slow."""

FUNCTION = 0
METHOD = 1  # a function together with its object, which is passed first
CLASS = 2
OBJECT = 3
PARENT = 4  # an object, seen as what its class inherits
MODULE = 5
BOX = 6
TAKER = 7  # a method of a container: the thing's view is its name
OUTSIDE = 8  # not in the tree; the thing's path is its dotted name
SUPPLIED = 9  # what something outside made for a class of the tree: an object of it, or something that gives one

NAMES = ("function", "method", "class", "object", "parent", "module", "box", "taker", "outside", "supplied")
