"""Which symbols calls lead to, over all files of a tree: pure, and the same whatever the order of the files.

What files pass to each other is settled first, over the whole tree (`Resolver.settle`): calls fill parameters, which
make more calls known, until nothing is new. What a file calls is then looked up file by file (`calls`). That can be
done later too (`Resolver.after`), and needs then no more than what was settled and the facts of the files that its
names lead to; it is right as long as no `interface` has changed, or no `face`, and the same is settled.
"""

from clew.index.resolve.constraint_changes import ConstraintChange, compare_constraints
from clew.index.resolve.global_summary import GlobalSummary
from clew.index.resolve.hidden_changes import FactsChange
from clew.index.resolve.interface import face, interface
from clew.index.resolve.member_references import Reference
from clew.index.resolve.resolved_call import ResolvedCall, UnresolvedReason
from clew.index.resolve.resolver import Resolver, without_gc

__all__ = [
    "ConstraintChange",
    "FactsChange",
    "GlobalSummary",
    "Reference",
    "ResolvedCall",
    "Resolver",
    "UnresolvedReason",
    "compare_constraints",
    "face",
    "interface",
    "without_gc",
]
