"""Texts of the size of answers, to measure the estimate of tokens on: windows of a repository's files, by kind.

What no repository has enough of is made of what it has: answers as Clew writes them, scripts without their white
space, random bytes as hex and base64. The same repository always gives the same texts.
"""

import base64
import json
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SHORTEST, LONGEST = 800, 24_000  # characters: some 200 to 8,000 tokens
PER_KIND = 40  # windows of one kind in one repository
MOST_OF_A_FILE = 4  # windows; of a catalogue of translations three times as many
SNIPPETS = (1, 8)  # in an answer

_BY_EXTENSION = {
    "Python": ".py .pyi",
    "JavaScript": ".js .mjs .cjs .jsx",
    "TypeScript": ".ts .tsx .mts .cts",
    "Go": ".go",
    "Rust": ".rs",
    "Java": ".java",
    "Kotlin": ".kt .kts",
    "Scala": ".scala",
    "C": ".c .h",
    "C++": ".cc .cpp .hpp",
    "C#": ".cs",
    "Swift": ".swift",
    "Ruby": ".rb",
    "PHP": ".php",
    "shell": ".sh .bash .fish",
    "SQL": ".sql",
    "protocols": ".proto .graphql",
    "markup": ".html .xml .vue .svelte .css .scss",
    "settings": ".yml .yaml .toml .cfg .ini",
    "JSON": ".json",
    "notebooks": ".ipynb",
    "prose": ".md .mdx .rst .adoc",
    "translations": ".po",
}
KINDS = {ending: kind for kind, endings in _BY_EXTENSION.items() for ending in endings.split()}
_SAID = re.compile(r'^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)
_SCRIPTS = (
    ("Chinese, Japanese, Korean", re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")),
    ("Cyrillic and Greek", re.compile(r"[\u0370-\u052f]")),
    ("other scripts", re.compile(r"[\u0530-\u1cff]")),
)
LATIN = "Latin, not English"
FOREIGN = (LATIN, *(script for script, _ in _SCRIPTS))
ASIDE = ("hex", "base64", "white space", "emoji")  # no ordinary text


class Text(NamedTuple):
    kind: str
    source: str
    text: str


def of_repository(repository: Path) -> list[Text]:
    """Windows of its files, and what is made of them."""
    name = repository.parent.name if repository.name == "repo" else repository.name
    chance = random.Random(name)
    windows: list[Text] = []
    for kind, paths in _by_kind(repository).items():
        files = _contents(repository, chance, paths)
        found = list(dict.fromkeys(text for path, content in files for text in _cut(kind, path, content, chance)))
        windows += _at_most(found, PER_KIND * (16 if kind == "translations" else 1), chance)
    windows = [_in_script(text) if text.kind == "translations" else text for text in windows]
    return [*windows, *_made_of(windows, chance)]


def random_bytes(seed: str) -> list[Text]:
    """What nobody would ask for, but somebody's files hold."""
    chance = random.Random(seed)
    made = []
    for _ in range(PER_KIND):
        raw = chance.randbytes(_length(chance) // 2)
        made.append(Text("hex", seed, raw.hex()))
        made.append(Text("base64", seed, base64.b64encode(raw).decode()))
        made.append(Text("white space", seed, "".join(chance.choices(" \n\t", [8, 2, 1], k=len(raw)))))
        made.append(Text("emoji", seed, "".join(chr(chance.randrange(0x1F300, 0x1FAF8)) for _ in range(len(raw) // 4))))
    return made


def _by_kind(repository: Path) -> dict[str, list[str]]:
    listed = _git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD").decode("utf-8", "replace")
    found: dict[str, list[str]] = {}
    for path in sorted(listed.split("\0")):
        if kind := KINDS.get(Path(path).suffix.lower()):
            found.setdefault(kind, []).append(path)
    return found


def _contents(repository: Path, chance: random.Random, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    chosen = chance.sample(paths, min(len(paths), 40 * PER_KIND))
    for path in sorted(chosen):
        content = _git(repository, "show", f"HEAD:{path}").decode("utf-8", "replace")
        yield path, "\n".join(_said(content)) if path.endswith(".po") else content


def _said(catalogue: str) -> Iterator[str]:
    """What a catalogue of translations says in its own language."""
    for match in list(_SAID.finditer(catalogue))[1:]:
        said = "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', match[1]))
        if said:
            yield said


def _cut(kind: str, path: str, content: str, chance: random.Random) -> Iterator[Text]:
    """Windows of whole lines, where lines are not too long."""
    most = MOST_OF_A_FILE * (3 if kind == "translations" else 1)
    for _ in range(min(most, len(content) // SHORTEST)):
        size = min(_length(chance), len(content))
        start = content.rfind("\n", 0, chance.randint(0, len(content) - size) + 1) + 1
        text = content[start : start + size]
        if len(text) >= SHORTEST:
            yield Text(kind, path, text)


def _length(chance: random.Random) -> int:
    return int(SHORTEST * (LONGEST / SHORTEST) ** chance.random())


def _at_most(texts: list[Text], most: int, chance: random.Random) -> list[Text]:
    return texts if len(texts) <= most else chance.sample(texts, most)


def _in_script(text: Text) -> Text:
    for script, letters in _SCRIPTS:
        if len(letters.findall(text.text)) > len(text.text) / 5:
            return text._replace(kind=script)
    return text._replace(kind=LATIN)


def _made_of(windows: Sequence[Text], chance: random.Random) -> Iterator[Text]:
    ours = [text for text in windows if text.kind not in FOREIGN]
    for _ in range(2 * PER_KIND if ours else 0):
        yield Text("answers", "made", _answer(chance.choices(ours, k=chance.randint(*SNIPPETS)), chance))
    for text in windows:
        if text.kind in ("JavaScript", "TypeScript"):
            dense = re.sub(r"\s*([^\w\s]|\n)\s*", r"\1", re.sub(r"//.*|/\*(?s:.*?)\*/", "", text.text)).replace(
                "\n", ""
            )
            if len(dense) >= SHORTEST:
                yield Text("dense scripts", text.source, dense)


def _answer(texts: Sequence[Text], chance: random.Random) -> str:
    """As `clew search --json` answers: one line, its snippets escaped."""
    hits = []
    for rank, text in enumerate(texts, 1):
        lines = text.text.splitlines(keepends=True)
        start = chance.randrange(len(lines))
        snippet = "".join(lines[start : start + chance.randint(5, 60)])[:6000]
        name = f"{Path(text.source).stem}.thing{rank}"
        place = f"{text.source}:{start + 1}-{start + snippet.count(chr(10))}"
        reasons = [{"retriever": "full_text", "rank": rank, "share": round(chance.random(), 4)}]
        score = round(chance.random(), 4)
        hits.append(
            {"id": f"{text.source}::{name}", "place": place, "score": score, "snippet": snippet, "reasons": reasons}
        )
    data = {"query": "where is it", "total": len(hits), "hits": hits}
    whole = {"ok": True, "summary": f"{len(hits)} hits", "profile": "default", "_tokenEstimate": 1234, "data": data}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", repository, *arguments], capture_output=True
    ).stdout  # nothing, if it is not there
