"""DATAFLOW: data of a scope is passed to a callee as an argument, or its result is used.

An edge leads from the scope to the callee, in either direction of the data; the evidence gives the direction. One
edge for each pair, at the line of the first call. The data flow of a call is recorded when a file is read: a byte per
call.
"""

from collections.abc import Iterator, Sequence

from clew.index.facts import Facts
from clew.index.resolve.program import Program
from clew.index.resolve.resolved_call import ResolvedCall, Targets
from clew.index.syntax.call_dataflow import GIVES, TAKES
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import FileEdge

LEAST = 0.2  # confidence of a call; with less, it is one of many that it may lead to

_MAKERS = frozenset({"__init__", "constructor", "init", "initialize", "__construct"})  # set up an object
_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})
_EVIDENCE = (
    EvidenceKind.CALLSITE,
    EvidenceKind.ARGUMENT,
    EvidenceKind.RESULT,
    EvidenceKind.EXCHANGE,
)
MOST_KNOWN = 4_000  # targets of which it is kept what data can go there


class FlowEdges:
    """Most calls lead to the same few targets, so their data flow is computed once."""

    def __init__(self, tree: Program) -> None:
        self._tree = tree
        self._known: dict[Targets, list[tuple[str, float, int]]] = {}

    def of(self, facts: Facts, calls: Sequence[ResolvedCall]) -> Iterator[FileEdge]:
        found: dict[tuple[str, str], tuple[int, int, float]] = {}
        for ways, call in _pair_calls(facts, calls):
            targets = self._known.get(call.targets)
            if targets is None:
                if len(self._known) > MOST_KNOWN:
                    self._known.clear()
                targets = self._known[call.targets] = self._inside(call.targets)
            for target, confidence, possible in targets:
                if way := ways & possible:
                    key = call.scope, target
                    known = found.get(key)
                    if known is None:
                        found[key] = call.line, way, confidence
                    elif known != (call.line, way, confidence):
                        line, before, sure = known
                        found[key] = min(line, call.line), before | way, max(sure, confidence)
        kind = EdgeKind.DATAFLOW
        for (scope, target), (line, ways, confidence) in found.items():
            yield FileEdge(scope, kind, target, line, _EVIDENCE[ways], round(confidence, 3))

    def _inside(self, targets: Targets) -> list[tuple[str, float, int]]:
        """The targets in the tree, and the data flow to and from them.

        Arguments of a constructor flow to the initialiser. The object belongs to the caller: nothing flows back.
        """
        inner = [one for one in targets if one[1] >= LEAST and not one[0].startswith(EXTERNAL)]
        sets_up = any(_is_maker(target) for target, _ in inner)
        found = []
        for target, sure in inner:
            path, scope = split_id(target)
            is_class, is_maker = self._tree.facts(path).kinds.get(scope) in _CLASSES, _is_maker(target)
            found.append((target, sure, GIVES * (not (is_class and sets_up)) | TAKES * (not (is_class or is_maker))))
        return found


def _is_maker(target: str) -> bool:
    return target.rpartition(SCOPE)[2] in _MAKERS


def _pair_calls(facts: Facts, resolved: Sequence[ResolvedCall]) -> Iterator[tuple[int, ResolvedCall]]:
    """Calls that do something with data; of those that nobody wrote, some lead nowhere and are left out."""
    place, last = 0, len(resolved)
    for call, ways in zip(facts.calls, facts.flows, strict=False):
        if place == last:
            return
        one = resolved[place]
        if call.implied and (one.line != call.line or one.written != call.written or one.scope != call.scope):
            continue
        place += 1
        if ways and one.targets:
            yield ways, one
