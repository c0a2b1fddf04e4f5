"""Schemas in few words: an agent reads those of its list before it has asked anything."""

from typing import Any

# Bounds and empty defaults are checked and filled in anyway; an error says what is wrong.
_UNSAID = ("maxLength", "minLength", "maximum", "maxItems", "minItems", "title", "additionalProperties")


def brief(schema: Any) -> Any:
    """The same arguments, told shorter: what may be left out is not also said to be allowed to be null."""
    if isinstance(schema, list):
        return [brief(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    named = schema.get("properties")
    told = {key: value for key, value in schema.items() if key not in _UNSAID and key != "properties"}
    if "default" in told and not told["default"]:
        del told["default"]
    options = [option for option in told.pop("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1:
        told = {**options[0], **told}
    elif options:
        told["anyOf"] = options
    made = {key: brief(value) if isinstance(value, dict | list) else value for key, value in told.items()}
    made = {key: value for key, value in made.items() if key not in _UNSAID}
    return {**made, "properties": {name: brief(value) for name, value in named.items()}} if named else made
