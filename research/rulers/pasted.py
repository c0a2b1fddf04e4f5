"""Whether a message that somebody pastes finds the code that writes it: `python -m research.rulers.pasted --repo PATH`.

Messages of errors and warnings that stand once in a checkout, outside of tests, documents and examples; what they are
filled with is replaced by a word, as somebody would see it.
"""

import argparse
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from bench import copies

from clew.engine import Engine
from clew.model.search import Hit, Query
from clew.text.paths import is_test_path

SEED, LOOKED_AT, LEAST_WORDS = 4, 5, 3
_TEXT = r"[`'\"]([^`'\"\n]{12,120})[`'\"]"
MESSAGES = {
    "go": rf"(?:errors\.New|Errorf|Fatalf?|Warnf?)\(\s*{_TEXT}",
    "java": rf"Exception\(\s*{_TEXT}",
    "javascript": rf"(?:Error|warn)\(\s*{_TEXT}",
    "python": rf"(?:Error|Exception|Warning|warn)\(\s*f?{_TEXT}",
    "ruby": rf"(?:raise \w+, |warn |abort |MSG = ){_TEXT}",
    "rust": rf"(?:panic!|expect|bail!|anyhow!)\(\s*{_TEXT}",
}
_ALIKE = {"typescript": "javascript", "tsx": "javascript"}
_FILLED = re.compile(r"\$?\{[^}]*\}|#\{[^}]*\}|%[-\d.]*[a-z]")
_ASIDE = re.compile(r"(?:^|/)(?:examples?|docs?|bench\w*|specs?)/")


class Message(NamedTuple):
    text: str
    path: str
    line: int

    def is_in(self, hit: Hit) -> bool:
        return hit.path == self.path and hit.first_line <= self.line <= hit.last_line


def main() -> None:
    parser = argparse.ArgumentParser(prog="research.rulers.pasted", description=__doc__)
    parser.add_argument("--repo", type=Path, nargs="+", required=True, help="Checkouts; copied, never touched.")
    parser.add_argument("--messages", type=int, default=60, help="Of each.")
    options = parser.parse_args()
    print("messages, those whose code comes first, is among five:")
    for checkout in options.repo:
        with copies.indexed(checkout) as engine:
            some = _messages(engine, options.messages)
            ranks = [_rank(engine, one) for one in some]
        print(f"  {checkout.name:24s} {len(some):4d} {ranks.count(1):4d} {sum(map(bool, ranks)):4d}", flush=True)


def _messages(engine: Engine, most: int) -> list[Message]:
    by_text = defaultdict(list)
    for content in engine.files.contents():
        pattern = MESSAGES.get(_ALIKE.get(content.language, content.language))
        if pattern is None or is_test_path(content.path) or _ASIDE.search(content.path):
            continue
        source = engine.files.text(content.text).decode("utf-8", "replace")
        for match in re.finditer(pattern, source):
            text = _FILLED.sub("foo", match[1]).replace("\\", "")
            by_text[text].append(Message(text, content.path, source.count("\n", 0, match.start(1)) + 1))
    found = sorted(one for text, (one, *more) in by_text.items() if not more and len(text.split()) >= LEAST_WORDS)
    return random.Random(SEED).sample(found, min(most, len(found)))


def _rank(engine: Engine, message: Message) -> int:
    """Of the first hit that has it; 0 if there is none."""
    hits = engine.search(Query(f"Error: {message.text}", LOOKED_AT)).hits
    return next((rank for rank, hit in enumerate(hits, 1) if message.is_in(hit)), 0)


if __name__ == "__main__":
    main()
