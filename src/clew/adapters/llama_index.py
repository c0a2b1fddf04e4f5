"""A retriever for LlamaIndex (`pip install clew[llama-index]`)."""

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

import clew


class ClewIndexRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]  # untyped where the package is missing
    """Finds code and text of an indexed project; each node is a whole unit with its place and the reason."""

    def __init__(self, path: str = ".", k: int = 8) -> None:
        self._path = path
        self._k = k
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with clew.open(self._path, read_only=True) as project:
            hits = project.query_context(query_bundle.query_str, k=self._k).hits
        return [
            NodeWithScore(
                node=TextNode(
                    text=one.snippet,
                    metadata={
                        "file_path": one.file_path,
                        "first_line": one.first_line,
                        "last_line": one.last_line,
                        "symbol": one.label,
                        "reason": "; ".join(reason.detail for reason in one.reasons),
                    },
                ),
                score=one.score,
            )
            for one in hits
        ]
