"""What is told about a place of a saved pause beside its value: an Answer's template with its cursor, say."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.edits import Document, Place
from workbench.core.edits.gate_parts import phase_of
from workbench.core.graph import Text
from workbench.views.secrets import Mask
from workbench.views.statetree import Spot, Tree

CURSOR = "▮"
"""Stands where the stream goes on."""


def told_about(tree: Tree, spot: Spot, mask: Mask) -> list[tuple[str, str]]:
    """Labels and sentences."""
    found = [*_gate(tree, spot), *_readers(tree.document, spot), *_edge(tree.document, spot)]
    return [(label, mask.text(text)) for label, text in found if text]


def _gate(tree: Tree, spot: Spot) -> Iterator[tuple[str, str]]:
    doc, gate = tree.document, tree.document.gate()
    if spot.key[:1] != ("gate",) or gate is None:
        return
    if spot.label.startswith(("buffer.", "position.")):
        name = spot.label.partition(".")[2]
        pieces, at = (_value(tree.small(), f"gate:{part}.{name}") for part in ("buffer", "position"))
        if isinstance(pieces, list) and isinstance(at, int):
            yield "read", "".join(map(str, pieces[:at])) or "nothing"
            yield "unread", "".join(map(str, pieces[at:])) or "nothing"
        return
    node = doc.graph.nodes.get(spot.node) if doc.graph is not None else None
    if node is None or not node.template:
        return
    _, session = phase_of(gate, spot.node)
    parts = [
        part.text if isinstance(part, Text) else f"{{{{#{'.'.join(part.selector)}#}}}}"
        for part in node.template
    ]
    index = session.get("index", 0) if session is not None else None
    if isinstance(index, int):
        parts.insert(max(0, min(index, len(parts))), CURSOR)
    yield "template", "".join(parts)


def _value(small: object, target: str) -> object:
    place = small.get(target) if isinstance(small, dict) else None
    return place.value if isinstance(place, Place) else None


def _readers(doc: Document, spot: Spot) -> Iterator[tuple[str, str]]:
    """The Answers whose template has a variable."""
    if spot.kind == "variable" and doc.graph is not None:
        readers = [
            node.title or node.id
            for node in doc.graph.nodes.values()
            if any(getattr(part, "selector", ())[:2] == (spot.node, spot.label) for part in node.template)
        ]
        yield "streamed by", ", ".join(readers)


def _edge(doc: Document, spot: Spot) -> Iterator[tuple[str, str]]:
    """The Answers that wait for an edge in the gate."""
    if spot.kind != "state" or "edge:" not in spot.target:
        return
    edge = spot.target.rpartition("edge:")[2]
    paths = (doc.gate() or {}).get("paths_map")
    saved = doc.gate_edge(edge)
    waiting = [
        str(answer)
        for answer, listed in (paths.items() if isinstance(paths, dict) else ())
        if isinstance(listed, list) and any(isinstance(path, list) and saved in path for path in listed)
    ]
    yield "the gate waits for it at", ", ".join(waiting)
