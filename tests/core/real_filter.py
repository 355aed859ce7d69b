"""Runs under an engine kernel's interpreter: graphon's real ResponseStreamFilter, driven case by case.

One JSON line in is a case: a graph and a list of operations. One JSON line out is the list of what came of
each: `{"out": [[node, selector, text, final]...], "reasoning": bool, "error": class name or null, "state":
dumps() text}`. It imports graphon and the standard library only. See `real_filter_client.py` for the other
end.
"""

from __future__ import annotations

import json
import sys
import types
from datetime import datetime
from importlib.metadata import version

from graphon.enums import NodeExecutionType, NodeState
from graphon.file.models import File
from graphon.node_events.base import NodeRunResult
from graphon.nodes.base.template import Template, TextSegment, VariableSegment
from graphon.runtime.variable_pool import VariablePool

NEW = version("graphon") >= "0.8"
if NEW:
    from graphon.engine.filter import EngineEventFilterContext as Context
    from graphon.engine.filter import ResponseStreamFilter
    from graphon.engine_events import graph as graph_events
    from graphon.engine_events import node as node_events
    from graphon.engine_events import traversal
else:
    from graphon.file.runtime import set_workflow_file_runtime
    from graphon.filters import GraphEventFilterContext as Context
    from graphon.filters import ResponseStreamFilter
    from graphon.graph_events import graph as graph_events
    from graphon.graph_events import node as node_events
    from graphon.graph_events import traversal


class FileRuntime:
    """Knows remote addresses only."""

    @staticmethod
    def resolve_file_url(*, file: File, for_external: bool = True) -> str | None:
        return file.remote_url


class FilterNode:
    """As much of a graphon node as the filter asks for."""

    def __init__(self, facts: dict) -> None:
        self.id = facts["id"]
        self.node_type = facts["type"]
        self.execution_type = NodeExecutionType(facts["kind"])
        self.state = NodeState.UNKNOWN
        self.writes = {tuple(selector) for selector in facts["writes"]}

    def blocks_variable_output(self, selectors: set) -> bool:
        return bool(self.writes & selectors)


class ResponseNode(FilterNode):
    def __init__(self, facts: dict) -> None:
        super().__init__(facts)
        self.template = [
            TextSegment(text=part["text"]) if "text" in part else VariableSegment(selector=part["selector"])
            for part in facts["template"]
        ]

    def get_streaming_template(self) -> Template:
        return Template(segments=list(self.template))

    def get_streaming_text_selector(self) -> list[str]:
        return [self.id, "answer"]


class Case:
    def __init__(self, case: dict) -> None:
        seen = [n for n in case["nodes"] if not NEW or n["parent"] is None]
        nodes = {n["id"]: (ResponseNode if n["kind"] == "response" else FilterNode)(n) for n in seen}
        edges = {
            e["id"]: types.SimpleNamespace(
                id=e["id"], tail=e["source"], head=e["target"], state=NodeState.UNKNOWN
            )
            for e in case["edges"]
            if not NEW or e["parent"] is None
        }
        config = {
            "edges": [{"id": e["id"], "source": e["source"], "target": e["target"]} for e in case["edges"]]
        }
        self.nodes = nodes
        self.types = {n["id"]: n["type"] for n in case["nodes"]}
        self.pool = VariablePool()
        graph = types.SimpleNamespace(
            nodes=nodes,
            edges=edges,
            root_node=nodes[case["root"]],
            graph_config=config,
            get_outgoing_edges=lambda node: [e for e in edges.values() if e.tail == node],
        )
        state = types.SimpleNamespace(variable_pool=self.pool)
        runtime = {"file_runtime": FileRuntime()} if NEW else {}
        self.context = Context(graph=graph, runtime_state=state, **runtime)
        self.pass_unmatched = case["pass_unmatched"]
        self.saved: list[str] = []
        self.start()

    def start(self, state: str | None = None) -> None:
        self.filter = ResponseStreamFilter(pass_unmatched_chunks=self.pass_unmatched)
        if state is not None:
            self.filter.loads(state)
        self.filter.initialize(self.context)

    def do(self, operation: dict) -> dict:
        result: dict = {"out": [], "reasoning": False, "error": None}
        try:
            for event in self._do(operation):
                if isinstance(event, node_events.NodeRunStreamChunkEvent):
                    result["out"].append([event.node_id, list(event.selector), event.chunk, event.is_final])
                elif isinstance(event, node_events.NodeRunReasoningChunkEvent):
                    result["reasoning"] = True
        except Exception as error:
            result["error"] = type(error).__name__
        result["state"] = self.filter.dumps()
        return result

    def _do(self, operation: dict) -> list:
        do = operation["do"]
        if do == "set":
            self.pool.add(operation["selector"], restore(operation["value"]))
        elif do == "forget":
            self.pool.remove([operation["node"]])
        elif do == "skip":
            if operation["node"] in self.nodes:
                self.nodes[operation["node"]].state = NodeState.SKIPPED
        elif do == "save":
            self.saved.append(self.filter.dumps())
        elif do == "load":
            self.start(self.saved[operation["which"]])
        elif do == "load_text":
            self.start(operation["state"])
        elif do == "fresh":
            self.start()
        elif do == "flush":
            return list(self.filter.flush())
        else:
            return list(self.filter.on_event(real_event(operation["event"], self.types)))
        return []


def restore(value: object) -> object:
    if isinstance(value, dict):
        if value.get("dify_model_identity") == "__dify__file__":
            return File(**{key: item for key, item in value.items() if key != "dify_model_identity"})
        return {key: restore(item) for key, item in value.items()}
    return [restore(item) for item in value] if isinstance(value, list) else value


def real_event(event: dict, node_types: dict) -> object:
    kind = event["kind"]
    container = event.get("container")
    if kind == "GraphRunStarted":
        return graph_events.GraphRunStartedEvent()
    if kind in ("GraphEdgeTaken", "GraphEdgeSkipped"):
        frame = {"frame_id": "child" if container else "root"} if NEW else {}
        ends = {"source_node_id": event["source"], "target_node_id": event["target"]}
        return getattr(traversal, kind + "Event")(edge_id=event["edge"], **ends, **frame)
    common = {"id": event["xid"], "node_id": event["node"], "node_type": event["type"]}
    if container:
        old = "in_iteration_id" if node_types[container] == "iteration" else "in_loop_id"
        common["container_id" if NEW else old] = container
    now = datetime(2026, 1, 1)
    if kind in ("NodeRunStreamChunk", "NodeRunReasoningChunk"):
        stream = {
            "selector": event["selector"],
            "chunk": event["text"],
            "is_final": event.get("final", False),
        }
        return getattr(node_events, kind + "Event")(**common, **stream)
    if kind == "NodeRunStarted":
        return node_events.NodeRunStartedEvent(**common, node_title="t", start_at=now)
    if kind == "NodeRunRetry":
        return node_events.NodeRunRetryEvent(**common, node_title="t", start_at=now, error="e", retry_index=1)
    failure = {} if kind == "NodeRunSucceeded" else {"error": "e"}
    return getattr(node_events, kind + "Event")(
        **common, start_at=now, node_run_result=NodeRunResult(), **failure
    )


def main() -> None:
    if not NEW:
        set_workflow_file_runtime(FileRuntime())
    print(json.dumps({"graphon": version("graphon")}), flush=True)
    for line in sys.stdin:
        case = json.loads(line)
        driver = Case(case)
        print(json.dumps([driver.do(operation) for operation in case["operations"]]), flush=True)


if __name__ == "__main__":
    main()
