"""Which files are not text: by extension, by magic number, by content."""

import codecs

from clew.runtime.settings import Indexing
from clew.text.encodings import is_utf16

HEAD_BYTES = 8192  # what decides about the content

EXTENSIONS = frozenset(
    f".{name}"
    for name in (
        "png jpg jpeg gif bmp ico icns webp tif tiff psd heic avif mp3 mp4 m4a m4v wav flac ogg oga ogv opus aac avi "
        "mov mkv webm wmv flv mpg mpeg zip gz tgz bz2 tbz2 xz txz zst 7z rar tar lz4 jar war ear whl egg deb rpm apk "
        "dmg iso exe dll so dylib a o obj lib bin class pyc pyo pyd wasm node pdb pdf doc docx xls xlsx ppt pptx odt "
        "ods odp epub ttf otf woff woff2 eot mo db sqlite sqlite3 duckdb mdb parquet arrow feather avro orc npy npz "
        "pkl pickle joblib h5 hdf5 pt pth onnx safetensors gguf tflite keystore jks p12 pfx der"
    ).split()
)
_MAGIC = (
    (b"\x89PNG", "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"RIFF", "RIFF"), (b"BM", "BMP"),
    (b"%PDF-", "PDF"), (b"PK\x03\x04", "ZIP"), (b"PK\x05\x06", "ZIP"), (b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!", "RAR"),
    (b"\x7fELF", "ELF"), (b"MZ", "Windows program"), (b"\xca\xfe\xba\xbe", "Java class"), (b"\x00asm", "WebAssembly"),
    (b"\xcf\xfa\xed\xfe", "Mach-O"), (b"\xfe\xed\xfa\xcf", "Mach-O"), (b"!<arch>", "archive"),
    (b"SQLite format 3\x00", "SQLite"), (b"wOFF", "font"), (b"wOF2", "font"), (b"OTTO", "font"),
    (b"\x00\x01\x00\x00", "font"), (b"OggS", "Ogg"), (b"ID3", "MP3"), (b"fLaC", "FLAC"),
    (b"\xd0\xcf\x11\xe0", "Office"),
)  # fmt: skip
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_ASCII = bytes(range(128))


def extension(path: str) -> str:
    """The extension in lower case; `Makefile` and `.profile` have none."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def name_reason(name: str, indexing: Indexing) -> str | None:
    """Why the name alone says that the file is binary, if it does."""
    kind = extension(name)
    if indexing.binary_detection not in ("extension", "all") or kind not in EXTENSIONS:
        return None
    return None if kind in map(str.lower, indexing.allowed_extensions) else f"extension {kind}"


def binary_reason(head: bytes, name: str, indexing: Indexing) -> str | None:
    """Why the file is binary, if it is, by its name and its first bytes; more bytes do no harm."""
    return name_reason(name, indexing) or _head_reason(head[:HEAD_BYTES], indexing)


def _head_reason(head: bytes, indexing: Indexing) -> str | None:
    if indexing.binary_detection == "extension" or _is_utf8(head) or is_utf16(head, whole=len(head) < HEAD_BYTES):
        return None
    if head.startswith(_UTF32):
        return "UTF-32 text: only UTF-8 and UTF-16 are read"
    by_magic = indexing.binary_detection in ("mime", "all")
    if by_magic and (kind := next((kind for mark, kind in _MAGIC if head.startswith(mark)), "")):
        return f"magic number of {kind}"
    return None if indexing.binary_detection == "mime" else _content_reason(head, indexing.binary_threshold)


def _content_reason(head: bytes, threshold: int) -> str | None:
    if b"\0" in head:
        return "a NUL byte"
    percent = 100 * len(head.translate(None, _ASCII)) / len(head)
    return f"{percent:.0f} % of its bytes are not ASCII" if percent > threshold else None


def _is_utf8(head: bytes) -> bool:
    """Text without NUL; a character that the end of a full head cuts in two is still text."""
    if b"\0" in head:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < HEAD_BYTES)
    except UnicodeDecodeError:
        return False
    return True


# Code that a program has squeezed into a few endless lines: nobody reads it, and its names say nothing.

LEAST_BYTES = 10_000
LONG_LINE = 400  # bytes
LEAST_SHARE = 0.9  # of the bytes, in long lines
BYTES_PER_WORD = 2_000  # of which one at least is a word of functions; a table in one line has none
_WORDS = (b"function", b"=>", b"return")


def is_minified(source: bytes) -> bool:
    if len(source) < LEAST_BYTES:
        return False
    long = [line for line in source.split(b"\n") if len(line) > LONG_LINE]
    size = sum(map(len, long))
    return (
        size >= LEAST_SHARE * len(source)
        and sum(line.count(word) for line in long for word in _WORDS) * BYTES_PER_WORD >= size
    )
