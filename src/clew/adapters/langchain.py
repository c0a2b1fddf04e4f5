"""A retriever for LangChain (`pip install clew[langchain]`)."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

import clew
from clew.tools.context import ContextHit


class ClewRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]  # untyped where the package is not installed
    """Finds code and text of an indexed project; each document is a whole unit with its place and the reason."""

    path: str = "."
    k: int = 8

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        with clew.open(self.path, read_only=True) as project:
            hits = project.query_context(query, k=self.k).hits
        return [Document(page_content=one.snippet, metadata=_metadata(one)) for one in hits]


def _metadata(hit: ContextHit) -> dict[str, Any]:
    return {
        "source": hit.file_path,
        "first_line": hit.first_line,
        "last_line": hit.last_line,
        "symbol": hit.label,
        "reason": "; ".join(one.detail for one in hit.reasons),
        "score": hit.score,
    }
