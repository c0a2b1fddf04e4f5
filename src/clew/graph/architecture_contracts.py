"""Contracts of other tools as architecture rules: import-linter (TOML or INI) and dependency-cruiser (JSON). Pure.

Contracts are data here: a configuration that is a program is not run. Parts that cannot be checked are reported.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from configparser import ConfigParser, Error
from typing import Any

from msgspec import Struct

from clew.model.architecture import ArchitectureRule, Permission, Severity

IMPORT_LINTER = (".importlinter", "setup.cfg", "pyproject.toml", ".importlinter.toml")
DEPENDENCY_CRUISER = (".dependency-cruiser.json", "dependency-cruiser.json", ".dependency-cruiser.mjs.json")
PROGRAMS = (".dependency-cruiser.js", ".dependency-cruiser.cjs", ".dependency-cruiser.mjs")
FILES = (*IMPORT_LINTER, *DEPENDENCY_CRUISER, *PROGRAMS)


class Contracts(Struct, frozen=True):
    """Rules of one file, and what of it cannot be checked."""

    rules: tuple[ArchitectureRule, ...] = ()
    problems: tuple[str, ...] = ()


def read_contracts(name: str, text: str) -> Contracts:
    """The contracts in a file of one of these names; none if it has none."""
    if name in PROGRAMS:
        return Contracts(
            problems=(f"{name} is a program and is not run: write its rules as JSON to {DEPENDENCY_CRUISER[0]}",)
        )
    try:
        if name in DEPENDENCY_CRUISER:
            return _cruiser(name, json.loads(text))
        return _linter(name, _toml(text) if name.endswith(".toml") else _ini(text))
    except (ValueError, TypeError, AttributeError, Error, RecursionError) as error:
        return Contracts(problems=(f"{name} cannot be read: {error}",))


# import-linter


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib  # most projects have no such file

    found = tomllib.loads(text)
    settings: Mapping[str, Any] = found.get("tool", found).get("importlinter", {})
    return settings


def _ini(text: str) -> Mapping[str, Any]:
    parser = ConfigParser(interpolation=None)
    parser.read_string(text)
    if "importlinter" not in parser:
        return {}
    contracts = [dict(parser[one]) for one in parser.sections() if one.startswith("importlinter:contract:")]
    return {**parser["importlinter"], "contracts": contracts}


def _linter(origin: str, settings: Mapping[str, Any]) -> Contracts:
    roots = tuple(_list(settings.get("root_packages", ())) or _list(settings.get("root_package", ())))
    skips = _flag(settings.get("exclude_type_checking_imports", False))
    rules, problems = list[ArchitectureRule](), list[str]()
    for contract in settings.get("contracts", ()):
        name, kind = str(contract.get("name", "unnamed")), str(contract.get("type", ""))
        make = _LINTER.get(kind)
        if make is None:
            problems.append(f"{origin}: {name}: contracts of type {kind!r} are not checked")
            continue
        rules += [
            ArchitectureRule(
                name=name,
                imports_only=True,
                skip_type_checking=skips,
                origin=origin,
                ignore=tuple(_pair(one, roots) for one in _list(contract.get("ignore_imports", ()))),
                **part,
            )
            for part in make(contract, roots)
        ]
    return Contracts(tuple(rules), tuple(problems))


def _layers(contract: Mapping[str, Any], roots: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {
        "kind": "layers",
        "layers": tuple(_list(contract.get("layers", ()))),
        "containers": tuple(_list(contract.get("containers", ()))),
        "exhaustive": _flag(contract.get("exhaustive", False)),
        "exhaustive_ignores": tuple(_list(contract.get("exhaustive_ignores", ()))),
    }


def _forbidden(contract: Mapping[str, Any], roots: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {
        "kind": "forbidden",
        "sources": tuple(_list(contract.get("source_modules", ()))),
        "targets": tuple(_module_name(one, roots) for one in _list(contract.get("forbidden_modules", ()))),
        "direct": _flag(contract.get("allow_indirect_imports", False)),
    }


def _independence(contract: Mapping[str, Any], roots: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {"kind": "independence", "modules": tuple(_list(contract.get("modules", ())))}


def _protected_rules(contract: Mapping[str, Any], roots: Sequence[str]) -> Iterator[dict[str, Any]]:
    for module in _list(contract.get("protected_modules", ())):
        yield {"kind": "surface", "modules": (module,), "sources": tuple(_list(contract.get("allowed_importers", ())))}


def _acyclic_siblings(contract: Mapping[str, Any], roots: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield {
        "kind": "acyclic_siblings",
        "modules": tuple(_list(contract.get("ancestors", ()))),
        "skip": tuple(_list(contract.get("skip_descendants", ()))),
        "depth": int(contract.get("depth", 10)),
    }


_LINTER = {
    "layers": _layers,
    "forbidden": _forbidden,
    "independence": _independence,
    "protected": _protected_rules,
    "acyclic_siblings": _acyclic_siblings,
}


def _pair(text: str, roots: Sequence[str]) -> str:
    """`a -> b` of two modules, of which the second may be an external one."""
    source, arrow, target = (part.strip() for part in text.partition("->"))
    return f"{source} -> {_module_name(target, roots)}" if arrow and "*" not in target.partition(".")[0] else text


def _module_name(module: str, roots: Sequence[str]) -> str:
    return module if any(module == one or module.startswith(f"{one}.") for one in roots) else f"external:{module}"


def _list(value: object) -> list[str]:
    """A list, or the lines of a text."""
    if isinstance(value, str):
        return [one.strip() for one in value.splitlines() if one.strip() and not one.strip().startswith("#")]
    return [str(one) for one in value] if isinstance(value, Iterable) else []


def _flag(value: object) -> bool:
    return value is True or str(value).lower() in ("true", "1", "yes")


# dependency-cruiser

_SEVERITIES: Mapping[str, Severity] = {"error": "error", "warn": "warning", "info": "note"}
_SOURCE_KEYS, _TARGET_KEYS = {"path", "pathNot"}, {"path", "pathNot", "dependencyTypes", "dependencyTypesNot"}
# Kinds of external dependencies that manifests and names show; `local` files are told by their paths.
TYPES = frozenset({"core", "npm", "npm-dev", "npm-optional", "npm-peer", "npm-bundled", "npm-no-pkg", "npm-unknown"})


def _cruiser(origin: str, settings: Mapping[str, Any]) -> Contracts:
    rules, problems = list[ArchitectureRule](), list[str]()
    if settings.get("extends"):
        problems.append(f"{origin}: the rules that it extends are not checked")
    if permits := tuple(_permission(one, origin, problems) for one in settings.get("allowed", ())):
        severity = _SEVERITIES.get(str(settings.get("allowedSeverity", "warn")), "warning")
        permitted = tuple(one for one in permits if one)
        rules.append(
            ArchitectureRule(
                "not-in-allowed", "allowed", severity=severity, permits=permitted, imports_only=True, origin=origin
            )
        )
    for one in settings.get("forbidden", ()):
        rule = _forbidden_rule(one, origin, problems)
        rules += [rule] if rule else []
    for one in settings.get("required", ()):
        module, target = one.get("module", {}), one.get("to", {})
        if _is_checked(one, origin, problems, module, target):
            rules.append(
                ArchitectureRule(
                    kind="required",
                    sources=_patterns(module.get("path")),
                    except_sources=_patterns(module.get("pathNot")),
                    targets=_patterns(target.get("path")),
                    **_common(one, origin),
                )
            )
    return Contracts(tuple(rules), tuple(problems))


def _common(one: Mapping[str, Any], origin: str) -> dict[str, Any]:
    return {
        "name": str(one.get("name", "unnamed")),
        "message": str(one.get("comment", "")),
        "severity": _SEVERITIES.get(str(one.get("severity", "warn")), "warning"),
        "imports_only": True,
        "origin": origin,
    }


def _is_checked(
    one: Mapping[str, Any],
    origin: str,
    problems: list[str],
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    known: Sequence[str] = (),
) -> bool:
    """Whether a rule has only conditions that can be checked; otherwise a problem says which it has."""
    if unknown := sorted((set(source) - _SOURCE_KEYS | set(target) - {"path", "pathNot"}) - set(known)):
        name = one.get("name", "unnamed")
        problems.append(f"{origin}: {name} is not checked: it depends on {', '.join(unknown)}")
    return not unknown


def _forbidden_rule(one: Mapping[str, Any], origin: str, problems: list[str]) -> ArchitectureRule | None:
    source, target = one.get("from", {}), one.get("to", {})
    if not _is_checked(one, origin, problems, source, target, ("orphan", "circular", *_TARGET_KEYS)):
        return None
    common = _common(one, origin)
    paths, except_paths = _patterns(source.get("path")) or ("re:",), _patterns(source.get("pathNot"))
    types, except_types = (_types(target.get(name)) for name in ("dependencyTypes", "dependencyTypesNot"))
    if strange := sorted({*types, *except_types} - TYPES - {"local"}):
        problems.append(f"{origin}: {common['name']}: dependencies of type {', '.join(strange)} are not known")
    types = tuple(one for one in types if one in TYPES)
    if target.get("dependencyTypes") is not None and not types:
        return None
    if source.get("orphan") is True:
        return ArchitectureRule(kind="orphan", sources=paths, except_sources=except_paths, **common)
    if target.get("circular") is True:
        return ArchitectureRule(kind="acyclic", modules=paths, **common)
    return ArchitectureRule(
        kind="forbidden",
        sources=paths,
        except_sources=except_paths,
        targets=_patterns(target.get("path")) or ("re:",),
        except_targets=_patterns(target.get("pathNot")),
        direct=True,
        types=types,
        except_types=except_types,
        **common,
    )


def _permission(one: Mapping[str, Any], origin: str, problems: list[str]) -> Permission | None:
    source, target = one.get("from", {}), one.get("to", {})
    named = {"name": "an entry of `allowed`", **one}
    if not _is_checked(named, origin, problems, source, target):
        return None
    return Permission(
        _patterns(source.get("path")),
        _patterns(source.get("pathNot")),
        _patterns(target.get("path")),
        _patterns(target.get("pathNot")),
    )


def _types(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _patterns(value: object) -> tuple[str, ...]:
    some = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple("re:" + str(one).replace("\\/", "/") for one in some)
