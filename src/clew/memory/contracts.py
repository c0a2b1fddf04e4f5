"""The required metadata of episodes, by type."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from clew.model.errors import InvalidInput
from clew.model.memory import EpisodeDraft, EpisodeType

SUPERSEDES = "supersedes"  # the id of the episode that a decision takes the place of


class ContractField(NamedTuple):
    """`meant` converts a value to the expected form if that is unambiguous; else it returns it unchanged."""

    name: str
    what: str
    fits: Callable[[object], bool]
    required: bool = True
    meant: Callable[[object], object] = lambda value: value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(_is_text(one) for one in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _as_texts(value: object) -> object:
    return [value] if _is_text(value) else value


def _as_count(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,18}\s*", value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _text(name: str, *, required: bool = True) -> ContractField:
    return ContractField(name, "a text", _is_text, required)


def _texts(name: str) -> ContractField:
    return ContractField(name, "a list of texts", _is_texts, meant=_as_texts)


def _count(name: str) -> ContractField:
    return ContractField(name, "a whole number from 0 on", _is_count, meant=_as_count)


CONTRACTS: Mapping[EpisodeType, tuple[ContractField, ...]] = {
    EpisodeType.DECISION: (
        _text("title"), _text("rationale"), _texts("tradeoffs"), _texts("affected_files"),
        _text(SUPERSEDES, required=False),
    ),
    EpisodeType.EDIT: (
        _text("file"), _text("diff_summary"), _count("lines_before"), _count("lines_after"), _text("reason"),
    ),
    EpisodeType.TEST_RESULT: (
        _count("passed"), _count("failed"), _texts("test_files"),
        ContractField("coverage_delta", "a number", _is_number, required=False),
    ),
    EpisodeType.ERROR: (_text("error_type"), _text("stack_summary"), _text("recovery_action", required=False)),
    EpisodeType.OBSERVATION: (
        ContractField("confidence", "a number from 0 to 1", _is_share, required=False),
        _text("query_used", required=False),
    ),
    EpisodeType.LEARNING: (ContractField("confidence", "a number from 0 to 1", _is_share, required=False),),
}  # fmt: skip


def describe_contracts(types: Iterable[EpisodeType] = tuple(CONTRACTS)) -> str:
    """The required metadata of each type, in a line."""
    required = {one: ", ".join(field.name for field in CONTRACTS.get(one, ()) if field.required) for one in types}
    return "; ".join(f"{one.value}: {names}" for one, names in required.items() if names)


_SAY = (_is_text, _is_texts)  # what fields fit whose words count

# The fields that name files: what an episode of that type is about, besides what it says it is about.
FILES = {
    EpisodeType.DECISION: "affected_files",
    EpisodeType.EDIT: "file",
    EpisodeType.TEST_RESULT: "test_files",
}


def validate(type: EpisodeType, metadata: Mapping[str, object]) -> dict[str, object]:
    """The metadata in our spelling, if it has the fields of its type; an error names all missing ones."""
    fields = CONTRACTS.get(type, ())
    names = {field.name for field in fields}
    given = {_to_field_name(name, names): value for name, value in metadata.items()}
    told = {name: value for name, value in given.items() if value is not None or name not in names}  # null is left out
    told |= {field.name: field.meant(told[field.name]) for field in fields if field.name in told}
    lacks = [f"{field.name} ({field.what})" for field in fields if field.required and field.name not in told]
    wrong = [
        f"metadata.{field.name} must be {field.what}"
        for field in fields
        if field.name in told and not field.fits(told[field.name])
    ]
    if lacks:
        also = f"; and {'; '.join(wrong)}" if wrong else ""
        raise InvalidInput(f"{type} needs metadata: {', '.join(lacks)}{also}", _usage(type))
    if wrong:
        raise InvalidInput(f"{type}: {'; '.join(wrong)}", _usage(type))
    return told


def contract_of(type: EpisodeType) -> str:
    """The metadata of a type in one line; optional fields are in brackets."""
    fields = [f"{field.name}: {field.what}" for field in CONTRACTS.get(type, ()) if field.required]
    optional = [f"[{field.name}]" for field in CONTRACTS.get(type, ()) if not field.required]
    return ", ".join([*fields, *optional])


def with_files(type: EpisodeType, metadata: Mapping[str, object], spelt: Callable[[str], str]) -> dict[str, object]:
    """The metadata, with the files that it names in the spelling of the project: agents know them by other paths."""
    field = FILES.get(type, "")
    return {
        name: _each(value, spelt) if _to_field_name(name, {field}) == field else value
        for name, value in metadata.items()
    }


def said_beside(draft: EpisodeDraft) -> list[str]:
    """Texts in the metadata of an episode: a decision's rationale, an error's kind."""
    files = FILES.get(draft.type, "")
    named = [field.name for field in CONTRACTS.get(draft.type, ()) if field.fits in _SAY and field.name != files]
    told = [_as_texts(draft.metadata.get(name)) for name in named]
    texts = [str(one) for some in told if isinstance(some, list | tuple) for one in some]
    return [text for text in dict.fromkeys(texts) if text != draft.content]


def _each(value: object, spelt: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return spelt(value)
    return [_each(one, spelt) for one in value] if isinstance(value, list | tuple) else value


def files_of(draft: EpisodeDraft) -> tuple[str, ...]:
    """The files that an episode's metadata names."""
    told = draft.metadata.get(FILES.get(draft.type, ""), ())
    return (
        (told,) if isinstance(told, str) else tuple(str(one) for one in told) if isinstance(told, list | tuple) else ()
    )


def _to_field_name(name: str, names: set[str]) -> str:
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    return snake if snake in names else name


def _usage(type: EpisodeType) -> str:
    named = [field.name if field.required else f"[{field.name}]" for field in CONTRACTS[type]]
    return f"Metadata of {type}: {', '.join(named)}."
