"""The life of a symbol: the commits that changed it, followed backwards through renames, moves and merges.

Only commits that touched its file are looked at, by git's simplified history of that path; a version is parsed only if
the symbol's text is not found in it as it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct

from clew.history.definitions import FileDefinitions, SymbolVersion
from clew.history.differ import changes_between, in_order
from clew.history.matching import UNLIKE, match, pair_overloads, similarity
from clew.history.trees import ALIKE, Reader, renames
from clew.index.history import objects
from clew.index.history.objects import Touch
from clew.model.code import symbol_id, without_numbers
from clew.model.words import CLASSES, Kind

MOST_STEPS = 5_000  # commits of its paths that are looked at
MOST_ORIGINS = 300  # files of one commit that are searched for where a definition came from
MOST_GONE = 2_000  # deleted files of one commit that a new file is compared with
AHEAD = 64  # commits whose blobs are read at once
MOST_RENAMED = 60  # of those files, if it may have been renamed, too
LONG = 24  # tokens; what is shorter is not looked for under another name in other files
RENAMED = 0.75  # of the code, for one of another name
MOVED = 0.55  # of the code, for a definition of the same name in another file to have moved


class SymbolChange(Struct, frozen=True):
    """A commit that changed a symbol. `from_path` and `from_symbol` are set if it was elsewhere, or called otherwise,
    before; of one that was extracted, they name the function that its code came from.
    """

    commit: str
    kinds: tuple[str, ...]
    path: str
    symbol: str
    from_path: str = ""
    from_symbol: str = ""
    confidence: float = 1.0
    first_line: int = 0
    last_line: int = 0


class SymbolLine(Struct, frozen=True):
    """A line of a symbol, with the commit that it came with."""

    number: int
    commit: str
    text: str


_LAYOUT = frozenset({"formatting", "comments"})


class Life(Struct, frozen=True):
    """Changes, the newest first; of some languages without those of formatting and comments alone, which are counted.

    `cut`: older ones were not looked for. `lines` are those of the symbol as it is.
    """

    changes: tuple[SymbolChange, ...]
    lines: tuple[SymbolLine, ...]
    cut: bool = False
    formatting_left_out: int = 0


class _State(Struct):
    """A definition as it is in a commit of its path's history; `lines` are those of the end version that it has."""

    sha: str
    log: Mapping[str, Touch]
    found: SymbolVersion
    lines: tuple[int, ...]  # for each of its lines, the number of the line in the end version; -1 for none


class Lifelines:
    """Reads one repository. Blobs and their definitions are kept for as long as this value is."""

    def __init__(self, root: Path, reader: Reader) -> None:
        self._root = root
        self._reader = reader
        self._blobs: dict[str, bytes] = {}
        self._read: dict[tuple[str, str], FileDefinitions] = {}

    def definitions(self, commit: str, path: str) -> FileDefinitions | None:
        """A file as it is in a commit."""
        blob = objects.blob_of(self._root, commit, path)
        return self._definitions(path, blob) if blob else None

    def follow(self, commit: str, start: SymbolVersion, *, formatting: bool = False) -> Life:
        """All changes of a definition that is in a commit, back to where it was added.

        With `formatting`, those of formatting and comments alone are listed whatever the language.
        """
        changes: dict[tuple[str, str], SymbolChange] = {}
        blamed: dict[int, str] = {}
        size = len(_lines(start))
        waiting = list(self._enter(commit, start, tuple(range(size))))
        seen = set[tuple[str, str, str]]()
        steps, branched = 0, False
        while waiting and steps < MOST_STEPS:
            state = waiting.pop(0)
            key = state.sha, state.found.path, state.found.scope
            if key in seen:
                continue
            seen.add(key)
            steps += 1
            touch = state.log[state.sha]
            if touch.new_blob:
                change, following = self._step(state, touch, blamed)
            else:
                change, following = self._merge(state, touch, blamed)
                branched |= len(following) > 1
            if change is not None:
                changes.setdefault((change.commit, change.symbol), change)
            waiting = [*following, *waiting]
        listed = list(changes.values())
        if branched:
            times = objects.infos(self._root, [one.commit for one in listed])
            listed.sort(key=lambda one: -times[one.commit].time)
        texts = start.text.decode("utf-8", "replace").splitlines()
        first = start.symbol.span.first
        lines = tuple(SymbolLine(first + n, blamed.get(n, ""), texts[n]) for n in range(size))
        lists_all = formatting or self._reader.lists_formatting(start.path)
        kept = [one for one in listed if lists_all or not _LAYOUT.issuperset(one.kinds)]
        return Life(tuple(kept), lines, bool(waiting), len(listed) - len(kept))

    def _enter(self, commit: str, found: SymbolVersion, lines: tuple[int, ...]) -> Iterator[_State]:
        """The newest commit of a path's history up to a commit."""
        log = objects.path_log(self._root, commit, found.path)
        sha = commit if commit in log else next(iter(log), "")
        if sha:
            yield _State(sha, log, found, lines)

    def _step(self, state: _State, touch: Touch, blamed: dict[int, str]) -> tuple[SymbolChange | None, list[_State]]:
        """One commit with one parent, as far as this path is concerned."""
        found = state.found
        if touch.old_blob and self._is_untouched(found, state.log, touch):
            return None, self._parents(state, found, state.lines)
        new_file = self._definitions(found.path, self._read_ahead(state.log, touch, touch.new_blob))
        here = _again(new_file, found)
        if here is None:  # cannot be, but for a version that is parsed otherwise
            return None, self._parents(state, found, state.lines)
        before, confidence, carried = self._before(touch, here, new_file, state.log)
        if before is None:
            return self._begin(state, touch, here, blamed)
        lines = _pass_lines(before, here, state.lines, touch.sha, blamed)
        change = _change(touch.sha, before, here, confidence, carried=carried)
        if before.path == here.path:
            return change, self._parents(state, before, lines)
        parents = objects.infos(self._root, [touch.sha])[touch.sha].parents
        return change, [one for parent in parents[:1] for one in self._enter(parent, before, lines)]

    def _begin(
        self, state: _State, touch: Touch, here: SymbolVersion, blamed: dict[int, str]
    ) -> tuple[SymbolChange | None, list[_State]]:
        """It is not in the file before: it came from another file, or was added."""
        parents = objects.infos(self._root, [touch.sha])[touch.sha].parents
        origin = self._elsewhere(touch.sha, parents[0], here) if parents else None
        if origin is not None:
            before, confidence = origin
            lines = _pass_lines(before, here, state.lines, touch.sha, blamed)
            change = _change(touch.sha, before, here, confidence)
            return change, list(self._enter(parents[0], before, lines))
        for number in state.lines:
            blamed.setdefault(number, touch.sha)
        span = here.symbol.span
        extracted = self._extraction_origin(touch, here)
        change = SymbolChange(
            commit=touch.sha,
            kinds=("added", "extracted") if extracted else ("added",),
            path=here.path,
            symbol=symbol_id(*here.key),
            from_path=extracted.path if extracted else "",
            from_symbol=symbol_id(*extracted.key) if extracted else "",
            first_line=span.first,
            last_line=span.last,
        )
        return change, []

    def _merge(self, state: _State, touch: Touch, blamed: dict[int, str]) -> tuple[SymbolChange | None, list[_State]]:
        """A merge that took the file of no parent as it is: the definition may still equal one parent's."""
        found = state.found
        sides: list[tuple[str, SymbolVersion]] = []
        for parent in touch.parents:
            blob = self._blob_at(state.log, parent, found.path)
            file = self._definitions(found.path, blob) if blob else None
            before = _same(file, found) if file else None
            if before is not None:
                sides.append((parent, before))
        same = [(parent, before) for parent, before in sides if before.text == found.text]
        if same:  # what led to the same text on another side is part of its life, too
            return None, [_State(parent, state.log, before, state.lines) for parent, before in same]
        known = {line for _, side in sides for line in _lines(side)}
        following, left = [], state.lines
        for parent, before in sides:
            lines, left = _share_lines(before, found, left)
            following.append(_State(parent, state.log, before, lines))
        for number in left:
            if number >= 0:
                blamed.setdefault(number, touch.sha)
        if not sides or all(line in known for line in _lines(found)):
            return None, following  # each line is one side's: the merge changed nothing by itself
        return _change(touch.sha, sides[0][1], found, 1.0), following

    def _parents(self, state: _State, found: SymbolVersion, lines: tuple[int, ...]) -> list[_State]:
        return [_State(sha, state.log, found, lines) for sha in state.log[state.sha].parents if sha in state.log]

    def _is_untouched(self, found: SymbolVersion, log: Mapping[str, Touch], touch: Touch) -> bool:
        """Whether both versions have its text once, and between the same lines."""
        old, new = (self._content(log, touch, blob) for blob in (touch.old_blob, touch.new_blob))
        text = found.text
        if not text or old.count(text) != 1 or new.count(text) != 1:
            return False
        return _around(old, text) == _around(new, text)

    def _before(
        self, touch: Touch, here: SymbolVersion, new_file: FileDefinitions, log: Mapping[str, Touch]
    ) -> tuple[SymbolVersion | None, float, bool]:
        """The definition in the version before, in the same file; and whether only its containers were renamed."""
        if not touch.old_blob:
            return None, 0.0, False
        old_file = self._definitions(here.path, self._read_ahead(log, touch, touch.old_blob))
        before = _counterpart(old_file, new_file, here)
        if before is not None:
            return before, 1.0, False
        matching = match([old_file], [new_file], {})
        outer = {one.new.scope: one.old.scope for one in matching.matches}
        for one in (*matching.matches, *matching.again):
            if one.new.key == here.key:
                return one.old, one.confidence, outer.get(here.container, "") == one.old.container
        return None, 0.0, False

    def _elsewhere(self, sha: str, parent: str, here: SymbolVersion) -> tuple[SymbolVersion, float] | None:
        """It in another file of the commit before: in one that its file was before, or in one that lost it."""
        changes = [one for one in objects.tree_changes(self._root, parent, sha) if one.path != here.path]
        gone = [one for one in changes if not one.new_blob and one.old_blob]
        was_there = objects.blob_of(self._root, parent, here.path)
        if not was_there and gone and (found := self._find_renamed(sha, here, gone)):
            return found
        if not here.scope:
            return None
        word = here.name.encode()
        lost = [one for one in changes if one.old_blob and _extension(one.path) == _extension(here.path)]
        lost.sort(key=lambda one: (bool(one.new_blob), _farness(one.path, here.path), one.path))
        blobs = self._load([one.old_blob for one in lost[:MOST_ORIGINS]])
        holding = [one for one in lost[:MOST_ORIGINS] if word in blobs.get(one.old_blob, b"")]
        found = self._best([one for one in self._lost_from(holding, here) if one.name == here.name], here, MOVED)
        if found is None and len(here.tokens) >= LONG:
            found = self._best(self._lost_from(lost[:MOST_RENAMED], here), here, RENAMED)
        return found

    def _lost_from(self, changes: Sequence[objects.TreeChange], here: SymbolVersion) -> Iterator[SymbolVersion]:
        """Definitions of files that do not have them any more; one that is still there was copied, and not moved."""
        for one in changes:
            left = self._definitions(one.path, one.new_blob).by_scope if one.new_blob else {}
            for before in self._definitions(one.path, one.old_blob).definitions:
                if before.scope not in left and before.kind is not Kind.VARIABLE and _is_alike(before, here):
                    yield before

    def _best(
        self, candidates: Iterable[SymbolVersion], here: SymbolVersion, least: float
    ) -> tuple[SymbolVersion, float] | None:
        scored = [(1.0 if one.own == here.own else similarity(one, here), one) for one in candidates]
        best = max(scored, key=lambda pair: pair[0], default=None)
        return (best[1], round(best[0], 3)) if best and best[0] >= least else None

    def _find_renamed(
        self, sha: str, here: SymbolVersion, gone: Sequence[objects.TreeChange]
    ) -> tuple[SymbolVersion, float] | None:
        """It in the file that its file was before, by another path."""
        near = sorted(
            gone, key=lambda one: (_extension(one.path) != _extension(here.path), _farness(one.path, here.path))
        )
        blobs = self._load([one.old_blob for one in near[:MOST_GONE]])
        before = {one.path: blobs[one.old_blob] for one in near[:MOST_GONE] if one.old_blob in blobs}
        content = self._load([objects.blob_of(self._root, sha, here.path)])
        found = renames(before, {here.path: next(iter(content.values()), b"")}).get(here.path)
        if found is None or found[1] < ALIKE:
            return None
        old_file = self._reader.read(found[0], before[found[0]])
        new_file = self._reader.read(here.path, next(iter(content.values())))
        direct = _counterpart(old_file, new_file, here)
        if direct is not None:
            return direct, found[1]
        matching = match([old_file], [new_file], {here.path: found[0]})
        matched = next((one for one in matching.matches if one.new.key == here.key), None)
        return (matched.old, matched.confidence) if matched else None

    def _extraction_origin(self, touch: Touch, here: SymbolVersion) -> SymbolVersion | None:
        if not touch.old_blob or not here.scope:
            return None
        old_file, new_file = (self._definitions(here.path, blob) for blob in (touch.old_blob, touch.new_blob))
        extracted = match([old_file], [new_file], {}).extracted
        return next((one.origin for one in extracted if one.new.key == here.key), None)

    def _blob_at(self, log: Mapping[str, Touch], sha: str, path: str) -> str:
        touch = log.get(sha)
        return touch.new_blob if touch and touch.new_blob else objects.blob_of(self._root, sha, path)

    def _definitions(self, path: str, blob: str) -> FileDefinitions:
        key = path, blob
        if key not in self._read:
            self._read[key] = self._reader.read(path, self._load([blob]).get(blob, b""))
        return self._read[key]

    def _content(self, log: Mapping[str, Touch], touch: Touch, blob: str) -> bytes:
        return self._blobs.get(self._read_ahead(log, touch, blob), b"")

    def _read_ahead(self, log: Mapping[str, Touch], touch: Touch, blob: str) -> str:
        """Read a blob, and those of the next commits of its path with it."""
        if blob not in self._blobs:
            shas = list(log)
            start = shas.index(touch.sha)
            ahead = [log[sha] for sha in shas[start : start + AHEAD]]
            self._load([blob, *(one for near in ahead for one in (near.new_blob, near.old_blob) if one)])
        return blob

    def _load(self, blobs: Sequence[str]) -> dict[str, bytes]:
        missing = [blob for blob in dict.fromkeys(blobs) if blob and blob not in self._blobs]
        if missing:
            self._blobs.update(objects.blobs(self._root, missing))
        return {blob: self._blobs[blob] for blob in blobs if blob in self._blobs}


def _again(file: FileDefinitions, found: SymbolVersion) -> SymbolVersion | None:
    """A definition in a version that has its text."""
    if not found.scope:
        return file.whole
    same = file.by_scope.get(found.scope)
    if same is not None and same.text == found.text:
        return same
    alike = [one for one in file.definitions if one.name == found.name and one.text == found.text]
    return alike[0] if alike else same


def _same(file: FileDefinitions, found: SymbolVersion) -> SymbolVersion | None:
    """A definition by its scope; of overloads, the one that is most alike."""
    if not found.scope:
        return file.whole
    group = [one for one in file.definitions if without_numbers(one.scope) == without_numbers(found.scope)]
    return max(
        group, key=lambda one: (one.text == found.text, one.head == found.head, similarity(one, found)), default=None
    )


def _counterpart(old_file: FileDefinitions, new_file: FileDefinitions, here: SymbolVersion) -> SymbolVersion | None:
    """The definition of its scope in the version before, unless it is a different symbol; overloads match by their
    parameters."""
    if not here.scope:
        return old_file.whole
    scope = without_numbers(here.scope)
    old, new = (
        [one for one in file.definitions if without_numbers(one.scope) == scope] for file in (old_file, new_file)
    )
    if len(old) == len(new) == 1:
        before = old[0]
        is_same = before.kind in CLASSES or before.own == here.own or similarity(before, here) >= UNLIKE
        return before if is_same else None
    return next((before for before, after in pair_overloads(old, new) if after is here), None)


def _change(
    sha: str, before: SymbolVersion, here: SymbolVersion, confidence: float, *, carried: bool = False
) -> SymbolChange | None:
    kinds = set(changes_between(before, here))
    if before.text != here.text and not kinds:
        kinds.add("members" if here.kind in CLASSES else "body")
    if before.path != here.path or (
        without_numbers(before.container) != without_numbers(here.container) and not carried
    ):
        kinds.add("moved")
    if not kinds:
        return None
    elsewhere = before.path != here.path or without_numbers(before.scope) != without_numbers(here.scope)
    span = here.symbol.span
    return SymbolChange(
        commit=sha,
        kinds=in_order(kinds),
        path=here.path,
        symbol=symbol_id(*here.key),
        from_path=before.path if elsewhere else "",
        from_symbol=symbol_id(*before.key) if elsewhere else "",
        confidence=confidence,
        first_line=span.first,
        last_line=span.last,
    )


def _lines(found: SymbolVersion) -> list[bytes]:
    return found.text.splitlines()


def _pass_lines(
    before: SymbolVersion, here: SymbolVersion, lines: tuple[int, ...], sha: str, blamed: dict[int, str]
) -> tuple[int, ...]:
    """The lines that were there before; the others came with this commit."""
    passed, left = _share_lines(before, here, lines)
    for number in left:
        if number >= 0:
            blamed.setdefault(number, sha)
    return passed


def _share_lines(
    before: SymbolVersion, here: SymbolVersion, lines: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each line before, the number of that of the end version; and `lines` without those."""
    old, new = _lines(before), _lines(here)
    passed, left = [-1] * len(old), list(lines)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            place = block.b + offset
            if place < len(left):
                passed[block.a + offset] = left[place]
                left[place] = -1
    return tuple(passed), tuple(left)


def _around(content: bytes, text: bytes) -> tuple[bytes, bytes]:
    """The last line before a text, and the first behind it, that are not blank; including the rest of its own lines."""
    start = content.index(text)
    end = start + len(text)
    before = content[max(0, start - 400) : start].rstrip()
    behind = content[end : end + 400]
    return before.rpartition(b"\n")[2].strip(), behind.strip().partition(b"\n")[0].strip()


def _is_alike(before: SymbolVersion, here: SymbolVersion) -> bool:
    return (
        before.kind == here.kind
        or {before.kind, here.kind} <= {Kind.FUNCTION, Kind.METHOD}
        or (before.kind in CLASSES and here.kind in CLASSES)
    )


def _extension(path: str) -> str:
    return path.rpartition(".")[2]


def _farness(one: str, other: str) -> tuple[bool, int]:
    """False comes first: of the same file name; then, how many folders differ."""
    first, second = one.split("/"), other.split("/")
    return first[-1] != second[-1], len(set(first) ^ set(second))
