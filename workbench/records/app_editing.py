"""Nodes and edges added to, and edges taken from, an exported app; all else in its file stays as it was."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadInputError
from workbench.records.app import App
from workbench.records.edge_rules import DEFAULT_HANDLE
from workbench.records.list_splice import ListChange, change_lists
from workbench.records.reading import decode, encode_like, parse_json
from workbench.records.yaml_reading import MAX_VALUES, read_yaml

_PLACES = (("workflow", "graph"), ("graph_config",), ("graph",), ())
"""Where a file keeps its graph, see `app.read_app`."""


@dataclass(frozen=True)
class ChangedApp:
    """The new file.

    Attributes:
        faithful: everything else in it is as it was written; False: it was written anew.
    """

    data: bytes
    faithful: bool


def change_app(
    app: App,
    *,
    nodes: Sequence[Mapping[str, Any]] = (),
    edges: Sequence[Mapping[str, Any]] = (),
    removed: Collection[str] = (),
) -> ChangedApp:
    """The file of an app with these nodes and edges at the end of its lists, and without some edges.

    Args:
        removed: ids of edges, as `app.graph` has them.

    Raises:
        BadInputError: an edge stands in the app but not in the file.
    """
    text = decode(app.data, app.name)
    is_json = text.lstrip()[:1] == "{"
    document = (
        parse_json(text, app.name, max_values=MAX_VALUES) if is_json else read_yaml(text, app.name).value
    )
    path, graph = _graph(document)
    changes = [
        ListChange((*path, "edges"), _positions(app, graph, removed), tuple(edges)),
        *([ListChange((*path, "nodes"), add=tuple(nodes))] if nodes else []),
    ]
    made, faithful = change_lists(text, app.name, changes)
    return ChangedApp(encode_like(made, app.data), faithful)


def _graph(document: Mapping[str, Any]) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    for path in _PLACES:
        found: Any = document
        for key in path:
            found = found.get(key) if isinstance(found, Mapping) else None
        if isinstance(found, Mapping) and isinstance(found.get("nodes"), list):
            return path, found
    raise BadInputError("The file holds no graph", "", "Export the app again from Dify.")


def _positions(app: App, graph: Mapping[str, Any], removed: Collection[str]) -> tuple[int, ...]:
    """Where edges stand in the file's own list: the read ones are those of it, in order, some left out."""
    raw = list(enumerate(graph.get("edges") or ()))
    found, at = [], 0
    for edge in app.graph["edges"]:
        place = next((p for p, (_, entry) in enumerate(raw[at:], at) if _ends(entry) == _ends(edge)), None)
        if place is not None:
            at = place + 1
        if edge["id"] in removed:
            if place is None:
                raise BadInputError(
                    f"The edge {edge['id']} is not in the file", "", "Change the app in Dify."
                )
            found.append(raw[place][0])
    return tuple(found)


def _ends(entry: Any) -> tuple[str, ...] | None:
    if not isinstance(entry, Mapping):
        return None
    handle = entry.get("sourceHandle")
    handle = DEFAULT_HANDLE if handle in (None, "") else handle
    return tuple(_text(each) for each in (entry.get("source"), handle, entry.get("target")))


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def dsl_node(
    node_id: str, kind: str, title: str, data: Mapping[str, Any], x: float, y: float
) -> dict[str, Any]:
    """A node as Dify exports it."""
    place = {"x": x, "y": y}
    return {
        "data": {"desc": "", "selected": False, "title": title, "type": kind, **data},
        "id": node_id,
        "position": place,
        "positionAbsolute": dict(place),
        "selected": False,
        "sourcePosition": "right",
        "targetPosition": "left",
        "type": "custom",
        "width": 244,
        "height": 90,
    }


def dsl_edge(
    edge_id: str, source: str, handle: str, target: str, source_type: str, target_type: str
) -> dict[str, Any]:
    """An edge as Dify exports it."""
    return {
        "data": {
            "isInIteration": False,
            "isInLoop": False,
            "sourceType": source_type,
            "targetType": target_type,
        },
        "id": edge_id,
        "source": source,
        "sourceHandle": handle,
        "target": target,
        "targetHandle": "target",
        "type": "custom",
        "zIndex": 0,
    }
