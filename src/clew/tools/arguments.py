"""Reads the arguments of a tool from a client's JSON: as they are spelled, or as they are most likely meant."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, get_args

import msgspec
from msgspec import Struct, inspect

from clew.model.errors import InvalidInput

_UNFIT = re.compile("[\0\ud800-\udfff]")

MOST_ELEMENTS = 1_000  # of a list or an object
MOST_ELEMENT = 20_000  # characters of a text in a list
MOST_VALUES = 20_000  # texts, numbers, lists and objects of one call
MOST_CHARACTERS = 12_000_000  # of all texts of one call
MOST_DEEP = 100  # lists and objects within each other: a stack has an end, and no one means so many

S = TypeVar("S", bound=Struct)


def read(arguments: Mapping[str, object], kind: type[S]) -> S:
    """The arguments, checked. What is right as it was sent stays so; only what is not is read as it is meant.

    Models that fill in a schema send null for what they leave out, numbers and lists as texts, a list's only element
    alone, and words in other letters: to refuse that costs a call and teaches nobody.
    """
    said = _storable(_to_snake_case(arguments, kind))
    try:
        return msgspec.convert(said, kind)
    except msgspec.ValidationError:
        return msgspec.convert(_coerce(said, _type_info(kind)), kind, strict=False)


def _coerce(value: object, kind: inspect.Type) -> object:
    """A value in the form of a type, as far as it can be told; any other is left as it is."""
    match kind:
        case inspect.Metadata():
            return _coerce(value, kind.type)
        case inspect.UnionType():
            options = (_coerce(value, one) for one in kind.types if not isinstance(one, inspect.NoneType))
            return next((one for one in options if one is not value), value)
        case inspect.StructType():
            return _members(_decode_json(value, dict), kind)
        case inspect.DictType():
            held = _decode_json(value, dict)
            is_one = isinstance(held, dict)
            return {name: _coerce(one, kind.value_type) for name, one in held.items()} if is_one else held
        case inspect.VarTupleType() | inspect.ListType():
            return _elements(_decode_json(value, list), kind.item_type)
        case inspect.EnumType():
            return _choice(value, [one.value for one in kind.cls])
        case inspect.LiteralType():
            return _choice(value, list(kind.values))
    return value


def _members(value: object, kind: inspect.StructType) -> object:
    """Without those that are null and may be left out."""
    spelt = _to_snake_case(value, kind.cls)
    if not isinstance(spelt, dict):
        return value
    fields = {field.name: field for field in kind.fields}
    given = {name: one for name, one in spelt.items() if one is not None or name not in fields or fields[name].required}
    return {name: _coerce(one, fields[name].type) if name in fields else one for name, one in given.items()}


def _elements(value: object, kind: inspect.Type) -> object:
    if isinstance(value, str):
        value = [value] if value.strip() else []
    return [_coerce(one, kind) for one in value] if isinstance(value, list | tuple) else value


def _choice(value: object, choices: list[Any]) -> object:
    """The choice with the same letters, ignoring case and word separators; else the value itself."""
    if not isinstance(value, str) or value in choices:
        return value
    return next((one for one in choices if isinstance(one, str) and _letters(one) == _letters(value)), value)


def _decode_json(value: object, kind: type) -> Any:
    """A list or an object that was sent as its JSON."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        held = msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value
    return _storable(held) if isinstance(held, kind) else value


def _letters(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())


@cache
def _type_info(kind: type[Struct]) -> inspect.Type:
    return inspect.type_info(kind)


def _to_snake_case(arguments: object, kind: object) -> object:
    """camelCase parameter names, as some clients write them, in our spelling; also inside nested parameters."""
    kind = _struct_of(kind)
    if not isinstance(arguments, Mapping) or kind is None:
        return arguments
    kinds = _fields(kind)
    respelled: dict[str, object] = {}
    for key, value in arguments.items():
        name = key if key in kinds else re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", str(key)).lower()
        name = next((one for one in (name, name.rstrip("_")) if one in kinds), key)
        if name in respelled:
            raise InvalidInput(f"{name!r} is given twice", "Give each argument once.")
        respelled[name] = _to_snake_case(value, kinds.get(name))
    return respelled


def _storable(value: object) -> object:
    """Without NUL and halves of characters, which not every database or answer can hold: programs print such."""
    return _Bounded().value(value, "the arguments", MOST_DEEP)


class _Bounded:
    """Reads the values of one call, and refuses more than is accepted: what is stored, or compared, has an end."""

    def __init__(self) -> None:
        self._values = 0
        self._characters = 0

    def value(self, value: object, name: str, deep: int) -> object:
        self._values += 1
        _refuse(self._values > MOST_VALUES, f"the arguments have more than {MOST_VALUES:,} values in all")
        if isinstance(value, str):
            return self._text(value)
        if not isinstance(value, Mapping | list | tuple):
            return value
        if not deep:
            raise InvalidInput(
                f"the arguments are nested more than {MOST_DEEP} deep", "Send what is so deep as a text."
            )
        _refuse(
            len(value) > MOST_ELEMENTS, f"{name} has {len(value):,} elements; at most {MOST_ELEMENTS:,} are accepted"
        )
        if isinstance(value, Mapping):
            return {self._text(str(key)): self.value(one, f"`{key}`", deep - 1) for key, one in value.items()}
        return [self._element(one, name, deep - 1) for one in value]

    def _element(self, value: object, name: str, deep: int) -> object:
        long = isinstance(value, str) and len(value) > MOST_ELEMENT
        _refuse(long, f"{name} has an element of more than {MOST_ELEMENT:,} characters")
        return self.value(value, name, deep)

    def _text(self, text: str) -> str:
        self._characters += len(text)
        too_many = self._characters > MOST_CHARACTERS
        _refuse(too_many, f"the arguments have more than {MOST_CHARACTERS:,} characters in all")
        return _UNFIT.sub("\ufffd", text)


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise InvalidInput(message, "Send fewer or shorter values; several calls may share the work.")


@cache
def _fields(kind: type[msgspec.Struct]) -> Mapping[str, object]:
    """Their types by name; to find them out takes longer than many a call."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


@cache
def _struct_of(kind: object) -> type[msgspec.Struct] | None:
    """The struct that a parameter's type is, or is made optional or annotated of."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    return next((found for part in get_args(kind) if (found := _struct_of(part))), None)
