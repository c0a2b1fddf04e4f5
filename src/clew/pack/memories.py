"""Gathers memories for a task's pack: by the task's words, by matching code, and by the task itself."""

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from typing import NamedTuple

from msgspec import structs

from clew.coordinate.fleet import Fleet
from clew.coordinate.overview import current_task
from clew.coordinate.targets import Meeting, overlap
from clew.graph.walk_graph import Web
from clew.memory.memory import Memory
from clew.memory.ranking import AUTOMATIC, MEASURED
from clew.memory.recall import Recalled, RecallQuery
from clew.memory.reflection import SURE_ENOUGH
from clew.memory.subjects import SubjectState
from clew.model.fleet import Claim, ClaimKind, Task
from clew.model.memory import Episode, EpisodeType, Learning, Subject
from clew.model.time import AsOf
from clew.pack.around import short
from clew.pack.items import Note
from clew.pack.notes import of_claim, of_episode, of_learning, of_plan, worth
from clew.pack.remembered import FromMemory, Memories
from clew.store.episodes import Episodes
from clew.store.ground import Marks
from clew.store.learnings import Learnings

MOST_DECISIONS, MOST_EPISODES = 12, 8  # that may stand in a pack
MOST_LEARNINGS = 2000  # the newest, that are looked at
MOST_BESIDE = 3  # of them, that one unit of code brings into a pack
MOST_SUBJECTS = 8  # of a memory, whose fate is told
SUPERSEDED = 0.25  # what a memory is worth that another took the place of; as one whose code is gone
MOST_SAID = 3  # words of a task that a memory says, as its reason
OF_TASK = 20  # the last episodes of a task, that belong to its pack whatever they say
SIMILAR = 0.25  # from here on, words alone speak for an episode: about a quarter of what the task says
ABOUT_CODE = 0.5  # how much it counts that an episode is about the code that matches, as for `decision_query`
LEARNED = 0.5  # what a learning about code in the pack is worth, beside words that agree
LEARNED_OF_IT = 1.0  # what one about just that symbol is worth: more than a decision about its whole file
OWN_TASK = 1.0  # what is of the task itself comes before all that is only like it

_DECISIONS = (EpisodeType.DECISION,)
_LEARNINGS = (EpisodeType.LEARNING,)
_OTHERS = tuple(one for one in EpisodeType if one not in (*_DECISIONS, *_LEARNINGS, EpisodeType.REFLECTION))


class _Held(NamedTuple):
    claim: Claim
    is_gone: bool


class _Learnt(NamedTuple):
    """The valid learnings up to a given one, in reading order, and indexed by the current location of their code."""

    upto: object = None
    all: tuple[Learning, ...] = ()
    about: Meeting[Learning] = Meeting()


class _View:
    """The current state of the code that memories refer to, resolved once per state of the checkout."""

    def __init__(self, web: Web, memory: Memory) -> None:
        self.web = web
        self._memory = memory
        self._known: dict[Subject, SubjectState] = {}
        self._learnt = _Learnt()

    def fates(self, subjects: Sequence[Subject]) -> tuple[SubjectState, ...]:
        told = subjects[:MOST_SUBJECTS]
        for subject in told:
            if subject not in self._known:
                self._known[subject] = self._memory.code.state_of(subject)
        return tuple(self._known[subject] for subject in told)

    def learned(self, marks: Marks, learnings: Learnings, at: AsOf) -> _Learnt:
        """All that is sure enough."""
        if self._learnt.upto != (marks.learning, at):
            sure = [one for one in learnings.held(MOST_LEARNINGS, at) if one.confidence >= SURE_ENOUGH]
            about = Meeting((self._where(one), each) for each in sure for one in each.subjects[:MOST_SUBJECTS])
            self._learnt = _Learnt((marks.learning, at), tuple(sure), about)
        return self._learnt

    def note(self, learning: Learning, beside: str = "", *, exactly: bool = False) -> Note:
        standings = self.fates(learning.subjects)
        share = learning.confidence * (AUTOMATIC if learning.is_automatic else 1.0)
        score = (LEARNED_OF_IT if exactly else LEARNED) * share * worth(standings)
        return of_learning(learning, standings, beside, round(score + (0.0 if beside else OWN_TASK), 4))

    def _where(self, subject: Subject) -> str:
        """The current id of a subject; searched for only if it is no longer in its place."""
        if self.web.numbering.find(subject.id) >= 0:
            return subject.id
        return self.fates([subject])[0].now or subject.id


class Gatherer:
    """Of one project, seen from one checkout; `at` says as of when."""

    def __init__(
        self,
        episodes: Episodes,
        learnings: Learnings,
        memory: Memory,
        fleet: Callable[[], Fleet],
        at: Callable[[], AsOf],
    ) -> None:
        self._at = at
        self._episodes = episodes
        self._learnings = learnings
        self._memory = memory
        self._fleet = fleet
        self._view: _View | None = None

    def gather(self, asked: FromMemory, text: str, seeds: Sequence[str], web: Web, marks: Marks) -> Memories:
        """`seeds` are the ids of the best matches."""
        view, at = self._view, self._at()
        if view is None or view.web is not web:
            self._view = view = _View(web, self._memory)
        task_id, task, plan = self._task(asked, marks)
        decisions, episodes, told = [], [], []
        if marks.episode[0]:
            entities = tuple(dict.fromkeys([*seeds, *(task.files if task else ())]))
            own = self._episodes.latest(OF_TASK, task=task_id, at=at) if task_id else []
            best = _Best(view, text, entities, own, task_id, self._memory, at)
            decisions = best.of(_DECISIONS, MOST_DECISIONS) if asked.decisions else []
            episodes = best.of(_OTHERS, MOST_EPISODES) if asked.episodes else []
            told = best.of(_LEARNINGS, MOST_BESIDE) if asked.learnings else []
        learnt = view.learned(marks, self._learnings, at) if marks.learning[0] and asked.learnings else _Learnt()
        held = self._held(asked, marks) if marks.claims else Meeting()
        return Memories(
            plan=(*plan, *(of_claim(*one, "") for one in held.at(f"{ClaimKind.TASK}:{task_id}") if task_id)),
            decisions=tuple(decisions),
            episodes=tuple(episodes),
            learned=(*(view.note(one) for one in learnt.all if task_id and one.task_id == task_id), *told),
            in_the_way=lambda node: [of_claim(*one, node) for one in held.at(node)],
            about=lambda node: list(_about(view, learnt, node)),
        )

    def _task(self, asked: FromMemory, marks: Marks) -> tuple[str, Task | None, tuple[Note, ...]]:
        """The one that is named, or that the caller works on; one may be named that nobody has described."""
        named = asked.task_id.strip().removeprefix(f"{ClaimKind.TASK}:").strip()
        if not marks.task[0]:
            return named, None, ()
        tasks = {one.id: one for one in self._fleet().lookout.tasks.all()}
        task = tasks.get(named) if named else current_task(tasks.values(), asked.who)
        return (task.id, task, (of_plan(task, tasks),)) if task else (named, None, ())

    def _held(self, asked: FromMemory, marks: Marks) -> Meeting[_Held]:
        gone = {claim for claim, is_gone in marks.claims if is_gone}
        others = [one for one in self._fleet().claims.open() if one.holder != asked.who]
        return Meeting((one.target, _Held(one, one.id in gone)) for one in others)


def _about(view: _View, learnt: _Learnt, node: str) -> Iterator[Note]:
    """Learnings about exactly this node come first, then those that agents wrote, then the most confident."""

    def rank(one: Learning) -> tuple[bool, bool, float, int, str]:
        return not learnt.about.is_at(node, one), one.is_automatic, -one.confidence, -one.strength, one.id

    for one in nsmallest(MOST_BESIDE, learnt.about.at(node), key=rank):
        yield view.note(one, node, exactly=learnt.about.is_at(node, one))


class _Best(NamedTuple):
    """The best memories by words, by code, or by task; each scores less if its code has changed."""

    view: _View
    text: str
    entities: tuple[str, ...]
    own: Sequence[Episode]
    task: str
    memory: Memory
    at: AsOf

    def of(self, types: tuple[EpisodeType, ...], most: int) -> list[Note]:
        weights = structs.replace(MEASURED, proximity=ABOUT_CODE)
        query = RecallQuery(
            self.text,
            types=types,
            entities=self.entities,
            limit=2 * most,
            weights=weights,
            paraphrases=False,
            at=self.at,
        )
        hits = {hit.episode.id: hit for hit in self.memory.recall.find(query)}
        episodes = {key: hit.episode for key, hit in hits.items() if hit.similarity >= SIMILAR or hit.proximity}
        episodes |= {one.id: one for one in self.own if one.draft.type in types}
        later = self.memory.recall.superseding(episodes.values(), self.at)
        rated = [(self._note(one, hits.get(one.id), later.get(one.id, "")), one.number) for one in episodes.values()]
        return [note for note, _ in sorted(rated, key=lambda one: (-one[0].score, -one[1]))[:most]]

    def _note(self, episode: Episode, hit: Recalled | None, superseded_by: str) -> Note:
        standings = self.view.fates(episode.subjects)
        bonus = OWN_TASK * (AUTOMATIC if episode.draft.is_automatic else 1.0) if self._is_own(episode) else 0.0
        score = ((hit.score if hit else 0.0) + bonus) * worth(standings) * (SUPERSEDED if superseded_by else 1.0)
        why = f"superseded by {superseded_by}" if superseded_by else self._reason(episode, hit)
        return of_episode(episode, standings, why, round(score, 4))

    def _is_own(self, episode: Episode) -> bool:
        return bool(self.task) and episode.draft.task_id == self.task

    def _reason(self, episode: Episode, hit: Recalled | None) -> str:
        if self._is_own(episode):
            return f"of {self.task}"
        if hit and hit.proximity:
            about = (one.id for one in episode.subjects if any(overlap(one.id, seed) for seed in self.entities))
            return f"about {short(next(about, episode.subjects[0].id))}"
        return f"says {', '.join(hit.words[:MOST_SAID])}" if hit and hit.words else "beside what says it, or near it"
