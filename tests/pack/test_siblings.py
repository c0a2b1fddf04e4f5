"""For "add another X", a pack shows the existing unit to imitate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.pack.siblings import asked_kind, is_of_kind
from clew.surfaces.library import Workspace
from clew.tools.briefing_views import Briefing, PackItem


def matcher(name: str, more: str = "") -> str:
    return f"""
// Match{name} selects requests.
type Match{name} []string

// Match returns true if r is selected.
func (m Match{name}) Match(r *Request) bool {{
	for _, value := range m {{
		if r.{name} == value {{
			return true
		}}
	}}
	return false
}}

func (m *Match{name}) Unmarshal(d *Dispenser) error {{
	for d.Next() {{
		*m = append(*m, d.Args()...)
	}}
	return nil
}}
{more}"""


LINES = "".join(f"\tm.settle({n})\n" for n in range(40))
ODD = f"""
// MatchNothing is unlike the others: it selects TLS versions that nobody has.
type MatchNothing struct {{
	version int
}}

func (m MatchNothing) Match(r *Request) bool {{
{LINES}	return false
}}
"""
FILES = {
    "http/request.go": "package http\n\n// RequestMatcher selects requests.\n"
    "type RequestMatcher interface {\n\tMatch(r *Request) bool\n}\n",
    "http/matchers.go": "package http\n" + "".join(map(matcher, ("Host", "Path", "Method"))) + ODD,
    "tls/connection.go": "package tls\n\n// Version of the connection.\nfunc Version() string { return version }\n\n"
    "var (\n\t_ Provisioner = (*Connection)(nil)\n\t_ Validator = (*Connection)(nil)\n)\n",
    **{f"tls/part{n}.go": f"package tls\n\n// The TLS version.\nfunc Version{n}() {{\n{LINES}}}\n" for n in range(8)},
    **{
        f"routes/{name}.py": f"def serve_{name}(request):\n    page = load('{name}')\n    return page.answer(request)\n"
        for name in ("home", "cart", "help")
    },
    "checks/rules.py": "".join(
        f"def validate_{name}(text, field):\n    if not text:\n        raise Invalid(field)\n    return text\n\n\n"
        for name in ("name", "city", "street")
    ),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root: Path = tmp_path_factory.mktemp("server")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with clew.open(root) as workspace:
        workspace.index()
        yield workspace


def imitated(pack: Briefing) -> list[PackItem]:
    return [one for one in pack.items if one.reason.startswith("most typical of")]


def test_the_most_typical_unit_of_the_kind_comes_first_and_whole(server: Workspace) -> None:
    pack: Briefing = server.context_pack(task="Add a matcher on the TLS version", max_tokens=1000)
    shown = imitated(pack)
    names = {one.symbol.rpartition("::")[2]: one for one in shown}

    assert names["Match"].form == names["Unmarshal"].form == "whole"
    assert set(names) - {"Match", "Unmarshal"} <= {"MatchHost", "MatchPath", "MatchMethod"}
    assert len(names) == 3
    assert not any("MatchNothing" in one.symbol for one in shown)
    assert shown[0].reason == "most typical of 4 units that implement or extend RequestMatcher"
    assert pack.items[0] in shown


def test_functions_are_of_a_kind_by_their_names(server: Workspace) -> None:
    pack: Briefing = server.context_pack(task="Add another validator like these, for a zip code", max_tokens=600)

    (shown,) = imitated(pack)
    assert shown.symbol.startswith("checks/rules.py::validate_")
    assert shown.reason == "most typical of 3 units that have names that begin with validate"


def test_units_of_a_folder_that_is_named_by_the_kind_are_of_it(server: Workspace) -> None:
    pack: Briefing = server.context_pack(task="Add a route that serves the imprint page", max_tokens=400)

    (shown,) = imitated(pack)
    assert (shown.path.partition("/")[0], shown.form) == ("routes", "whole")
    assert shown.reason == "most typical of 3 units that are in routes"


def test_a_task_that_asks_for_no_other_unit_has_none_to_imitate(server: Workspace) -> None:
    pack: Briefing = server.context_pack(task="Fix the matcher on the TLS version", max_tokens=1000)

    assert imitated(pack) == []


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("Add a matcher on the TLS version", "matcher"),
        ("feat(http): add TLS version matcher", "matcher"),
        ("Adds support for new codecs", "codecs"),
        ("Please implement another exporter, like the others", "exporter"),
        ("We need to introduce a retry policy that waits", "policy"),
        ("Fix the matcher", ""),
        ("The matcher adds a host", ""),
        ("", ""),
    ],
)
def test_the_kind_is_the_noun_that_is_to_be_added(task: str, kind: str) -> None:
    assert asked_kind(task) == kind


def test_words_of_one_family_are_one_kind() -> None:
    assert all(is_of_kind(word, kind) for word, kind in (("Match", "matcher"), ("Validate", "validators")))
    assert not any(is_of_kind(word, kind) for word, kind in (("Mat", "matcher"), ("Value", "validator")))
