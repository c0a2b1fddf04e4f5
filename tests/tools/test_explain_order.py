"""code_explain: what comes first where not all of it fits."""

from pathlib import Path

from tests.tools.test_explain import asking, said


def test_what_is_of_the_project_comes_before_what_is_outside(tmp_path: Path) -> None:
    (tmp_path / "z.py").write_text("import os\n\n\ndef a(): ...\n\n\ndef go():\n    os.getcwd()\n    a()\n", "utf-8")
    with asking(tmp_path) as caller:
        data = said(caller, "go")["data"]

    assert [one["id"] for one in data["dependencies"]] == ["z.py::a", "external::os.getcwd"]


def test_calls_that_lead_nowhere_wait_for_slices(tmp_path: Path) -> None:
    calls = "".join(f"    thing.some_long_name_of_a_call_{i}().and_then()\n" for i in range(30))
    (tmp_path / "z.py").write_text(f"def a(): ...\n\n\ndef go(thing):\n    a()\n{calls}", "utf-8")
    with asking(tmp_path) as caller:
        found = [said(caller, "go", max_tokens=most)["data"] for most in range(500, 4000, 100)]

    told = [("slices" in one, len(one["unresolved_calls"]["places"])) for one in found]
    assert found[0]["unresolved_calls"]["count"] == 60
    assert {places for sliced, places in told if not sliced} == {3}
    assert told[-1] == (True, 60)
