"""The gate as saved: what ResponseStreamFilter.dumps() writes (1.0: graphon 0.5 to 0.7, 2.0: 0.8), and the
`response_coordinator` of Dify 1.13 and 1.14, which has the same fields.

`data` always has the filter's own keys in their right shapes: what is missing or damaged is filled by the
default that graphon's loader takes, and named in `notes`. The text is kept untouched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import STATE_LIMIT, check_size, parse_json
from workbench.records.shapes import STATE_VALUES, Notes, Shape, kind_of, mappings, top_mapping

FILTER = "ResponseStreamFilter"
COORDINATOR = "ResponseStreamCoordinator"
TYPES = (FILTER, COORDINATOR)
WHAT = "a gate state (graphon's ResponseStreamFilter)"

TAKEN = "taken_edges"
"""Ours: the taken edges, in a gate whose paths are too many to list (`paths_map` null, `paths_count`)."""

KEYS = (
    "response_nodes",
    "active_session",
    "waiting_sessions",
    "pending_sessions",
    "node_execution_ids",
    "paths_map",
    "stream_buffers",
    "stream_positions",
    "closed_streams",
)


@dataclass(frozen=True)
class GateState:
    """A saved gate.

    Attributes:
        type: "ResponseStreamFilter" or, in states of Dify 1.13 and 1.14, "ResponseStreamCoordinator".
        data: the filter's own keys, in shape; `paths_map` is None where the paths were too many to list.
        notes: what was missing or damaged, one sentence each.
    """

    version: str
    type: str
    text: str = field(repr=False)
    data: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def has_positional_edges(self) -> bool:
        """Whether edge ids are graphon's own ("edge_3")."""
        return self.version == "1.0"


def read_gate_state(text: str, source: str = "gate state") -> GateState:
    """Read a saved gate of any version.

    Raises:
        BadInputError: it is no JSON, too large, or no gate at all.
    """
    check_size(len(text), source, STATE_LIMIT)
    data = top_mapping(parse_json(text, source, max_values=STATE_VALUES), source, WHAT)
    kind = data.get("type")
    if kind not in TYPES and len(data.keys() & set(KEYS)) < 3:
        raise BadInputError(
            f"{source} is not {WHAT}",
            f"Its type is {kind!r}; {FILTER!r} is expected." if kind else f"It has no type {FILTER!r}.",
            "`workbench import` tells what a file is.",
        )
    notes = Notes()
    shape = Shape(data, "gate", notes)
    version = shape.text("version") or "1.0"
    if version not in {"1.0", "2.0"}:
        shape.note(f"Version {version} is not known; it is read like 2.0")
    return GateState(
        version, kind if isinstance(kind, str) else FILTER, text, dict(data) | _in_shape(shape), notes.told()
    )


def edge_names(edges: Sequence[Any]) -> dict[str, str]:
    """graphon's positional edge ids and the DSL's: {"edge_3": "1718-source-1719"}.

    Args:
        edges: the `edges` of the app's graph, in its order.

    graphon 0.5 to 0.7, Graph._build_edges: N counts the entries whose source and target are texts, also those
    that are then left out because their sourceHandle is none.
    """
    valid = [
        edge
        for edge in edges
        if isinstance(edge, Mapping)
        and isinstance(edge.get("source"), str)
        and isinstance(edge.get("target"), str)
    ]
    return {f"edge_{n}": str(edge.get("id") or f"edge_{n}") for n, edge in enumerate(valid)}


def translate_edges(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A gate's `data` with edge ids renamed in all paths; ids that `names` does not know stay."""
    changed: dict[str, Any] = {}
    if isinstance(paths := data.get("paths_map"), Mapping):
        changed["paths_map"] = {
            node: [[names.get(edge, edge) for edge in path] for path in alternatives]
            for node, alternatives in paths.items()
        }
    if TAKEN in data:
        changed[TAKEN] = [names.get(edge, edge) for edge in data[TAKEN]]
    return dict(data) | changed


def gate_text(data: Mapping[str, Any], names: Mapping[str, str] | None) -> str:
    """A gate whose edge ids are the DSL's, as graphon's filter writes it.

    Args:
        names: the app's edges by graphon's positional ids (`edge_names`), for version 1.0 (graphon 0.5 to
            0.7); None writes version 2.0.
    """
    if names is None:
        return json.dumps({**data, "version": "2.0"}, separators=(",", ":"))
    positional = translate_edges(data, {dsl: number for number, dsl in names.items()})
    return json.dumps({**positional, "version": "1.0"}, separators=(",", ":"))


def unknown_edges(data: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, ...]:
    """Edge ids in a gate's paths that `known` does not have: the graph is not the one that was saved."""
    paths = data.get("paths_map") or {}
    found = (edge for alternatives in paths.values() for path in alternatives for edge in path)
    return tuple(dict.fromkeys(edge for edge in found if edge not in known))


def _in_shape(shape: Shape) -> dict[str, Any]:
    notes = shape.notes
    return {
        "response_nodes": list(shape.names("response_nodes", needed=False)),
        "active_session": _active(shape),
        "waiting_sessions": _sessions(shape, "waiting_sessions"),
        "pending_sessions": _sessions(shape, "pending_sessions"),
        "node_execution_ids": shape.texts("node_execution_ids", needed=False),
        "paths_map": _paths(shape),
        "stream_buffers": [
            dict(buffer, selector=selector, events=_events(buffer, selector, notes))
            for buffer, selector in _by_selector(shape, "stream_buffers")
        ],
        "stream_positions": [
            dict(
                entry, selector=selector, position=Shape(entry, "stream_positions", notes).integer("position")
            )
            for entry, selector in _by_selector(shape, "stream_positions")
        ],
        **({TAKEN: list(shape.names(TAKEN))} if TAKEN in shape.data else {}),
        "closed_streams": [
            selector for selector in map(_selector, shape.items("closed_streams", needed=False)) if selector
        ],
    }


def _active(shape: Shape) -> dict[str, Any] | None:
    value = shape.mapping("active_session", needed=False)
    return _session(Shape(value, "active_session", shape.notes)) if value else None


def _sessions(shape: Shape, key: str) -> list[dict[str, Any]]:
    entries = mappings(shape.items(key, needed=False), f"gate.{key}", shape.notes)
    found = [_session(Shape(entry, key, shape.notes)) for entry in entries]
    return [session for session in found if session is not None]


def _session(shape: Shape) -> dict[str, Any] | None:
    node = shape.text("node_id")
    if node is None:
        return None
    index = shape.integer("index", needed=False)
    if index < 0:
        shape.note(f"{shape.where}: the index of {node} is negative; 0 is taken")
    return dict(shape.data) | {"node_id": node, "index": max(0, index)}


def _paths(shape: Shape) -> dict[str, list[list[str]]] | None:
    if shape.data.get("paths_map", {}) is None and "paths_count" in shape.data:
        return None  # too many to list
    found: dict[str, list[list[str]]] = {}
    for node, alternatives in shape.mapping("paths_map", needed=False).items():
        if not isinstance(alternatives, list):
            shape.note(f"gate.paths_map: the paths of {node} are {kind_of(alternatives)}, not a list")
            continue
        kept = [path for path in alternatives if isinstance(path, list)]
        if len(kept) != len(alternatives):
            shape.note(f"gate.paths_map: {len(alternatives) - len(kept)} paths of {node} are no list")
        found[node] = [[edge for edge in path if isinstance(edge, str)] for path in kept]
    return found


def _by_selector(shape: Shape, key: str) -> list[tuple[dict[str, Any], list[str]]]:
    entries = mappings(shape.items(key, needed=False), f"gate.{key}", shape.notes)
    found = [(entry, _selector(entry.get("selector"))) for entry in entries]
    if any(selector is None for _, selector in found):
        shape.note(f"gate.{key} holds entries without a selector")
    return [(entry, selector) for entry, selector in found if selector]


def _selector(value: Any) -> list[str] | None:
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return list(value)
    return None


def _events(buffer: Mapping[str, Any], selector: list[str], notes: Notes) -> list[dict[str, Any]]:
    where = f"The buffer of {'.'.join(selector)}"
    events = mappings(Shape(buffer, where, notes).items("events", needed=False), where, notes)
    return [
        event if isinstance(event.get("chunk"), str) else {**event, "chunk": str(event.get("chunk") or "")}
        for event in events
    ]
