"""References to variables that can't be: unknown nodes, unknown outputs, ids that no reference can name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Literal

from workbench.core.finding import Finding
from workbench.core.findings.naming import node_name, quoted, reference
from workbench.core.findings.outputs import outputs_of
from workbench.core.findings.streaming import container_of, is_streamed
from workbench.core.graph import Graph, Node, Selector, Text, Variable
from workbench.core.template import references as references_in

BROKEN = "variable-reference-broken"
SPECIAL: Final = frozenset({"sys", "env", "conversation", "rag"})
_LIKE_A_REFERENCE: Final = re.compile(r"\{\{#([^{}#\s]+\.[^{}#\s]+)#\}\}")
_PART: Final = re.compile(r"[a-zA-Z0-9_]{1,50}")

Declared = Mapping[str, Collection[str]]
"""Names of the variables that the app declares, by "env" and "conversation"."""


def of_app(graph: Graph, declared: Declared | None = None) -> Iterator[Finding]:
    """Every broken reference of the app: in Answers exactly, in other nodes those to unknown nodes."""
    for node in graph.nodes.values():
        if node.kind == "response":
            yield from _in_answer(graph, node, declared or {})
        else:
            for found in dict.fromkeys(_unread_in(node.data)):
                source = found.split(".")[0]
                if source in graph.nodes and not _PART.fullmatch(source):
                    yield _unread(graph, node, found)
            for selector in sorted(set(_selectors(node.data))):
                if selector[0] not in graph.nodes and selector[0] not in SPECIAL:
                    yield _unknown_node(
                        graph, node, selector, "warning", "The node will find no value there."
                    )


def _in_answer(graph: Graph, node: Node, declared: Declared) -> Iterator[Finding]:
    for part in node.template:
        if isinstance(part, Text):
            for found in _LIKE_A_REFERENCE.findall(part.text):
                yield _unread(graph, node, found)
    for selector in dict.fromkeys(part.selector for part in node.template if isinstance(part, Variable)):
        yield from _variable(graph, node, selector, declared)


def _variable(graph: Graph, node: Node, selector: Selector, declared: Declared) -> Iterator[Finding]:
    waits = "The gate waits for it for ever, and so do the Answers behind this one."
    if len(selector) < 2:
        return
    prefix, name = selector[:2]
    if prefix in SPECIAL:
        if prefix in declared and name not in declared[prefix]:
            yield _finding(
                node,
                "error",
                f"{_names(graph, node, selector)}, but the app has no {prefix} variable of that name. "
                f"{waits}",
            )
        return
    source = graph.nodes.get(prefix)
    if source is None:
        yield _unknown_node(graph, node, selector, "error", waits)
        return
    known = outputs_of(source)
    if known is not None and name not in known:
        has = f"It has: {', '.join(sorted(known - {'error_message', 'error_type', 'sys'})) or 'none'}."
        yield _finding(
            node,
            "error",
            f"{_names(graph, node, selector)}, but {node_name(graph, prefix)} has no such output. {has} "
            f"{waits}",
        )
    elif source.parent is not None and source.parent != node.parent and not is_streamed(graph, selector):
        box = container_of(graph, source)
        yield _finding(
            node,
            "warning",
            f"{_names(graph, node, selector)}, which stands inside "
            f"{node_name(graph, box.id) if box else 'a container'}: from outside it has no value (graphon "
            "0.8), or that of the last round (a loop in older ones).",
        )


def _unread(graph: Graph, node: Node, found: str) -> Finding:
    parts = found.split(".")
    if parts[0] in graph.nodes and not _PART.fullmatch(parts[0]):
        why = f"the id of {node_name(graph, parts[0])} is not made of letters, digits and _ alone"
    else:
        why = (
            "it is not written as a reference (ids of letters, digits and _; names of at most 30 characters)"
        )
    verb = "shows" if node.kind == "response" else "keeps"
    return _finding(
        node,
        "warning",
        f"{node_name(graph, node.id)} {verb} {quoted('{{#' + found + '#}}')} as plain text: {why}.",
        "Give the node an id without such characters, or name a node between them that has one.",
    )


def _unknown_node(
    graph: Graph, node: Node, selector: Selector, severity: Literal["error", "warning"], effect: str
) -> Finding:
    return _finding(
        node, severity, f"{_names(graph, node, selector)}, but the app has no node {selector[0]!r}. {effect}"
    )


def _names(graph: Graph, node: Node, selector: Selector) -> str:
    return f"{node_name(graph, node.id)} names {reference(selector)}"


def _unread_in(value: Any) -> Iterator[str]:
    """What looks like a reference in the texts of a node's data; its code is no template."""
    if isinstance(value, str):
        yield from _LIKE_A_REFERENCE.findall(value)
    elif isinstance(value, list):
        for item in value:
            yield from _unread_in(item)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in ("code", "desc", "title"):
                yield from _unread_in(item)


def _finding(
    node: Node,
    severity: Literal["error", "warning"],
    message: str,
    advice: str = "Correct the reference, or delete it.",
) -> Finding:
    return Finding(BROKEN, severity, node.id, message, advice)


def _selectors(value: Any) -> Iterator[Selector]:
    """All selectors in a node's data: lists under keys that end in "selector", and references in texts."""
    if isinstance(value, str):
        yield from references_in(value)
    elif isinstance(value, list):
        for item in value:
            yield from _selectors(item)
    elif isinstance(value, Mapping):
        if value.get("enabled") is False:
            return
        for key, item in value.items():
            if isinstance(key, str) and key.endswith("selector") and isinstance(item, list):
                if len(item) >= 2 and all(isinstance(part, str) and part for part in item):
                    yield tuple(item)
            else:
                yield from _selectors(item)


HELP = {
    BROKEN: """\
# variable-reference-broken

A node names a variable that can't be.

* **An id with a hyphen** (or another character than letters, digits and `_`): `{{#my-llm.text#}}` is not
  read as a reference at all; the chat shows it as it stands. Dify's own ids are digits, so this comes from
  hand-made apps.
* **An unknown node**: it was deleted, or its id changed. Answers write the name out (`gone.text`); the
  stream gate waits for it for ever, and every Answer behind it stays silent (`queue-head-starved`).
* **An unknown output**: the node is there but gives no such variable (`{{#llm.answer#}}` instead of
  `.text`). Told where the outputs are known from the app: LLM, code, template, HTTP, form, extractor,
  start, loop and iteration.
* **A node inside a loop or iteration** named from outside: name the container's output instead.

Errors break the stream; warnings are shown as text or found empty.

**What to do.** Correct the reference in the node that the finding names: choose the variable again in Dify's
editor. An id with a hyphen can't be mended by quoting; give the node another id, or let a template node with
a plain id stand between.
""",
}
