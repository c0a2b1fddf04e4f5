"""A client of the service graph over MCP that never stops its caller.

If it is switched off, or if a call fails, each method returns the empty result of its tool with the reason in
`error`, so that a pipeline goes on without the graph.
"""

import json
import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import anyio

log = logging.getLogger(__name__)

Answer = dict[str, Any]
ATTEMPTS = 3  # of a call whose connection fails
WAIT_SECONDS = 0.2  # before the second attempt; then twice as long each time
TRANSIENT = (ConnectionError, TimeoutError, OSError, anyio.ClosedResourceError, anyio.BrokenResourceError)

_EMPTY: Mapping[str, Answer] = {
    "build_knowledge_graph": {
        "success": False,
        "node_count": 0,
        "edge_count": 0,
        "node_types": {},
        "edge_types": {},
        "community_count": 0,
        "build_time_ms": 0,
        "services_indexed": [],
        "errors": [],
    },
    "get_service_context": {
        "service_name": "",
        "provided_endpoints": [],
        "consumed_endpoints": [],
        "events_published": [],
        "events_consumed": [],
        "owned_entities": [],
        "referenced_entities": [],
        "depends_on": [],
        "depended_on_by": [],
        "context_text": "",
    },
    "query_graph_neighborhood": {
        "center_node": {},
        "nodes": [],
        "edges": [],
        "total_nodes_in_neighborhood": 0,
        "truncated": False,
    },
    "hybrid_search": {"results": [], "query": "", "anchor_node_id": ""},
    "find_cross_service_impact": {
        "source_node": "",
        "source_service": "",
        "impacted_services": [],
        "impacted_contracts": [],
        "impacted_entities": [],
        "total_impacted_nodes": 0,
    },
    "validate_service_boundaries": {
        "communities_detected": 0,
        "services_declared": 0,
        "alignment_score": 1.0,
        "misplaced_files": [],
        "isolated_files": [],
        "service_coupling": [],
    },
    "check_cross_service_events": {
        "orphaned_events": [],
        "unmatched_consumers": [],
        "matched_events": [],
        "total_events": 0,
        "match_rate": 1.0,
    },
}


class ToolSession(Protocol):
    """The part of an MCP client session that is used here."""

    async def call_tool(self, name: str, arguments: Answer, /) -> Any: ...


class ServiceGraphClient:
    """The seven tools of the service graph over one session; without a session, or switched off, all are empty."""

    def __init__(self, session: ToolSession | None, *, enabled: bool = True) -> None:
        self._session = session
        self._enabled = enabled

    @property
    def is_available(self) -> bool:
        return self._enabled and self._session is not None

    async def build_knowledge_graph(
        self, project_name: str = "", force_rebuild: bool = True, inputs: Mapping[str, str] = MappingProxyType({})
    ) -> Answer:
        """`inputs` are those of the tool by their names, such as `service_interfaces_json`."""
        arguments = {"project_name": project_name, "force_rebuild": force_rebuild, **inputs}
        return await self._call("build_knowledge_graph", arguments)

    async def get_service_context(self, service_name: str, **options: Any) -> Answer:
        return await self._call("get_service_context", {"service_name": service_name, **options})

    async def query_graph_neighborhood(self, node_id: str, **options: Any) -> Answer:
        return await self._call("query_graph_neighborhood", {"node_id": node_id, **options})

    async def hybrid_search(self, query: str, **options: Any) -> Answer:
        return await self._call("hybrid_search", {"query": query, **options})

    async def find_cross_service_impact(self, node_id: str, max_depth: int = 3) -> Answer:
        return await self._call("find_cross_service_impact", {"node_id": node_id, "max_depth": max_depth})

    async def validate_service_boundaries(self, resolution: float = 1.0) -> Answer:
        return await self._call("validate_service_boundaries", {"resolution": resolution})

    async def check_cross_service_events(self, service_name: str = "") -> Answer:
        return await self._call("check_cross_service_events", {"service_name": service_name})

    async def contexts(self, inputs: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        """Build the graph, and the context text of each service by its name; empty if anything is missing."""
        built = await self.build_knowledge_graph(inputs=inputs)
        found = {}
        for name in built["services_indexed"]:
            if text := (await self.get_service_context(name))["context_text"]:
                found[name] = text
        return found

    async def _call(self, tool: str, arguments: Answer) -> Answer:
        if self._session is None or not self._enabled:
            return self._without(tool, arguments, "the service graph is disabled")
        wait = WAIT_SECONDS
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._read_answer(
                    tool, arguments, await self._session.call_tool(tool, {**arguments, "profile": "debug"})
                )
            except TRANSIENT as error:
                reason = f"{type(error).__name__}: {error}"
                if attempt < ATTEMPTS:
                    await anyio.sleep(wait)
                    wait *= 2
            except Exception as error:  # noqa: BLE001 - whatever fails, the caller's work goes on without the graph
                reason = f"{type(error).__name__}: {error}"
                break
        return self._without(tool, arguments, reason)

    def _read_answer(self, tool: str, arguments: Answer, result: Any) -> Answer:
        texts = [part.text for part in result.content if getattr(part, "text", None)]
        envelope = json.loads(texts[0]) if texts else {}
        if not envelope.get("ok", False):
            return self._without(tool, arguments, str(envelope.get("summary") or "no answer"))
        found: Answer = {**_EMPTY[tool], **envelope["data"]}
        return found

    @staticmethod
    def _without(tool: str, arguments: Answer, reason: str) -> Answer:
        log.warning("%s gives nothing: %s", tool, reason)
        given = {name: arguments[name] for name in ("service_name", "query", "anchor_node_id") if name in arguments}
        known = {name: value for name, value in given.items() if name in _EMPTY[tool]}
        empty = json.loads(json.dumps(_EMPTY[tool]))
        if tool == "build_knowledge_graph":
            empty["errors"] = [reason]
        return {**empty, **known, "error": reason}
