"""The list of the secrets that were replaced; and who may say what is none."""

from pathlib import Path

import pytest

from tests.trusting import accept

from .processes import clew

GITHUB = "ghp_" + "a1B2" * 9
PASSWORD = "hunter2-" + "Xy-9911"


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(f'a = 1\nTOKEN = "{GITHUB}"\npassword = "{PASSWORD}"\n', "utf-8")
    (tmp_path / ".env").write_text(f"DB_PASSWORD={PASSWORD}\n", "utf-8")
    clew("index", cwd=tmp_path)
    return tmp_path


def test_secrets_are_listed_by_file_line_kind_and_digest_but_never_shown(leaky: Path) -> None:
    done = clew("secrets", "--json", cwd=leaky)

    places = [(one["file_path"], one["line"], one["kind"]) for one in done.json["items"]]
    digests = [one["digest"] for one in done.json["items"]]
    assert places == [(".env", 1, "password"), ("app.py", 2, "github"), ("app.py", 3, "password")]
    assert digests[0] == digests[2] != digests[1]
    assert done.json["kinds"] == {"github": 1, "password": 2}
    listed = clew("secrets", cwd=leaky)
    assert "app.py:2  github  " in listed.out
    assert not any(secret in text for secret in (GITHUB, PASSWORD) for text in (done.out, listed.out, listed.err))


def test_secrets_can_be_listed_by_kind(leaky: Path) -> None:
    assert len(clew("secrets", "--kind", "github", cwd=leaky).out.splitlines()) == 1


def test_a_repository_cannot_declare_that_its_secrets_are_none_unless_it_is_trusted(leaky: Path) -> None:
    (leaky / "context.toml").write_text("[security]\nsecret_allow = ['hunter2.*']\n", "utf-8")

    before = clew("secrets", "--json", cwd=leaky)
    accept(leaky)
    clew("index", cwd=leaky)
    after = clew("secrets", "--json", cwd=leaky)

    assert before.json["total"] == 3
    assert "secret_allow" in before.err
    assert after.json["kinds"] == {"github": 1}


def test_a_user_allows_a_value_by_the_digest_that_is_shown(leaky: Path) -> None:
    digest = clew("secrets", "--kind", "github", "--json", cwd=leaky).json["items"][0]["digest"]
    allowed = {"CLEW_SECURITY_SECRET_ALLOW": f"digest:{digest}"}
    clew("index", cwd=leaky, env=allowed)

    assert clew("secrets", "--json", cwd=leaky, env=allowed).json["kinds"] == {"password": 2}
