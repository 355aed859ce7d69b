"""What a saved notebook keeps: HTML without scripts, the graph as an image. All texts are escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from workbench.views.safe import safe_text
from workbench.widgets.frames import EDGE_LOOKS, NODE_LOOKS

# The image is a document of its own: no colour of the page reaches it, a preference for dark does.
STYLE = """
svg{font:12px sans-serif}text{fill:#24292f}.n{fill:#f6f8fa;stroke:#8c959f}.e{fill:none;stroke:#8c959f}
.unknown{stroke-dasharray:none}.taken,.succeeded{stroke:#1a7f37}.skipped{opacity:.4;stroke-dasharray:3 3}
.e.unlocked{stroke:#1a7f37;stroke-width:3}.e.blocking{stroke:#bf8700;stroke-width:3;stroke-dasharray:7 4}
.e.lost{stroke:#cf222e;stroke-width:3;stroke-dasharray:2 3}.n.running{stroke:#0969da;stroke-width:3}
.n.paused,.n.retry{stroke:#bf8700;stroke-width:3}.n.failed,.n.exception{stroke:#cf222e;stroke-width:3}
.h{font-size:10px;text-anchor:end}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#161b22;stroke:#768390}.e{stroke:#768390}
.taken,.succeeded,.e.unlocked{stroke:#3fb950}.e.blocking,.n.paused,.n.retry{stroke:#d29922}
.e.lost,.n.failed,.n.exception{stroke:#f85149}.n.running{stroke:#58a6ff}}
"""
LINE = "border-bottom:1px solid color-mix(in srgb, currentColor 25%, transparent);padding:.15em .6em"
CELL = f"{LINE};text-align:left;vertical-align:top;white-space:pre-wrap"
BOX = "border:1px solid color-mix(in srgb, currentColor 25%, transparent);border-radius:4px;padding:.5em .8em"
SHOWN = 200


def text(value: object) -> str:
    """A text as markup that shows it."""
    return escape(safe_text(str(value)), quote=True)


def svg(picture: Mapping[str, Any], frame: Mapping[str, Any]) -> str:
    """The graph at a step."""
    parts = []
    for at, edge in enumerate(picture["edges"]):
        look = EDGE_LOOKS[ord(frame["edges"][at]) - ord("a")]
        points = " ".join(f"{x:g},{y:g}" for x, y in edge["points"])
        x, y = edge["points"][-1]
        parts.append(f'<polyline class="e {look}" points="{points}"/>')
        parts.append(f'<path class="e {look}" d="M{x - 6:g},{y - 4:g}L{x:g},{y:g}L{x - 6:g},{y + 4:g}"/>')
    boxes = []
    for at, node in enumerate(picture["nodes"]):
        look = NODE_LOOKS[ord(frame["nodes"][at]) - ord("a")]
        x, y, w, h = (node[key] for key in "xywh")
        boxes.append(f'<rect class="n {look}" x="{x}" y="{y}" width="{w}" height="{h}" rx="5"/>')
        boxes.append(f'<text x="{x + 8}" y="{y + 22}">{text(node["shown"])}</text>')
        boxes += [
            f'<text class="h" x="{x + w - 6}" y="{y + at_y + 4}">{text(name)}</text>'
            for name, at_y in node["handles"]
        ]
    size = f'width="{picture["width"]}" height="{picture["height"]}"'
    box = f'viewBox="0 0 {picture["width"]} {picture["height"]}"'
    inside = "".join([*_containers(picture, boxes), *parts, *boxes])
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}><style>{STYLE}</style>{inside}</svg>'


def _containers(picture: Mapping[str, Any], boxes: list[str]) -> list[str]:
    """The boxes of containers go below the edges inside them: taken off the front of `boxes`."""
    count = 0
    for node in picture["nodes"]:
        if not node["container"]:
            break
        count += 2 + len(node["handles"])
    behind, boxes[:] = boxes[:count], boxes[count:]
    return behind


def image(markup: str, label: str) -> str:
    """An SVG as an image: what is in it can't act on the page."""
    data = base64.b64encode(markup.encode("utf-8", "replace")).decode("ascii")
    return f'<img style="max-width:100%" alt="{text(label)}" src="data:image/svg+xml;base64,{data}"/>'


def card(title: str, *parts: str) -> str:
    """A titled block."""
    return f'<div style="{BOX}"><div style="font-weight:600">{text(title)}</div>{"".join(parts)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of texts, its first `SHOWN` rows."""
    found = list(rows)
    top = "".join(f'<th style="{CELL}">{text(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{text(cell)}</td>' for cell in row) + "</tr>"
        for row in found[:SHOWN]
    )
    more = f"<div>{len(found) - SHOWN} more</div>" if len(found) > SHOWN else ""
    inside = f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody>"
    return f'<table style="border-collapse:collapse">{inside}</table>{more}'


def line(value: str) -> str:
    """A line of text."""
    return f'<div style="white-space:pre-wrap">{text(value)}</div>'


def played(title: str, picture: Mapping[str, Any], frame: Mapping[str, Any]) -> str:
    """A run at a step: graph, gate, and the end of the stream."""
    gate = frame["gate"]
    rows = [
        (a["title"], a["phase"], _edges(a["left"], a["more_left"]), _edges(a["taken"], a["more_taken"]))
        for a in gate["answers"]
    ]
    left_out = frame["length"] - len(frame["tail"])
    stream = f"{'… ' if left_out else ''}{frame['tail']}" or "nothing yet"
    return card(
        title,
        line(f"Step {frame['step']}: {frame['text']}"),
        image(svg(picture, frame), f"The graph at step {frame['step']}"),
        line(gate["sentence"]),
        table(("Answer", "state", "waits for", "taken"), rows) if rows else "",
        line(f"Streamed: {stream}"),
    )


def _edges(edges: Sequence[Mapping[str, Any]], more: int) -> str:
    lines = [f"{e['words']}{'  (lost)' if e['look'] == 'lost' else ''}" for e in edges]
    return "\n".join([*lines, *([f"{more} more"] if more else [])])
