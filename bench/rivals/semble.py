"""semble, asked with or without its vectors: `SEMBLE_TABLE` names a table of vectors, as model2vec or we keep one.

Its own table is downloaded at first use. Where there is none, a table of nothing stands in for it and all the weight
is given to its BM25 (alpha 0): its chunks, its BM25 and its re-ranking work as always.
"""

import os
from pathlib import Path

import numpy as np
from model2vec import StaticModel
from semble import SembleIndex
from tokenizers import BertWordPieceTokenizer, Tokenizer
from tokenizers.models import WordLevel

from bench.rivals.talk import Found, Ready, serve

OURS = "table.npy"  # beside its vocab.txt: what bench.static_table makes


def prepare(root: Path, scratch: Path) -> Ready:
    table = os.environ.get("SEMBLE_TABLE", "")
    if table and (Path(table) / OURS).exists():
        model, note = (
            _ours(Path(table), scratch / "model"),
            "a table made of MiniLM's vocabulary; its own model cannot be had offline",
        )
    elif table:
        model, note = Path(table), "table of vectors as given"
    else:
        model, note = _nothing(scratch / "model"), "its BM25 and re-ranking alone"
    alpha = None if table else 0.0
    index = SembleIndex.from_path(root, model_path=str(model))
    kept = scratch / "index"
    index.save(kept)

    def ask(query: str, limit: int) -> list[Found]:
        chunks = [hit.chunk for hit in index.search(query, top_k=limit, alpha=alpha)]
        return [Found(chunk.file_path, chunk.start_line, chunk.end_line) for chunk in chunks]

    return Ready(ask, (kept,), note)


def _ours(table: Path, into: Path) -> Path:
    cut = BertWordPieceTokenizer(str(table / "vocab.txt"), lowercase=True)
    cut.post_processor = None
    model = StaticModel(np.load(table / OURS), cut._tokenizer, normalize=True)
    model.save_pretrained(into)
    return into


def _nothing(into: Path) -> Path:
    words = Tokenizer(WordLevel({"[UNK]": 0, "nothing": 1}, unk_token="[UNK]"))
    StaticModel(np.ones((2, 2), np.float32), words).save_pretrained(into)
    return into


if __name__ == "__main__":
    serve(prepare)
