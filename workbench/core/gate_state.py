"""The state of a stream gate and its saved form: the keys of `ResponseStreamFilter.dumps()`, versions 1.0
and 2.0.

Edge ids are the DSL's own everywhere; whoever reads or writes a file of graphon 0.5 to 0.7 translates
`edge_N`. Rules: graphon 0.8 `engine/filter/builtin/response_stream/{filter,snapshot,v1,v2}.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.core.blocking import Scope
from workbench.core.graph import Selector
from workbench.core.path_lists import MOST_BITS, path_count, path_lists, power_of_ten
from workbench.errors import BadInputError
from workbench.records.usage import NO_USAGE

TYPE: Final = "ResponseStreamFilter"
_OLD_PLACE: Final = ("in_iteration_id", "in_loop_id")
"""Where an event comes from in a 1.0 state; graphon 0.8 (`container_id`) does not carry it over."""

Buffered = dict[str, Any]
"""A buffered chunk event under graphon's own field names (`id`, `node_id`, `selector`, `chunk`, `is_final`,
...).
"""


@dataclass(slots=True)
class Session:
    """Where the filter is in one response node's template; `index` is the next segment."""

    node_id: str
    index: int = 0

    def saved(self) -> dict[str, Any]:
        return {"node_id": self.node_id, "index": self.index}


@dataclass(slots=True)
class GateState:
    """All that a filter knows. While reachability decides, `lists` is None and `taken` is in use."""

    responses: list[str]
    active: Session | None = None
    waiting: list[Session] = field(default_factory=list)
    pending: dict[str, Session] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    buffers: dict[Selector, list[Buffered]] = field(default_factory=dict)
    positions: dict[Selector, int] = field(default_factory=dict)
    closed: set[Selector] = field(default_factory=set)
    lists: dict[str, list[list[str]]] | None = None
    taken: set[str] = field(default_factory=set)


def fresh(scope: Scope) -> GateState:
    """A filter that has just been initialised: every response node is locked."""
    return GateState(responses=list(scope.responses), pending={r: Session(r) for r in scope.responses})


def copy_of(state: GateState) -> GateState:
    """An independent copy; buffered events are shared, they never change."""
    return GateState(
        responses=list(state.responses),
        active=copy(state.active),
        waiting=[copy(session) for session in state.waiting],
        pending={r: copy(session) for r, session in state.pending.items()},
        ids=dict(state.ids),
        buffers={selector: list(events) for selector, events in state.buffers.items()},
        positions=dict(state.positions),
        closed=set(state.closed),
        lists=None
        if state.lists is None
        else {r: [list(p) for p in listed] for r, listed in state.lists.items()},
        taken=set(state.taken),
    )


def read(dump: Mapping[str, Any], scope: Scope) -> GateState:
    """A saved state, bound to a graph. A 1.0 state under a root scope is migrated as graphon 0.8 does.

    Raises:
        BadInputError: a key has the wrong shape, or a session names a node that is no response node of this
            graph.
    """
    try:
        state = _read(dump)
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise BadInputError(
            "The stream-filter state can't be read",
            f"a key is missing or has the wrong shape: {error}",
            "Export the state again, or resume with a fresh gate.",
        ) from error
    if str(dump.get("version", "")).startswith("1") and not scope.whole:
        _narrow(state, scope)
    sessions = [*state.waiting, *state.pending.values(), *([state.active] if state.active else [])]
    for node_id in [session.node_id for session in sessions] + [
        r for r in state.responses if r in scope.nodes
    ]:
        if node_id not in scope.nodes or scope.nodes[node_id].kind != "response":
            raise BadInputError(
                "The stream-filter state does not fit the app",
                f"it names the response node {node_id!r}, which the app's root graph does not have",
                "Use the app as it was when the run paused, or resume with a fresh gate.",
            )
    return state


def _read(dump: Mapping[str, Any]) -> GateState:
    paths = dump.get("paths_map", {})
    active = dump.get("active_session")
    state = GateState(
        responses=sorted({_text(r) for r in dump.get("response_nodes", ())}),
        active=_session(active) if active else None,
        waiting=[_session(s) for s in dump.get("waiting_sessions", ())],
        pending={s["node_id"]: _session(s) for s in dump.get("pending_sessions", ())},
        ids={_text(node): _text(xid) for node, xid in dump.get("node_execution_ids", {}).items()},
        buffers={
            tuple(b["selector"]): [_event(e) for e in b.get("events", ())]
            for b in dump.get("stream_buffers", ())
        },
        positions={tuple(p["selector"]): int(p.get("position", 0)) for p in dump.get("stream_positions", ())},
        closed={tuple(selector) for selector in dump.get("closed_streams", ())},
    )
    if paths is None:
        state.taken = {_text(edge) for edge in dump.get("taken_edges", ())}
    else:
        state.lists = {_text(r): [[_text(e) for e in path] for path in listed] for r, listed in paths.items()}
    for selector in state.buffers:
        state.positions.setdefault(selector, 0)
    return state


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a text, found {value!r}")
    return value


def _event(saved: Mapping[str, Any]) -> Buffered:
    for key in ("id", "node_id", "chunk"):
        _text(saved[key])
    return {**saved, "selector": list(saved["selector"]), "is_final": bool(saved.get("is_final", False))}


def _session(saved: Mapping[str, Any]) -> Session:
    index = saved.get("index", 0)
    if not isinstance(index, int) or index < 0:
        raise ValueError(f"a session's index is {index!r}")
    return Session(_text(saved["node_id"]), index)


def _narrow(state: GateState, scope: Scope) -> None:
    """Restrict a 1.0 state, which knew the whole graph, to the root graph (graphon 0.8 `v1.for_graph`)."""
    roots = set(scope.responses)
    if state.lists is not None:
        state.lists = {r: listed for r, listed in state.lists.items() if r in roots}
        for edge in (edge for listed in state.lists.values() for path in listed for edge in path):
            if edge not in scope.edges:
                raise BadInputError(
                    "The stream-filter state does not fit the app",
                    f"it names the edge {edge!r}, which the app's root graph does not have",
                    "Use the app as it was when the run paused, or resume with a fresh gate.",
                )
    if state.active is not None and state.active.node_id not in roots:
        state.active = None
    state.waiting = [s for s in state.waiting if s.node_id in roots]
    if state.active is None and state.waiting:
        state.active = state.waiting.pop(0)
    wanted = {selector for r in roots for selector in scope.selectors(r)}
    state.responses = [r for r in state.responses if r in roots]
    state.pending = {r: s for r, s in state.pending.items() if r in roots}
    state.ids = {node: xid for node, xid in state.ids.items() if node in scope.nodes}
    state.buffers = {
        s: [{key: value for key, value in event.items() if key not in _OLD_PLACE} for event in events]
        for s, events in state.buffers.items()
        if s in wanted
    }
    state.positions = {s: position for s, position in state.positions.items() if s in wanted}
    state.closed &= wanted


def write(state: GateState, scope: Scope, version: str, *, full_events: bool = False) -> dict[str, Any]:
    """The filter's own keys, in its own order.

    Where a response node has too many paths to list, `paths_map` is null and two keys of ours stand beside
    it: `paths_count` (the number of paths over all response nodes) and `taken_edges`, so that the state can
    be read again.

    Args:
        full_events: write buffered events with all of graphon's fields, not only those that differ from the
            default.
    """
    paths = _paths(state, scope)
    dump: dict[str, Any] = {
        "type": TYPE,
        "version": version,
        "response_nodes": sorted(state.responses),
        "active_session": state.active.saved() if state.active else None,
        "waiting_sessions": [session.saved() for session in state.waiting],
        "pending_sessions": [session.saved() for _, session in sorted(state.pending.items())],
        "node_execution_ids": dict(sorted(state.ids.items())),
        "paths_map": paths,
        "stream_buffers": [
            {
                "selector": list(s),
                "events": [_full(e, version) for e in events] if full_events else list(events),
            }
            for s, events in sorted(state.buffers.items())
        ],
        "stream_positions": [
            {"selector": list(s), "position": p} for s, p in sorted(state.positions.items())
        ],
        "closed_streams": [list(selector) for selector in sorted(state.closed)],
    }
    if paths is None:
        count = sum(path_count(scope, r) for r in state.responses if r in scope.nodes)
        dump["paths_count"] = count if count.bit_length() <= MOST_BITS else power_of_ten(count)
        dump["taken_edges"] = sorted(state.taken)
    return dump


def _paths(state: GateState, scope: Scope) -> dict[str, list[list[str]]] | None:
    if state.lists is not None:
        return {r: [list(path) for path in listed] for r, listed in sorted(state.lists.items())}
    paths = {}
    for response in state.responses:
        listed = path_lists(scope, response)
        if listed is None:
            return None
        paths[response] = [[edge for edge in path if edge not in state.taken] for path in listed]
    return paths


def _full(event: Buffered, version: str) -> dict[str, Any]:
    whole: dict[str, Any] = {"container_id": ""} if version.startswith("2") else {}
    whole |= {key: event.get(key, "") for key in ("id", "node_id", "node_type")}
    if not version.startswith("2"):
        whole |= {"in_iteration_id": None, "in_loop_id": None}
    whole |= {"node_version": "1", "node_run_result": deepcopy(_NO_RESULT)}
    whole |= {"selector": [], "chunk": "", "is_final": False}
    return whole | event


_NO_RESULT: Final[Mapping[str, Any]] = {
    "status": "pending",
    "inputs": {},
    "process_data": {},
    "outputs": {},
    "metadata": {},
    "llm_usage": dict(NO_USAGE),
    "edge_source_handle": "source",
    "error": "",
    "error_type": "",
    "retry_index": 0,
}
