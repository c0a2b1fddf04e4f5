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


# A field and a method of one name, and what it holds comes of itself, straight or by way of another.
_ITSELF = {
    "b.java": """
class B {{
  private R {a} = new R();
  private R {b} = this.{a}.same();
  static R {s};
  B {a}(int n) {{ this.{a} = this.{a}.same(); {a} = {b}.same(); {a} = {a}(1).{a}; return this; }}
  B {b}() {{ this.{b} = this.{b}().{a}.same(); {s} = {s}.same(); return {b}(); }}
  static B {s}() {{ {s} = B.{s}.same(); return {s}().{b}(); }}
  void run() {{ this.{a}.go(); {b}.go(); }}
}}
class R {{ R same() {{ return this; }} void go() {{}} }}
""",
    "b.kt": """
class B {{
  var {a} = R()
  var {b} = this.{a}.same()
  fun {a}(n: Int): B {{ {a} = {a}.same(); {a} = {b}.same(); {a} = this.{a}(1).{a}; return this }}
  fun {b}(): B {{ this.{b} = this.{b}().{a}.same(); return {b}() }}
  val {s} get() = {s}.same()
  fun run() {{ {a}.go(); this.{b}.go() }}
}}
class R {{ fun same(): R = this; fun go() {{}} }}
""",
    "b.cs": """
class B {{
  R {a} = new R();
  R {b} => this.{a}.same();
  B {a}(int n) {{ this.{a} = this.{a}.same(); {a} = {b}.same(); return {a}(1); }}
  R {s} {{ get {{ return {s}.same(); }} }}
  void run() {{ {a}.go(); this.{b}.go(); }}
}}
class R {{ public R same() {{ return this; }} public void go() {{}} }}
""",
    "b.ts": """
class R {{ same(): R {{ return this; }} go() {{}} }}
class B {{
  static {a}() {{ return B.{a}(); }}
  {a} = this.{a}.bind(this);
  {b} = new R().same();
  static {b} = B.{b}.{a};
  get {s}() {{ return this.{s}.same(); }}
  static {s}() {{ this.{s} = this.{s}.{a}; return {s}; }}
  run() {{ this.{a} = this.{b}.{a}; this.{b} = this.{b}.same(); this.{b}.go(); this.{a}(); }}
}}
""",
    "b.js": """
class R {{ same() {{ return this; }} go() {{}} }}
class B {{
  static {a}() {{ return B.{a}(); }}
  {a} = this.{a}.bind(this);
  constructor() {{ this.{b} = this.{b} || new R(); this.{b} = this.{b}.same(); this.{s} = this.{s}(this.{s}); }}
  {s}() {{ return this.{s}.{s}(); }}
  run() {{ this.{b}.go(); }}
}}
""",
    "b.py": """
class R:
    def same(self): return self
    def go(self): ...
class B:
    def __init__(self):
        self.{a} = R()
        self.{a} = self.{a}.same()
        self.{b} = self.{b}().{a}.{b}
    def {b}(self): return self.{b}().{b}
    @property
    def {s}(self): return self.{s}.{s}.same()
    def run(self): self.{a}.go()
""",
    "b.php": """<?php
class R {{ function same() {{ return $this; }} function go() {{}} }}
class B {{
  private R ${a};
  static $s;
  function {a}() {{ $this->{a} = $this->{a}->same(); $this->{b} = $this->{b}()->{a}; return $this->{a}()->{a}; }}
  function {b}() {{ self::$s = self::$s->same(); return $this->{b}()->{b}(); }}
  function run() {{ $this->{a}->go(); }}
}}
""",
    "b.rb": """
class R
  def same = self
  def go; end
end
class B
  attr_accessor :{a}
  def initialize
    @{a} = R.new
    @{a} = @{a}.same
    @{b} = {b}.{a}
  end
  def {b} = {b}.{b}
  def {s} = self.{s}.{a}.{s}
  def run = @{a}.go
end
""",
    "b.swift": """
class R {{ func same() -> R {{ return self }}; func go() {{}} }}
class B {{
  var {a} = R()
  lazy var {b} = self.{a}.same()
  func {a}(n: Int) -> B {{ {a} = {a}.same(); {a} = {b}.same(); return {a}(n: 1) }}
  var {s}: R {{ return {s}.same() }}
  func run() {{ {a}.go(); self.{b}.go() }}
}}
""",
    "b.scala": """
class R {{ def same: R = this; def go(): Unit = () }}
class B {{
  var {a} = new R
  val {b} = this.{a}.same
  def {a}(n: Int): B = {{ {a} = {a}.same; {a} = {b}.same; this.{a}(1) }}
  def {s} = {s}.same
  def run(): Unit = {{ {a}.go(); this.{b}.go() }}
}}
""",
    "b.cpp": """
struct R {{ R& same() {{ return *this; }} void go() {{}} }};
struct B {{
  R {a};
  R {b} = this->{a}.same();
  B& {a}_(int n) {{ {a} = {a}.same(); this->{a} = this->{b}.same(); return {a}_(1).{a}_(2); }}
  void run() {{ {a}.go(); this->{b}.go(); }}
}};
""",
    "b.rs": """
struct R; impl R {{ fn same(self) -> Self {{ self }} fn go(&self) {{}} }}
struct B {{ {a}: R, {b}: R }}
impl B {{
  fn {a}(&mut self) -> &mut B {{ self.{a} = self.{a}.same(); self.{b} = self.{b}().{a}.same(); self.{a}().{a}() }}
  fn {b}(&mut self) -> &mut B {{ let {b} = self.{b}(); let {b} = {b}.{b}(); {b} }}
  fn run(&self) {{ self.{a}.go(); self.{b}.go(); }}
}}
""",
    "b.go": """package b
type R struct{{}}
func (r R) Same() R {{ return r }}
func (r R) Go() {{}}
type B struct {{ {a} R; {b} R }}
func (x *B) {s}() *B {{ x.{a} = x.{a}.Same(); x.{b} = x.{s}().{a}.Same(); return x.{s}().{s}() }}
func (x *B) run() {{ x.{a}.Go(); x.{b}.Go() }}
""",
}


@pytest.mark.parametrize("path", _ITSELF)
@pytest.mark.parametrize("names", ["abs", "aab", "aba", "abb", "aaa"])
def test_a_member_may_hold_what_comes_of_itself(path: str, names: str) -> None:
    facts = facts_of_all({path: _ITSELF[path].format(**dict(zip("abs", names, strict=True)))})
    shown = told(facts, resolver_of(facts)).splitlines()

    if names == "abs":  # with the others, some of these sources make no sense
        assert any(line.lower().endswith("r::go") for line in shown), shown
