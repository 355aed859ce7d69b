"""The graph of an app as plain frozen values: what gate, replay, layout and findings need of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["root", "executable", "branch", "container", "response"]
"""graphon's NodeExecutionType. A node with error_strategy fail-branch counts as branch (0.5 to 0.8)."""

Selector = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A literal part of an Answer's template."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable part of an Answer's template, such as `{{#llm.text#}}`."""

    selector: Selector


Segment = Text | Variable


@dataclass(frozen=True, slots=True)
class Box:
    """Where the author put a node on Dify's canvas, in pixels; children are relative to their container."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Node:
    """One node.

    Attributes:
        type: Dify's node type ("llm", "if-else", ...).
        kind: graphon's execution type.
        writes: selectors (two parts) that an assigner node writes; empty for all others.
        template: the streaming template of a response node, else empty.
        text_selector: selector that text parts of the template are streamed under (`(id, "answer")`), else
            empty.
        parent: id of the container that holds the node, or None.
        box: canvas position, None when the DSL has none.
        data: the node's `data` as the (normalised) DSL has it.
    """

    id: str
    type: str
    title: str
    kind: Kind
    writes: frozenset[Selector] = frozenset()
    template: tuple[Segment, ...] = ()
    text_selector: Selector = ()
    parent: str | None = None
    box: Box | None = None
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge, by its DSL id. `parent` is the container whose child graph it belongs to, or None."""

    id: str
    source: str
    target: str
    handle: str = "source"
    parent: str | None = None


@dataclass(frozen=True)
class Graph:
    """A whole app graph, containers' children included.

    The filter of graphon sees only the root scope: `scope(None)` gives those nodes and edges.
    Orders are the DSL's own: they decide ties.
    """

    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    root: str
