"""Who tells the types of arguments and parameters, by language."""

from collections.abc import Mapping

from clew.index.gathering.labels import Labels
from clew.index.gathering.names import Names
from clew.index.gathering.places import Places
from clew.index.gathering.signatures import Signatures
from clew.index.gathering.told import Typing
from clew.index.gathering.told_java import JavaTyping
from clew.index.gathering.told_kotlin import KotlinTyping
from clew.index.languages.language import Language

NOTED = ("typed", "field", "plain", "local", "optional")  # marks that tell the types of names


def typing_of(
    language: Language, names: Names, places: Places, takes: Mapping[str, tuple[str, ...]]
) -> Typing | Signatures | Labels:
    if language.name == "cpp":
        return Signatures(names, places.by_scope, takes)
    if language.name == "swift":
        return Labels(takes)
    if language.name == "java":
        return JavaTyping(names)
    return KotlinTyping(names) if language.name == "kotlin" else Typing(names)
