"""A typed client that a generator makes of /openapi.json, used against a real server."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import attrs
import pytest

from clew.tools import TOOLS
from tests.trusting import copied

from .processes import PATIENCE, Server, serving

TOKEN = "a-token-for-the-generated-client"
PACKAGE = "generated_client_of_clew"
GENERATOR = (sys.executable, "-m", "openapi_python_client", "generate")
CONFIG = "post_hooks: []\nliteral_enums: true\n"


@pytest.fixture(scope="module")
def locked(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that asks for its token, of a project that these tests may change."""
    folder = tmp_path_factory.mktemp("locked")
    project = copied(indexed, folder / "project")
    with serving(project, folder / "log", env={"CLEW_SERVER_TOKEN": TOKEN}) as server:
        yield server


@pytest.fixture(scope="module")
def package(locked: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The generated package's name, importable; the generator had no warning."""
    folder = tmp_path_factory.mktemp("generated")
    described = locked.get("/openapi.json", Authorization=f"Bearer {TOKEN}")
    (folder / "openapi.json").write_bytes(described.content)
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    command = [*GENERATOR, "--path", "openapi.json", "--config", "config.yaml", "--meta", "none", "--fail-on-warning"]
    done = subprocess.run(
        [*command, "--output-path", PACKAGE], cwd=folder, capture_output=True, encoding="utf-8", timeout=4 * PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield PACKAGE


@pytest.fixture
def client(package: str, locked: Server) -> Any:
    made = importlib.import_module(package).AuthenticatedClient(base_url=locked.url, token=TOKEN, timeout=PATIENCE)
    with made as opened:
        yield opened


def operation(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.api.default.{name}")


def body_fields(package: str, name: str) -> dict[str, Any]:
    """The attributes of an operation's body by parameter; `format`, a builtin's name, becomes `format_`."""
    kind = operation(package, name).sync.__annotations__["body"]
    struct = get_args(kind)[0] if get_args(kind) else kind  # a union with Unset if no argument is required
    return {name.rstrip("_"): field for name, field in attrs.fields_dict(struct).items()}


def models(package: str) -> Any:
    return importlib.import_module(f"{package}.models")


def test_every_tool_has_a_function_with_the_parameters_of_its_schema(package: str) -> None:
    for name, tool in TOOLS.items():
        fields = body_fields(package, name)
        required = {key for key, field in fields.items() if field.default is attrs.NOTHING}

        assert fields.keys() == tool.schema["properties"].keys(), name
        assert required == set(tool.schema.get("required", ())), name


def test_a_question_is_answered_with_values_of_the_generated_types(package: str, client: Any) -> None:
    types = models(package)
    answer = operation(package, "query_context").sync(
        client=client, body=types.QueryContext(query="validate_token", k=3, profile="debug")
    )
    plain = operation(package, "query_context_http").sync(client=client, body=types.QueryBody(q="validate_token", k=1))

    assert isinstance(answer, types.Answer)
    assert answer.ok is True and answer.profile == "debug"
    assert answer.data["hits"][0]["chunk_id"].startswith("tokens.py#")
    assert isinstance(plain, types.QueryAnswer)
    assert [(type(hit), hit.file_path) for hit in plain.hits] == [(types.QueryHit, "tokens.py")]


def test_what_is_written_with_the_token_is_read_back(package: str, client: Any) -> None:
    types, notes = models(package), operation(package, "notes")
    kept = notes.sync(
        client=client, body=types.Notes(change="keep", name="style", content="tokens are opaque", scope="shared")
    )
    read = notes.sync(client=client, body=types.Notes(scope="shared"))

    assert isinstance(kept, types.Answer) and isinstance(read, types.Answer)
    assert "tokens are opaque" in [note["content"] for note in read.data["notes"]]


def test_errors_are_values_with_status_code_and_hint(package: str, client: Any, locked: Server) -> None:
    types, explain = models(package), operation(package, "code_explain")
    anyone = importlib.import_module(package).Client(base_url=locked.url, timeout=PATIENCE)
    missing = explain.sync_detailed(client=client, body=types.CodeExplain(element="no_such_symbol_anywhere"))
    with anyone:
        refused = explain.sync_detailed(client=anyone, body=types.CodeExplain(element="validate_token"))

    assert isinstance(missing.parsed, types.Error) and isinstance(refused.parsed, types.Error)
    assert (missing.status_code, missing.parsed.error_code) == (404, "CLEW_E_NOT_FOUND")
    assert (refused.status_code, refused.parsed.error_code) == (401, "CLEW_E_UNAUTHORIZED")
    assert missing.parsed.hint and refused.parsed.hint
