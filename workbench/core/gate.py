"""The stream gate in plain Python: what graphon's `ResponseStreamFilter` lets through, and why.

A `Gate` is fed the raw engine events of a run (EVENT of kernels/PROTOCOL.md) and answers with the chunks
that a chat user sees. It reads the live variables and the skipped nodes of its owner, as the real filter
does. A gate that starts fresh decides by reachability; a gate made from a saved state keeps that state's
own lists, which may be stale.

Rules: graphon 0.8 `engine/filter/builtin/response_stream/filter.py`; the file of 0.5 to 0.7 differs only in
its scope. Proved against the real filter of every engine kernel by tests/core/test_gate_against_graphon.py.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from copy import copy
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_OID, uuid5

from workbench.core import gate_state
from workbench.core.blocking import Scope, scope_of
from workbench.core.gate_state import Buffered, GateState, Session
from workbench.core.graph import Graph, Selector, Text
from workbench.core.opening import Opening
from workbench.core.pool import Pool


class Chunk(NamedTuple):
    """A piece of text that the filter let through.

    Attributes:
        node: the node it is attributed to: the streaming node, or the Answer for its own words.
        final: graphon's `is_final`.
        answer: the response node in whose turn it was streamed; "" for a chunk that no response node asked
            for.
    """

    node: str
    selector: Selector
    text: str
    final: bool
    answer: str = ""


class StreamClosedError(ValueError):
    """A node streamed again although its stream had ended. graphon raises; the stream is dead from there."""

    def __init__(self, selector: Selector) -> None:
        super().__init__(f"Stream {'.'.join(selector)} is already closed")
        self.selector = selector


class Gate:
    """One filter. Mutable on purpose, and owned by one caller.

    Args:
        graph: the app's graph (its root scope is taken), or a `Scope` that several gates share.
        pool: the variables, read at each flush; the caller keeps them up to date.
        skipped: the ids of skipped nodes, live.
        dump: a saved state (the filter's own keys, edge ids of the DSL) to go on from; None for a fresh
            filter.
        pass_unmatched: also let through chunks that no response node asks for (graphon's
            `pass_unmatched_chunks`).

    Raises:
        BadInputError: the saved state does not fit the graph or is not one.
    """

    def __init__(
        self,
        graph: Graph | Scope,
        pool: Pool,
        *,
        skipped: Container[str] = frozenset(),
        dump: Mapping[str, Any] | None = None,
        pass_unmatched: bool = False,
    ) -> None:
        self.scope: Final = graph if isinstance(graph, Scope) else scope_of(graph)
        self.pool = pool
        self.skipped = skipped
        self.pass_unmatched = pass_unmatched
        self.state: GateState = (
            gate_state.fresh(self.scope) if dump is None else gate_state.read(dump, self.scope)
        )
        self.invented: set[str] = set()
        self._wanted = {selector for r in self.state.responses for selector in self.scope.selectors(r)}
        self.opening = Opening(self.scope, self.state)

    def _unlock(self) -> list[Chunk]:
        out: list[Chunk] = []
        for response in self.opening.take_open():
            session = self.state.pending.pop(response, None)
            if session is None:
                continue
            if self.state.active is None:
                self.state.active = session
                out += self.flush()
            else:
                self.state.waiting.append(session)
        return out

    # Events.

    def feed(self, event: Mapping[str, Any]) -> list[Chunk]:
        """What one raw event lets through.

        Raises:
            StreamClosedError: as the real filter does; it changes nothing, and the stream is dead from
                here.
        """
        handler = _HANDLERS.get(event["kind"])
        return handler(self, event) if handler is not None else []

    def _run_started(self, _: Mapping[str, Any]) -> list[Chunk]:
        return self._unlock() if self.opening.open else []

    def _node_started(self, event: Mapping[str, Any]) -> list[Chunk]:
        self.state.ids[event["node"]] = event["xid"]
        self.invented.discard(event["node"])
        return []

    def _edge_taken(self, event: Mapping[str, Any]) -> list[Chunk]:
        if event.get("container") and not self.scope.whole:
            return []
        self.opening.take(event["edge"])
        return self._unlock() if self.opening.open else []

    def _chunk(self, event: Mapping[str, Any]) -> list[Chunk]:
        selector = tuple(event["selector"])
        if selector not in self._wanted:
            return [_passed(event, selector, "")] if self.pass_unmatched else []
        if selector in self.state.closed:
            raise StreamClosedError(selector)
        buffer = self.state.buffers.get(selector)
        if buffer is None:
            self.state.buffers[selector] = buffer = []
            self.state.positions[selector] = 0
        buffer.append(self._buffered(event))
        if event.get("final"):
            self.state.closed.add(selector)
        return self.flush() if self.state.active is not None else []

    def _finished(self, _: Mapping[str, Any]) -> list[Chunk]:
        return self.flush() if self.state.active is not None else []

    def _buffered(self, event: Mapping[str, Any]) -> Buffered:
        node = event["node"]
        whole = self.scope.graph.nodes
        buffered: Buffered = {
            "id": event.get("xid", ""),
            "node_id": node,
            "node_type": whole[node].type if node in whole else "",
            "selector": list(event["selector"]),
            "chunk": event.get("text", ""),
            "is_final": bool(event.get("final")),
        }
        if container := event.get("container"):
            if not self.scope.whole:
                buffered["container_id"] = container
            elif container in whole and whole[container].type == "iteration":
                buffered["in_iteration_id"] = container
            else:
                buffered["in_loop_id"] = container
        return buffered

    def reasoning_visible(self, event: Mapping[str, Any]) -> bool:
        """Is this NodeRunReasoningChunk let through? Only for a response node that has been reached."""
        node = event["node"]
        source = (node, "reasoning_content")
        if tuple(event["selector"]) != source or node not in self.scope.nodes or node in self.skipped:
            return False
        reached = [self.state.active, *self.state.waiting] if self.state.active else self.state.waiting
        return any(
            selector[:2] in (source, (node, "text"))
            for session in reached
            if session is not None
            for selector in self.scope.selectors(session.node_id)
        )

    # Streaming.

    def flush(self) -> list[Chunk]:
        """Stream as far as the active response node, and those that wait behind it, can go now."""
        out: list[Chunk] = []
        state = self.state
        while (session := state.active) is not None:
            template = self.scope.nodes[session.node_id].template
            while session.index < len(template):
                part = template[session.index]
                last = session.index == len(template) - 1
                if isinstance(part, Text):
                    out.append(self._own_words(session, part.text, last))
                elif not (part.selector and self._is_skipped(part.selector[0])):
                    complete = self._variable(part.selector, session, last, out)
                    if not complete:
                        break
                session.index += 1
            if session.index < len(template):
                break
            state.active = state.waiting.pop(0) if state.waiting else None
        return out

    def _is_skipped(self, node: str) -> bool:
        return node in self.skipped and node in self.scope.nodes

    def _own_words(self, session: Session, text: str, last: bool) -> Chunk:
        node = self.scope.nodes[session.node_id]
        self._execution_id(node.id)
        return Chunk(node.id, node.text_selector or (node.id, "answer"), text, last, node.id)

    def _variable(self, selector: Selector, session: Session, last: bool, out: list[Chunk]) -> bool:
        """Stream what there is of one variable; True when the template may go on behind it."""
        state, response = self.state, session.node_id
        source = selector[0] if selector else ""
        foreign = source not in self.scope.nodes
        owner = response if foreign else source
        self._execution_id(owner)
        buffer = state.buffers.get(selector)
        if buffer is not None:
            position = state.positions.get(selector, 0)
            for event in buffer[position:]:
                chunk = _passed_buffered(event, response)
                out.append(chunk._replace(node=response) if foreign else chunk)
            state.positions[selector] = max(position, len(buffer))
        if selector in state.closed:
            return True
        if buffer is not None:
            return False
        text = self.pool.markdown(selector)
        if text is None:
            return False
        out.append(Chunk(owner, selector, text, last, response))
        return True

    def _execution_id(self, node: str) -> None:
        """Invent the execution id of a node that has not started. graphon's is random, ours repeatable."""
        if node not in self.state.ids:
            self.state.ids[node] = str(uuid5(NAMESPACE_OID, f"workbench:{node}"))
            self.invented.add(node)

    # Saving and copying.

    @property
    def version(self) -> str:
        """The filter version that an engine with this scope writes."""
        return "1.0" if self.scope.whole else "2.0"

    def dump(self, version: str | None = None, *, full_events: bool = False) -> dict[str, Any]:
        """What the filter's `dumps()` says, as JSON values; see `gate_state.write`."""
        return gate_state.write(self.state, self.scope, version or self.version, full_events=full_events)

    def clone(self, pool: Pool, skipped: Container[str]) -> Gate:
        """An independent copy that reads another owner's variables and skipped nodes."""
        twin = copy(self)
        twin.pool, twin.skipped = pool, skipped
        twin.state = gate_state.copy_of(self.state)
        twin.invented = set(self.invented)
        twin.opening = self.opening.clone(twin.state)
        return twin


def _passed(event: Mapping[str, Any], selector: Selector, answer: str) -> Chunk:
    return Chunk(event["node"], selector, event.get("text", ""), bool(event.get("final")), answer)


def _passed_buffered(event: Buffered, answer: str) -> Chunk:
    return Chunk(event["node_id"], tuple(event["selector"]), event["chunk"], event["is_final"], answer)


_HANDLERS: Final[Mapping[str, Callable[[Gate, Mapping[str, Any]], list[Chunk]]]] = {
    "GraphRunStarted": Gate._run_started,
    "NodeRunStarted": Gate._node_started,
    "NodeRunRetry": Gate._node_started,
    "NodeRunStreamChunk": Gate._chunk,
    "GraphEdgeTaken": Gate._edge_taken,
    "NodeRunSucceeded": Gate._finished,
    "NodeRunException": Gate._finished,
}
