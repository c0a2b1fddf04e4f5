"""What an agent should know when a session starts, and before it edits a file: short texts of whole lines.

They are read from the index as it is, without a look at the disk, so that hooks answer at once. The same state gives
the same text.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

from clew.coordinate.claims import ClaimState
from clew.coordinate.handoff import next_step
from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.code import split_id
from clew.model.fleet import Claim, Task, TaskStatus
from clew.model.memory import Episode, EpisodeType, Subject
from clew.model.time import FOREVER, to_iso
from clew.runtime.paths import from_root
from clew.text.escaping import line, quote
from clew.text.paths import Among, is_test_path, lies_among
from clew.text.tokens import estimate
from clew.tools.budget import Priority, Shape
from clew.tools.registry import AnswerLimits, Effect, tool

LOOKED_BACK = 500  # the newest episodes, among which decisions are looked for
MOST_LEARNINGS = 2000  # the newest, likewise
MOST_FOLDERS, MOST_TASKS, MOST_KNOWN = 12, 20, 40
LONGEST_LINE, LEAST_WORDS = 240, 80  # characters: of a line, and of the words of an agent in it
PRIME_TOKENS, EDIT_TOKENS = 800, 300  # unless the caller gives a budget
_START = ("readme", "architecture", "contributing", "agents", "claude")
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
_OPEN = (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.PENDING)


class Orientation(Struct, frozen=True, omit_defaults=True):
    """Lines of text by topic; `left_out` counts the lines that the budget had no room for."""

    text: str
    lines: int = 0
    left_out: int = 0

    def summary(self) -> str:
        if not self.lines:
            return "Nothing is known that concerns this."
        more = f" {self.left_out} more were left out: ask with a larger max_tokens." if self.left_out else ""
        return f"{self.lines} lines.{more}"


class Topic(NamedTuple):
    """A title, and its lines, the most important first."""

    title: str
    lines: Sequence[str]


_SHAPE = Shape({"text": Priority.REQUIRED, "lines": Priority.LOW})
_NO_INDEX = "The project is not indexed yet: run `clew index`, or ask again in a moment."


@tool(Effect.READ, toolset="context", shape=_SHAPE, capped=True, dated=False, also="session start orientation overview")
def prime(engine: Engine, room: AnswerLimits, *, who: Identity) -> Orientation:
    """Start a session: claims and tasks of others, what is known about recent code, where things are."""
    if not engine.coverage().indexed:
        return Orientation(_NO_INDEX)
    held = [one for one in engine.fleet.desk.open() if one.claim.holder != who]
    topics = (
        Topic("Held by others", [_claim_line(one.claim, one.standing) for one in held]),
        Topic("Open tasks", [_task_line(one) for one in _open_tasks(engine)]),
        Topic("Known about code that changed last", list(_known_of_recent(engine))),
        Topic("Where things are", list(_places(engine))),
    )
    return _fit_lines(topics, room, PRIME_TOKENS)


Paths = Annotated[
    tuple[str, ...], Meta(min_length=1, max_length=20, description="Files or ids that you are about to change.")
]


@tool(Effect.READ, toolset="context", shape=_SHAPE, capped=True, dated=False, also="before edit hook file memory")
def edit_context(engine: Engine, paths: Paths, room: AnswerLimits, *, who: Identity) -> Orientation:
    """Before an edit: claims, decisions and learnings that concern these files. Empty if none does."""
    wanted = [split_id(from_root(engine.place.root, path))[0].replace("\\", "/").removeprefix("./") for path in paths]
    held = [
        one
        for one in engine.fleet.desk.open()
        if one.claim.holder != who and any(_concerns(one.claim.target, path) for path in wanted)
    ]
    decisions = (one for one in _decisions(engine) if _is_about(one.subjects, wanted))
    learnings = [one for one in engine.learnings.current(MOST_LEARNINGS) if _is_about(one.subjects, wanted)]
    topics = (
        Topic("Held by others", [_claim_line(one.claim, one.standing) for one in held]),
        Topic("Decided", [_decision_line(one) for one in decisions]),
        Topic("Learned", [_learning_line(one.content, one.subjects) for one in learnings[:MOST_KNOWN]]),
    )
    return _fit_lines(topics, room, EDIT_TOKENS)


def _fit_lines(topics: Sequence[Topic], room: AnswerLimits, most: int) -> Orientation:
    """A line of each topic in turn, as long as the whole fits: a larger budget never shows less."""
    order = [
        (number, place)
        for place in range(max((len(one.lines) for one in topics), default=0))
        for number, one in enumerate(topics)
        if place < len(one.lines)
    ]
    limit = most if room.limit is None else room.limit
    low, high = 0, len(order)
    while low < high:
        middle = (low + high + 1) // 2
        made = _render(topics, order[:middle], len(order))
        cost = room.price(made) if room.price and room.limit is not None else estimate(made.text)
        low, high = (middle, high) if cost <= limit else (low, middle - 1)
    return _render(topics, order[:low], len(order))


def _render(topics: Sequence[Topic], shown: Iterable[tuple[int, int]], total: int) -> Orientation:
    counts = Counter(number for number, _ in shown)
    parts = [
        "\n".join([f"{topic.title}:", *(f"- {text}" for text in topic.lines[: counts[number]])])
        for number, topic in enumerate(topics)
        if counts[number]
    ]
    return Orientation("\n\n".join(parts), counts.total(), total - counts.total())


def _claim_line(claim: Claim, state: ClaimState) -> str:
    holder = f"{claim.holder.agent_id}{'' if state is ClaimState.ACTIVE else f' ({state})'}"
    return _one_line(f"{claim.target} by {holder}", claim.intent)


def _open_tasks(engine: Engine) -> list[Task]:
    found = [one for one in engine.fleet.lookout.tasks.all() if not one.is_closed and not one.is_damaged]
    return sorted(found, key=lambda one: (_OPEN.index(one.status), -one.priority, one.id))[:MOST_TASKS]


def _task_line(task: Task) -> str:
    step, agent = next_step(task), task.assignee.agent_id
    said = ", ".join(filter(None, [task.status.replace("_", " "), agent, f"next: {quote(step)}" if step else ""]))
    return _one_line(f"{task.id} ({said})", task.title)


def _known_of_recent(engine: Engine) -> Iterator[str]:
    """Decisions and learnings, those first whose code changed last."""
    changed = {path: one.valid_from if one.committed else FOREVER for path, one in engine.files.current().items()}
    known = [
        *((one.subjects, _decision_line(one)) for one in _decisions(engine)),
        *(
            (one.subjects, _learning_line(one.content, one.subjects))
            for one in engine.learnings.current(MOST_LEARNINGS)
        ),
    ]

    def newest(subjects: Sequence[Subject]) -> int:
        return max((changed.get(split_id(one.id)[0], 0) for one in subjects), default=0)

    ranked = sorted(known, key=lambda one: (-newest(one[0]), one[1]))
    return (text for subjects, text in ranked[:MOST_KNOWN] if newest(subjects))


def _decisions(engine: Engine) -> list[Episode]:
    """The newest first, without those that later ones supersede."""
    found = [one for one in engine.episodes.latest(LOOKED_BACK) if one.draft.type is EpisodeType.DECISION]
    replaced = {str(one.draft.metadata.get("supersedes", "")) for one in found}
    return [one for one in reversed(found) if one.id not in replaced][:MOST_KNOWN]


def _decision_line(episode: Episode) -> str:
    why = str(episode.draft.metadata.get("rationale") or "")
    reason = f" Why: {why}" if why and why != episode.draft.content else ""
    about, day = _about(episode.subjects), to_iso(episode.occurred_at)[:10]
    return _one_line(f"{about} ({episode.who.agent_id}, {day})".lstrip(), f"{episode.draft.content}{reason}")


def _learning_line(content: str, subjects: Sequence[Subject]) -> str:
    return _one_line(_about(subjects), content)


def _about(subjects: Sequence[Subject]) -> str:
    return f"{subjects[0].id}{f' and {len(subjects) - 1} more' if len(subjects) > 1 else ''}" if subjects else ""


def _places(engine: Engine) -> Iterator[str]:
    """Documents to start with, and the folders with most files; copies and lock files apart."""
    found = [(one.path, one.language) for one in engine.files.contents()]
    contents = [(path, name) for path, name in found if lies_among(path) not in (Among.LOCKED, Among.COPIED)]
    names = [path for path, _ in contents]
    if start := [path for path in names if _is_start(path)]:
        yield f"start: {', '.join(sorted(start)[:4])}"
    inside: dict[str, Counter[str]] = defaultdict(Counter)
    for path, language in contents:
        for folder in _outer_folders(path):
            inside[folder][language] += 1
    for folder in _shown_folders({folder: counts.total() for folder, counts in inside.items()}, len(names)):
        counts = inside[folder]
        is_tests = is_test_path(f"{folder}/x.py")
        yield _one_line(f"{folder}/: {counts.total()} files, {_most(counts, 2)}{'; tests' if is_tests else ''}")
    languages = Counter(language for _, language in contents)
    yield f"{len(names)} files: {_most(languages, 4)}"


def _most(counts: Mapping[str, int], most: int) -> str:
    return ", ".join(name for name, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:most])


def _outer_folders(path: str) -> list[str]:
    """The first two folders of a path."""
    parts = path.split("/", 2)
    return ["/".join(parts[:depth]) for depth in range(1, min(len(parts), 3))]


def _shown_folders(counts: Mapping[str, int], files: int) -> list[str]:
    """Top folders, the largest first; one that holds more than half of the files is replaced by its own folders."""
    shown = {folder: count for folder, count in counts.items() if "/" not in folder}
    for folder, count in list(shown.items()):
        below = {name: number for name, number in counts.items() if name.startswith(f"{folder}/")}
        if 2 * count > files and len(below) > 1:
            del shown[folder]
            shown |= below
    return sorted(shown, key=lambda folder: (-shown[folder], folder))[:MOST_FOLDERS]


def _is_start(path: str) -> bool:
    stem, _, ending = path.lower().rpartition(".")
    return "/" not in path and stem in _START and f".{ending}" in _DOCUMENTS


def _concerns(target: str, path: str) -> bool:
    """Whether a claim's target is the file, lies in it, or holds it."""
    file = split_id(target)[0]
    return file == path or path.startswith(f"{file}/") or file == "."


def _is_about(subjects: Sequence[Subject], paths: Sequence[str]) -> bool:
    return any(split_id(one.id)[0] in paths for one in subjects)


def _one_line(named: str, words: str = "") -> str:
    """What is named, and the words of an agent about it, marked as such."""
    head = _cut(line(" ".join(named.split())), LONGEST_LINE)
    if not words:
        return head
    said = quote(_cut(" ".join(words.split()), max(LONGEST_LINE - len(head), LEAST_WORDS)))
    return f"{head}: {said}" if head else said


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} …"
