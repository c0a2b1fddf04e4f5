"""The names that imports bind in their file, language by language."""

from clew.index.facts import Ref, Value
from clew.index.languages.language import Language
from clew.model.code import Import


def local(one: Import, own: set[str], language: Language) -> Import:
    """Where a path may start with a name of the file itself, it is told by `self`."""
    starts_here = language.module_roots and one.module.split(language.separator)[0] in own
    return one._replace(module=f"self{language.separator}{one.module}") if starts_here else one


def taken(one: Import, language: Language) -> list[tuple[str, Value]]:
    """The names that an import binds in its file."""
    if one.names:
        aliases = one.aliases if len(one.aliases) == len(one.names) else one.names
        return [(alias, Ref(one.module, name)) for name, alias in zip(one.names, aliases, strict=True)]
    parts = [part for part in language.path_of(one.module) if part]
    if one.star or not (parts or one.aliases):
        return []
    name = one.aliases[0] if one.aliases else language.bound_as(one.module) if language.bound_as else parts[-1]
    if language.imports_things and len(parts) > 1:
        return [(name, Ref(language.separator.join(parts[:-1]), parts[-1]))]
    return [(name, Ref(one.module))] if name != "_" else []
