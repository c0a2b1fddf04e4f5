"""Files that hand on all of each other's names: every name is found, and looking for one ends."""

import pytest

from tests.index.test_resolve_languages import facts_of_all, told
from tests.index.worlds import resolver_of

COUNT = 12
EVERY = range(1, COUNT + 1)


def _others(number: int, line: str) -> str:
    return "".join(line.replace("N", str(other)) for other in EVERY if other != number)


def _barrel() -> dict[str, str]:
    """A file that hands on all others, of which each takes from it."""
    files = {"r.ts": "export class R { go() {} }\n", "index.ts": 'export * from "./r.js";\n'}
    for number in EVERY:
        files["index.ts"] += f'export * from "./c{number}.js";\n'
        files[f"c{number}.ts"] = (
            f'import {{ R }} from "./index.js";\nexport class C{number} {{ run(x: R) {{ x.go(); }} }}\n'
        )
    return files


def _named_barrel() -> dict[str, str]:
    """As above, where what was taken is handed on, too."""
    files = _barrel()
    return {path: text + ("export { R };\n" if path.startswith("c") else "") for path, text in files.items()}


def _javascript() -> dict[str, str]:
    files = {"r.js": "export class R { go() {} }\n"}
    for number in EVERY:
        stars = _others(number, 'export * from "./cN.js";\n')
        files[f"c{number}.js"] = f'{stars}import {{ R }} from "./c{number % COUNT + 1}.js";\nnew R().go();\n'
    files["c7.js"] += 'export * from "./r.js";\n'
    return files


def _python() -> dict[str, str]:
    files = {"p/__init__.py": "", "p/r.py": "class R:\n    def go(self): ...\n"}
    for number in EVERY:
        files[f"p/c{number}/__init__.py"] = _others(number, "from ..cN import *\n") + "def run(x: R):\n    x.go()\n"
    files["p/c7/__init__.py"] = "from ..r import R\n" + files["p/c7/__init__.py"]
    return files


def _python_names() -> dict[str, str]:
    """Each takes a name from whichever other has it."""
    files = {"p/__init__.py": "", "p/r.py": "class R:\n    def go(self): ...\n"}
    for number in EVERY:
        files[f"p/c{number}.py"] = (
            _others(number, "try:\n    from .cN import R\nexcept ImportError:\n    pass\n")
            + "class C(R):\n    pass\nC().go()\n"
        )
    files["p/c7.py"] = "from .r import R\n" + files["p/c7.py"]
    return files


def _rust() -> dict[str, str]:
    modules = "".join(f"pub mod c{number};\n" for number in EVERY)
    files = {"Cargo.toml": '[package]\nname = "p"\n', "src/lib.rs": f"pub mod r;\n{modules}"}
    files["src/r.rs"] = "pub struct R;\nimpl R { pub fn go(&self) {} }\n"
    for number in EVERY:
        stars = _others(number, "pub use crate::cN::*;\n")
        files[f"src/c{number}.rs"] = f"{stars}pub fn run{number}(x: &R) {{ x.go(); }}\n"
    files["src/c7.rs"] += "pub use crate::r::*;\n"
    return files


def _rust_names() -> dict[str, str]:
    files = _rust()
    for number in EVERY:
        nexts = f"pub use crate::c{number % COUNT + 1}::{{R, R as S{number}}};\npub use S{number}::*;\n"
        files[f"src/c{number}.rs"] += "" if number == 7 else nexts
    return files


def _rust_parts() -> dict[str, str]:
    """A module that takes all of its parts, which take all of it; what they derive is nowhere."""
    stars = "".join(f"mod c{number};\npub use self::c{number}::*;\n" for number in EVERY)
    files = {"Cargo.toml": '[package]\nname = "p"\n', "src/lib.rs": "mod m;\npub use m::*;\n", "src/m.rs": stars}
    for number in EVERY:
        files[f"src/m/c{number}.rs"] = (
            f"use super::*;\n#[derive(Debug)]\npub struct C{number};\npub fn run{number}(x: &R) {{ x.go(); }}\n"
        )
    files["src/m/c7.rs"] += "pub struct R;\nimpl R { pub fn go(&self) {} }\n"
    return files


def _c() -> dict[str, str]:
    files = {"r.h": "void go(void);\n", "r.c": '#include "r.h"\nvoid go(void) {}\n'}
    for number in EVERY:
        files[f"c{number}.h"] = _others(number, '#include "cN.h"\n')
        files[f"c{number}.c"] = f'#include "c{number}.h"\nvoid run{number}(void) {{ go(); }}\n'
    files["c7.h"] += '#include "r.h"\n'
    return files


TREES = {
    one.__name__.strip("_"): one
    for one in (_barrel, _named_barrel, _javascript, _python, _python_names, _rust, _rust_names, _rust_parts, _c)
}


@pytest.mark.parametrize("language", TREES)
def test_names_are_found_where_files_take_from_each_other(language: str) -> None:
    facts = facts_of_all(TREES[language]())
    shown = told(facts, resolver_of(facts)).splitlines()
    leads = {line.partition(" -> ")[2] for line in shown if "go" in line}

    assert len([line for line in shown if "go" in line]) == COUNT
    assert len(leads) == 1 and leads.pop().endswith("go")


def test_a_name_that_is_made_of_itself_in_many_ways_is_gone_through_in_few() -> None:
    """Each way to take a member of it would else double the ways of the next."""
    steps = "".join(f"    x = x.{name}\n" for name in "abcdef")
    python = f"import outside\nx = outside\nwhile x:\n{steps}class C(x):\n    def go(self): ...\nC().go()\n"

    facts = facts_of_all({"m.py": python})

    assert "C::go" in told(facts, resolver_of(facts))
