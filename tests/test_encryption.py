"""Encryption at rest: without the key nothing can be read, not a byte of it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew import conversion
from clew.ground_state import back_up
from clew.model.errors import ClewError, ConfigError, Locked, NotSupported, StoreCorrupt
from clew.runtime import encryption
from clew.runtime.encryption import MAGIC, Cipher, SealedFile
from clew.runtime.plain import open_as_it_is, open_own, read_own

KEY = "5e" * 32
OTHER = "e5" * 32
SOURCE = "def quetzalcoatl_parser(huitzilopochtli):\n    return huitzilopochtli.tezcatlipoca\n"
WORDS = ("quetzalcoatl", "huitzilopochtli", "tezcatlipoca", "popocatepetl", "xochimilco", "aztlan")
PUBLIC = {".gitignore", "owner", "encrypted", "checkout"}  # hold nothing of the project


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A user whose settings demand encryption, and whose key is in the environment."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CLEW_SECURITY_ENCRYPT_DB", "true")
    monkeypatch.setenv("CLEW_SECURITY_ENCRYPTION_KEY", KEY)
    yield tmp_path
    encryption._CIPHERS.clear()


def make(root: Path) -> Path:
    root.mkdir()
    (root / "aztlan.py").write_text(SOURCE, "utf-8")
    (root / "guide.md").write_text("# Aztlan\n\nXochimilco is where quetzalcoatl_parser lives.\n", "utf-8")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(root))
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "Popocatepetl begins")):
        subprocess.run([*git, *arguments], check=True)
    return root


def use(root: Path) -> None:
    """Work with the project in every way that writes files."""
    with clew.open(root) as ws:
        ws.index()
        ws.episode_add(type="OBSERVATION", content="popocatepetl erupts", entities=["aztlan.py"])
        ws.search("quetzalcoatl parser")
        ws.context_pack(task="change quetzalcoatl_parser", max_tokens=2000)
        ws.context_pack_create(query="quetzalcoatl_parser", write=True)
        ws.query_graph_neighborhood(node_id="aztlan.py::quetzalcoatl_parser")
        ws.community_list()
        ws.build_knowledge_graph()
        ws.notes(change="keep", content="aztlan note", scope="user", name="aztlan")
        ws.diff_since(since="HEAD")
        ws.engine.watch().close()
        (root / "more.py").write_text("from aztlan import quetzalcoatl_parser\n", "utf-8")
        ws.index()
    back_up(root)


def files_of(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]


def readable_words(files: list[Path]) -> list[str]:
    found = {path: path.read_bytes().lower() for path in files}
    return [f"{word} in {path.name}" for path, data in found.items() for word in WORDS if word.encode() in data]


def test_nothing_of_a_project_can_be_read_without_the_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(home / "project")
    with monkeypatch.context() as patch:
        patch.delenv("CLEW_SECURITY_ENCRYPT_DB")
        with clew.open(root) as ws:
            ws.index()
            ws.context_pack_create(query="quetzalcoatl_parser", write=True)
            before = ws.graph_health(with_hash=True).graph_hash
    assert readable_words(files_of(root / ".clew"))
    with pytest.raises(Locked, match="not encrypted yet"):
        clew.open(root)

    conversion.encrypt(root)
    with clew.open(root) as ws:
        assert ws.graph_health(with_hash=True).graph_hash == before
    use(root)
    kept = files_of(root / ".clew", home / "data", home / "cache", home / "config")
    sealed = [path for path in kept if path.read_bytes().startswith(MAGIC)]
    others = {path.name for path in kept if path not in sealed and path.stat().st_size}

    assert readable_words(kept) == []
    assert {path.suffix for path in sealed} >= {".zst", ".jsonl"}
    assert others - PUBLIC <= {"clew.db", "clew.db-wal", "clew.db-shm", "user.db", "user.db-wal", "user.db-shm", "key"}
    refuse_without_key(root, monkeypatch)
    give_key_in_a_file(root, home / "key", monkeypatch)
    with clew.open(root) as ws:
        assert ws.search("quetzalcoatl parser")[0].path == "aztlan.py"
        assert ws.episode_recall(query="popocatepetl").episodes[0].content == "popocatepetl erupts"
        with pytest.raises(NotSupported, match="encrypt_db"):
            ws.query_context(query="parser", as_of="HEAD")
        with pytest.raises(NotSupported, match="encrypt_db"):
            ws.graph_query(query="MATCH (f:File) RETURN f.id", language="cypher")

    conversion.decrypt(root)
    monkeypatch.delenv("CLEW_SECURITY_ENCRYPT_DB")
    with clew.open(root) as ws:
        assert ws.episode_recall(query="popocatepetl").episodes
        assert ws.search("quetzalcoatl parser")


def refuse_without_key(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value, problem in (
        ("CLEW_SECURITY_ENCRYPTION_KEY", OTHER, "not the one"),
        ("CLEW_SECURITY_ENCRYPTION_KEY", "", "there is no key"),
        ("CLEW_SECURITY_ENCRYPT_DB", "false", "is encrypted"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(variable, value)
            with pytest.raises(Locked, match=problem):
                clew.open(root)


def give_key_in_a_file(root: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(KEY, "ascii")
    file.chmod(0o644)
    monkeypatch.delenv("CLEW_SECURITY_ENCRYPTION_KEY")
    monkeypatch.setenv("CLEW_SECURITY_ENCRYPTION_KEY_FILE", str(file))
    with pytest.raises(Locked, match="other users"):
        clew.open(root)
    file.chmod(0o600)


def test_a_protection_that_cannot_be_given_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make(home / "project")
    with monkeypatch.context() as patch:
        patch.setenv("CLEW_STORAGE_URL", "postgresql://nobody@127.0.0.1:9/nothing")
        patch.setenv("CLEW_PROJECT_ID", "x")
        with pytest.raises(ConfigError, match="on a server"):
            clew.open(root)
    with monkeypatch.context() as patch:
        patch.setenv("CLEW_STORAGE_DB_PATH", "elsewhere/clew.db")
        with pytest.raises(ConfigError, match="does not reach"):
            clew.open(root)
    monkeypatch.setenv("CLEW_SECURITY_ENCRYPTION_KEY", "too short")
    with pytest.raises(Locked, match="64 hexadecimal digits"):
        clew.open(root)


def test_a_damaged_encrypted_database_is_not_replaced_by_an_empty_one(home: Path) -> None:
    root = make(home / "project")
    with clew.open(root) as ws:
        ws.index()
        ws.episode_add(type="OBSERVATION", content="kept")
    database = root / ".clew" / "clew.db"
    content = bytearray(database.read_bytes())
    content[4096 * 3 : 4096 * 9] = os.urandom(4096 * 6)
    database.write_bytes(content)

    with pytest.raises(ClewError) as raised, clew.open(root) as ws:
        ws.index(full=True)

    assert isinstance(raised.value, StoreCorrupt)
    assert database.exists()


def test_a_sealed_file_reads_as_it_was_written(tmp_path: Path) -> None:
    cipher, file = Cipher(bytes.fromhex(KEY)), tmp_path / "log"
    encryption._CIPHERS[tmp_path] = cipher
    try:
        for line in (b"one\n", b"two\n"):
            with open_own(file, "ab") as out:
                out.write(line)
        whole = file.read_bytes()
        with open_as_it_is(file, "ab") as torn:
            torn.write(cipher.seal(2, b"three\n")[:-5])  # the process died
        assert read_own(file) == b"one\ntwo\n"
        with open_own(file, "ab") as out:
            assert out.tell() == len(b"one\ntwo\n")
            out.write(b"four\n")
        assert read_own(file) == b"one\ntwo\nfour\n"
        assert file.read_bytes().startswith(whole)
        exchanged = bytearray(whole)
        exchanged[-1] ^= 1
        file.write_bytes(exchanged)
        with pytest.raises(OSError, match="damaged"):
            read_own(file)
        with open_own(file, "wb"):
            pass
        assert isinstance(open_own(file), SealedFile)
        assert read_own(file) == b""
    finally:
        encryption._CIPHERS.clear()
