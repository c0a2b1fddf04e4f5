"""Programmers' abbreviations: questions have one form, code the other."""

from collections.abc import Callable
from functools import lru_cache

# Groups of words that mean the same in code. General usage; nothing was fitted.
_GROUPS = """
addr address; admin administration administrator; alloc allocate allocation; app application; arg argument args;
async asynchronous; attr attribute; auth authentication authenticate authorization authorize; bool boolean;
buf buffer; calc calculate calculation; cert certificate; char character; cmd command; conf config configuration
configure cfg; conn connection connect; ctx context; cred credential; cur current; db database; decl declaration;
def definition define; del delete remove; dep dependency; dest destination dst; dir directory folder; doc
documentation document; elem element; env environment; err error; eval evaluate evaluation; exec execute execution;
expr expression; ext extension; fmt format formatting; fn func function; gen generate generator; id identifier; idx
index; impl implementation implement; info information; init initialize initialise initialization; int integer; iter
iterator iterate; lang language; len length; lib library; max maximum; mem memory; min minimum; msg message; num
number; obj object; op operation operator; param parameter; perm permission; pkg package; pref preference; prev
previous; proc process; prop property; pwd password; ref reference; regex regexp; repo repository; req request; res
resp response; ret return; sig signature; spec specification; src source; stmt statement; str string; sub
subscription subscribe; sync synchronize synchronous; sys system; temp temporary tmp; util utility; val value; var
variable; ver version; ws websocket
"""


@lru_cache(maxsize=1)
def _by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in _GROUPS.split(";"):
        words = group.split()
        for word in words:
            found[word] = (*found.get(word, ()), *(other for other in words if other != word))
    return found


def alternatives(word: str, terms: Callable[[str], tuple[str, ...]]) -> list[str]:
    """The terms of a word's other forms."""
    others = _by_word().get(word.lower()) or _by_word().get(word.lower().removesuffix("s"), ())
    return list(dict.fromkeys(term for other in others for term in terms(other)))
