"""Counts tokens in an environment that has tokenisers: `PYTHON -m bench.counting NAME=FILE…`, texts in, counts out.

Knows the files of tiktoken (`.tiktoken`, and Llama's of that form), Mistral's tekken, Hugging Face's `tokenizer.json`
and sentencepiece; needs tiktoken, tokenizers or sentencepiece for those. Nothing is downloaded. How tiktoken's files
cut words is not in them: it goes by the name, which is that of a family (`o200k`, `llama4`, `qwen`; else as cl100k).
"""

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path

Count = Callable[[str], int]

_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n%s]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_HUNDRED = _ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _REST % ""
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_TWO_HUNDRED = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDINGS}?|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDINGS}?"
    r"|\p{N}{1,3}" + _REST % "/"
)
_WAYS = {"o200k": _TWO_HUNDRED, "llama4": _TWO_HUNDRED, "qwen": _HUNDRED.replace("{1,3}", "")}


def counter(name: str, file: Path) -> Count:
    start = file.read_bytes()[:400]
    if file.suffix == ".json":
        return _tekken(file) if b'"config"' in start else _hugging_face(file)
    if len(parts := start.split(b"\n")[0].split()) == 2 and parts[1].isdigit():
        lines = (line.split() for line in file.read_bytes().splitlines() if line)
        return _tiktoken(name, {base64.b64decode(word): int(rank) for word, rank in lines}, _WAYS.get(name, _HUNDRED))
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(file))
    return lambda text: len(model.encode(text))


def _tiktoken(name: str, ranks: dict[bytes, int], pattern: str) -> Count:
    import tiktoken

    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def _tekken(file: Path) -> Count:
    told = json.loads(file.read_text("utf-8"))
    config = told["config"]
    words = told["vocab"][: config["default_vocab_size"] - config["default_num_special_tokens"]]
    return _tiktoken(
        "tekken", {base64.b64decode(word["token_bytes"]): word["rank"] for word in words}, config["pattern"]
    )


def _hugging_face(file: Path) -> Count:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def main() -> None:
    named = [one.partition("=") for one in sys.argv[1:]]
    counters = {name: counter(name, Path(file)) for name, _, file in named}
    for line in sys.stdin:
        text = json.loads(line)
        print(json.dumps({name: count(text) for name, count in counters.items()}), flush=True)


if __name__ == "__main__":
    main()
