"""Files from which cleared knowledge can be restored: a header line, then one record per line, then a checksum."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.knowledge.catalog import KnowledgeReader
from clew.model.errors import InvalidInput, NotFound
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord
from clew.model.time import to_iso
from clew.runtime.place import ProjectPaths
from clew.runtime.plain import open_own

FORMAT = "clew-knowledge-1"
_CUT = "The file was cut off or changed after it was written. Use another copy of it."


class _Opening(Struct, frozen=True):
    format: str
    made_at: str


class _Closing(Struct, frozen=True):
    rows: int
    sha256: str


def export_records(place: ProjectPaths, rows: Iterable[KnowledgeRecord], reader: KnowledgeReader, now: int) -> Path:
    """Write all rows that the caller may read into the project's backups."""
    place.prepare_home()
    folder = place.folder / "backups"
    folder.mkdir(exist_ok=True)
    stamp = to_iso(now).replace(":", "").replace("-", "")
    file = folder / f"knowledge-{stamp}.jsonl"
    lines = [msgspec.json.encode(_Opening(FORMAT, to_iso(now)))]
    lines += [msgspec.json.encode(one) for one in rows if one.kind is not KnowledgeKind.PURGE and reader.may_read(one)]
    body = b"".join(line + b"\n" for line in lines)
    closing = msgspec.json.encode(_Closing(len(lines) - 1, sha256(body).hexdigest()))
    with open_own(file, "wb") as out:
        out.write(body + closing + b"\n")
        out.flush()
    return file


def read_records(file: Path) -> list[KnowledgeRecord]:
    """The rows of an export, oldest first; raises if the file is not what was written."""
    if not file.is_file():
        raise NotFound(f"there is no file {file.name}", "Name a file that clear_graph wrote, in .clew/backups.")
    *lines, last = file.read_bytes().splitlines(keepends=True) or [b""]
    try:
        closing = msgspec.json.decode(last, type=_Closing)
        opening = msgspec.json.decode(lines[0], type=_Opening) if lines else _Opening("", "")
        if opening.format != FORMAT or sha256(b"".join(lines)).hexdigest() != closing.sha256:
            raise InvalidInput(f"{file.name} is no whole export of knowledge", _CUT)
        return [msgspec.json.decode(line, type=KnowledgeRecord) for line in lines[1:]]
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"{file.name} is no whole export of knowledge: {error}", _CUT) from error
