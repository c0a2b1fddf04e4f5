"""Rules about which parts of a project may depend on which others."""

from typing import Literal

from msgspec import Struct, field

RuleKind = Literal[
    "layers",
    "forbidden",
    "allowed",
    "required",
    "independence",
    "acyclic",
    "acyclic_siblings",
    "orphan",
    "surface",
]
Severity = Literal["error", "warning", "note"]


class Permission(Struct, frozen=True, forbid_unknown_fields=True, rename={"sources": "from", "targets": "to"}):
    """Dependencies that a rule of kind `allowed` permits, by the files at their ends."""

    sources: tuple[str, ...] = ()
    except_sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    except_targets: tuple[str, ...] = ()


class ArchitectureRule(Struct, frozen=True, forbid_unknown_fields=True, rename={"sources": "from", "targets": "to"}):
    """A rule as `[[architecture.rules]]` has it. Parts are named by selectors: a folder, a file, a glob, `re:` and an
    expression, a dotted module, `package:`, `community:`, `service:` or `external:` and a name.

    `layers` are listed from the top: each may use those below. Inside of one entry, `a | b` are independent of each
    other and `a : b` are not. `sources` and `targets` are the ends of forbidden, allowed and required dependencies;
    `modules` are independent, without cycles, or only used through `surface`. With `imports_only`, calls and other
    uses do not count; with `direct`, chains through other code do not. `permits` lists pairs of ends that are allowed
    instead of `targets`. `types` are the kinds of external dependencies that a forbidden one may not have (`npm-dev`,
    `core` …). `skip` and `depth` bound the packages below `modules` whose siblings must have no cycles.
    """

    name: str
    kind: RuleKind
    message: str = ""
    severity: Severity = "error"
    layers: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    exhaustive: bool = False
    exhaustive_ignores: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    except_sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    except_targets: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    surface: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    direct: bool = False
    imports_only: bool = False
    origin: str = "context.toml"
    skip_type_checking: bool = False
    permits: tuple[Permission, ...] = ()
    types: tuple[str, ...] = ()
    except_types: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    depth: int = 10


class ChainStep(Struct, frozen=True):
    """One dependency of a chain, and the line that shows it; 0 where none does."""

    source: str
    target: str
    line: int = 0


class RuleViolation(Struct, frozen=True, omit_defaults=True):
    """A dependency that breaks a rule, or one that is missing. `chain` leads from `source` to `target`."""

    rule: str
    source: str
    target: str
    said: str
    severity: Severity = "error"
    message: str = ""
    chain: tuple[ChainStep, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        return self.rule, self.source, self.target


class RuleCheck(Struct, frozen=True):
    """Result of checking rules. `ignored` counts violations that the rules exempt; `problems` lists selectors that
    match nothing and parts of contracts that cannot be checked.
    """

    violations: tuple[RuleViolation, ...] = ()
    ignored: int = 0
    problems: tuple[str, ...] = field(default=())
