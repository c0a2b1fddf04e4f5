"""Languages as data: a source in, what is read out of it out.

`CLEW_REWRITE=1 pytest tests/index/test_languages.py` writes the expected parts anew, on purpose.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.index.facts import (
    Attr,
    Call,
    CallFact,
    CallResult,
    Container,
    Def,
    Facts,
    ImportedName,
    NarrowedValue,
    Param,
    ScopedName,
    Subscript,
    Super,
    This,
    TypeArgumentCall,
    UnboundName,
    Value,
    WrappedType,
)
from clew.index.facts_cache import unpack_facts
from clew.index.file_reader import FileReader, FileToRead
from clew.index.syntax.parse import outline
from clew.languages import LANGUAGES, language_in, language_named, language_of
from clew.languages.grammars import grammar, query_text
from clew.languages.member_names import spelled_name
from clew.languages.profile import Language
from clew.model.code import Chunk, Layout, Reading, Symbol, without_numbers
from clew.runtime.settings import ChunkRules, Config
from clew.store.packing import unpack

DATA = Path(__file__).parent / "data"
LINE = "=====\n"
REWRITE = bool(os.environ.get("CLEW_REWRITE"))
SMALL_LIMIT = 40  # of the cases called long.*, so that short sources have passages

every_case = pytest.mark.parametrize("case", sorted(DATA.glob("*.txt")), ids=lambda case: case.stem)


@every_case
def test_a_source_reads_as_expected(case: Path, tmp_path: Path) -> None:
    source, _, expected = case.read_text("utf-8").partition(LINE)
    shown = "\n".join(told(read(tmp_path / case.stem, source.encode()))) + "\n"
    if REWRITE:
        case.write_text(f"{source}{LINE}{shown}", "utf-8")
        return

    assert shown == expected


@every_case
def test_every_unit_is_whole(case: Path, tmp_path: Path) -> None:
    """A chunk starts and ends with the lines it names, and lies wholly inside or outside of every other."""
    source = case.read_text("utf-8").partition(LINE)[0].encode()
    layout = unpack(read(tmp_path / case.stem, source).layout, Layout)

    for span in [*(symbol.span for symbol in layout.symbols), *(chunk.span for chunk in layout.chunks)]:
        assert source[: span.start].count(b"\n") + 1 == span.first
        assert source[: max(span.end - 1, span.start)].count(b"\n") + 1 == span.last
        for other in layout.chunks:
            crossed = span.start < other.span.start < span.end < other.span.end
            assert not crossed, (span, other)


@every_case
def test_every_word_of_a_file_is_in_some_chunk(case: Path, tmp_path: Path) -> None:
    source = case.read_text("utf-8").partition(LINE)[0].encode()
    layout = unpack(read(tmp_path / case.stem, source).layout, Layout)
    known = language_named(language_of(case.stem))

    covered = bytearray((outline(known, source).readable if known else b"") or source)
    for chunk in layout.chunks:
        covered[chunk.span.start : chunk.span.end] = b" " * (chunk.span.end - chunk.span.start)
    assert bytes(covered).split() == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_has_its_grammar_and_query(language: Language) -> None:
    assert language.splitter or (grammar(language).abi_version and query_text(language))
    assert language_named(language.name) is language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"), ("A.PY", "python"), ("deep/x.d.ts", "typescript"), ("x.tsx", "tsx"),
        ("README.md", "markdown"), ("Makefile", "makefile"), ("x.unknown", "text"), ("x.toml", "toml"),
        (".bashrc", "bash"), ("Rakefile", "ruby"), ("x.gemspec", "ruby"), ("tools/x.sh", "bash"),
        ("Gemfile.next", "ruby"), ("Gemfile.lock", "text"), ("Pipfile.lock", "json"), ("card.h", "c"),
        ("folder.py/x", "text"), ("x.mjs", "javascript"), ("deploy/Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"), ("dev.dockerfile", "dockerfile"), ("GNUmakefile", "makefile"),
        ("makefile.py", "python"), ("Makefile.j2", "makefile"), ("x.yml.j2", "text"),
        ("x.html.erb", "erb"), ("main.tf", "terraform"),
        ("cards.json.jbuilder", "ruby"), ("Podfile", "ruby"), ("page.phtml", "php"), ("card.inl", "cpp"),
        ("Makefile.txt", "text"), ("dockerfile.scm", "scheme"), ("dockerfile.dev", "dockerfile"),
        ("Dockerfile.erb", "dockerfile"), ("Dockerfile.dockerignore", "text"),
        ("x.proto", "protobuf"), ("x.ipynb", "jupyter"),
    ],
)  # fmt: skip
def test_a_language_is_known_by_its_extension(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("bin/pay", "#!/usr/bin/env bash", "bash"), ("bin/pay", "#!/bin/sh -e", "bash"),
        ("bin/pay", "#! /usr/bin/env -S X=1 python3.11 -u", "python"), ("pay.in", "#!/usr/bin/python3", "python"),
        ("bin/pay", "#!/usr/bin/env node", "javascript"), ("bin/pay", "#!/usr/bin/ruby", "ruby"),
        ("bin/pay", "#!/usr/bin/awk -f", "text"), ("bin/pay", "#!/usr/bin/env", "text"), ("bin/pay", "bash", "text"),
        ("x.js", "/** @flow */", "tsx"), ("x.js", "// @flow strict", "tsx"), ("x.js", "f(); // @flow", "javascript"),
        ("notes.txt", "#!/bin/sh", "text"), ("pay.sh.j2", "#!/bin/sh", "bash"), ("pay.pl", "#!/usr/bin/perl", "perl"),
        ("pay_de.ts", '<?xml version="1.0"?>', "xml"), ("pay_de.ts", "<!DOCTYPE TS>", "xml"),
        ("x.py", "version https://git-lfs.github.com/spec/v1", "text"),
        ("x.ts", "<any>x;", "typescript"), ("x.py", "#!/bin/sh", "python"), ("bin/pay", "#!/opt/json", "text"),
    ],
)  # fmt: skip
def test_a_language_is_known_by_the_first_lines(path: str, first_line: str, language: str) -> None:
    assert language_in(path, f"{first_line}\n".encode()) == language


def read(file: Path, source: bytes) -> Reading:
    file.write_bytes(source)
    config = Config()
    if file.name.startswith("long."):
        config = Config(chunking=config.chunking.with_rules(language_of(file.name), ChunkRules(SMALL_LIMIT)))
    reading = FileReader(file.parent, config).read_file(FileToRead(file.name, b""))
    assert isinstance(reading, Reading)
    return reading


def told(reading: Reading) -> Iterator[str]:
    """A reading as lines that a person can check."""
    layout = unpack(reading.layout, Layout)
    yield f"language {reading.language}, {reading.lines} lines"
    yield from (f"symbol {_symbol(symbol)}" for symbol in layout.symbols)
    for number, chunk in enumerate(layout.chunks):
        yield f"chunk {number} {_chunk(chunk)}"
        yield from (f"  passage {p.first}-{p.last} [{p.start}:{p.end}]" for p in chunk.passages)
    yield from told_facts(unpack_facts(reading.facts))
    yield from (f"problem {problem}" for problem in reading.problems)


def told_facts(facts: Facts) -> Iterator[str]:
    if facts.package:
        yield f"package {facts.package}"
    for one in facts.imports:
        aliases = one.aliases if one.names and one.aliases else one.names
        taken = [f"{name} as {alias}" for name, alias in zip(one.names, aliases, strict=True)]
        alias = f" as {one.aliases[0]}" if one.aliases and not one.names else ""
        yield f"import {one.line}: {one.module}{alias} {', '.join([*taken, *'*' * one.star])}".rstrip()
    for title, table in (("extends", facts.bases), ("implements", facts.implements), ("returns", facts.returns)):
        yield from (f"{title} {scope}: {written(*values)}" for scope, values in table.items())
    yield from (f"decorated {scope}: {', '.join(texts)}" for scope, texts in facts.decorators.items())
    yield from (f"params {scope}: {', '.join(names)}" for scope, names in facts.params.items())
    for scope, names in facts.names.items():
        yield from (f"bind {scope or '-'} {name}: {written(*values)}" for name, values in names.items())
    used = [number for number in range(len(facts.calls)) if f"result({number})" in _values_of(facts)]
    for number, call in enumerate(facts.calls):
        yield f"call {f'#{number} ' if number in used else ''}{_called(call)}"
    for store in facts.stores:
        place = f"[{store.name}]" if store.item else f".{store.name}"
        yield f"store {written(*store.of)}{place}: {written(*store.values)}"
    if facts.exports:
        yield f"offers {', '.join(facts.exports)}"
    if facts.declared:
        yield f"declared {', '.join(facts.declared)}"
    yield from (f"setting {key}: {value}" for key, value in facts.settings.items())


def _values_of(facts: Facts) -> str:
    tables = [*facts.names.values(), facts.returns, facts.bases, *(call.keywords for call in facts.calls)]
    every = [values for table in tables for values in table.values()]
    every += [values for call in facts.calls for values in (call.callee, *call.args)]
    every += [values for store in facts.stores for values in (store.of, store.values)]
    return " ".join(written(*values) for values in every)


def _called(call: CallFact) -> str:
    given = [written(*values) for values in call.args]
    given += [f"{name}={written(*values)}" for name, values in call.keywords.items()]
    passing = f" ({', '.join(given)})" if given else ""
    how = "implied " if call.implied else ""
    return f"{call.line}: {how}{call.written} in {call.scope or '-'} -> {written(*call.callee)}{passing}"


def written(*values: Value) -> str:
    """Values as a person would write them."""
    return " | ".join(map(_value, values)) or "?"


def _value(value: Value) -> str:
    match value:
        case Def(scope):
            return scope
        case ScopedName(scope, name):
            return f"{scope or '-'}:{name}"
        case UnboundName(name):
            return f"?{name}"
        case ImportedName(module, name):
            return f"<{module}>{f'.{name}' if name else ''}"
        case Attr(of, name):
            return f"{_value(of)}.{spelled_name(name)}"
        case Call(by):
            return f"{_value(by)}()"
        case Subscript(of, key):
            return f"{_value(of)}[{key}]"
        case This(scope):
            return f"this({scope})"
        case Super(scope):
            return f"super({scope})"
        case Container(scope):
            return f"box({scope})"
        case Param(scope, name):
            return f"param({scope}, {name})"
        case WrappedType(of, given):
            return f"target({_value(of)}, {_value(given)})"
        case CallResult(call):
            return f"result({call})"
        case NarrowedValue(of, to):
            return f"narrowed({_value(of)}, {written(*to)})"
        case TypeArgumentCall(of, kind):
            return f"{_value(of)}<{_value(kind)}>"


def _symbol(symbol: Symbol) -> str:
    lines = f"{symbol.span.first}-{symbol.span.last}"
    parts = [
        f"{symbol.kind} {symbol.scope} {lines}",
        "exported" if symbol.exported else "",
        " ".join(f"@{decorator}" for decorator in symbol.decorators),
        symbol.signature,
        symbol.doc,
        ", ".join(f"again {span.first}-{span.last}" for span in symbol.reassigned),
    ]
    return " | ".join(filter(None, parts))


def _chunk(chunk: Chunk) -> str:
    place = f"{chunk.span.first}-{chunk.span.last} [{chunk.span.start}:{chunk.span.end}]"
    label = "" if without_numbers(f"::{chunk.scope}").endswith(f"::{chunk.label}") else f' "{chunk.label}"'
    return f"{chunk.kind} {chunk.scope or '-'}{label} {place} {chunk.tokens} tokens"
