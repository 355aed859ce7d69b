"""Templates of response nodes, read by graphon's own rules.

graphon nodes/base/template.py and nodes/base/variable_template_parser.py, the same from 0.5 to 0.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.core.graph import Segment, Selector, Text, Variable

_REFERENCE = re.compile(r"\{\{(#[a-zA-Z0-9_]{1,50}(?:\.[a-zA-Z_][a-zA-Z0-9_]{0,29}){1,10}#)\}\}")


def answer_template(text: str) -> tuple[Segment, ...]:
    """Parts of an Answer's text.

    What graphon's pattern does not match stays text: node ids with a hyphen, names over 30 characters, spaces
    inside the braces.
    """
    segments: list[Segment] = []
    for position, part in enumerate(_REFERENCE.split(text)):
        if part:
            segments.append(Variable(tuple(part[1:-1].split("."))) if position % 2 else Text(part))
    return tuple(segments)


def end_template(outputs: Iterable[Mapping[str, Any]]) -> tuple[Segment, ...]:
    """An End node streams its outputs in their order, a line break between each two.

    An output without a selector leaves its line break; only the last one is taken away.
    """
    segments: list[Segment] = []
    for position, output in enumerate(outputs):
        if position:
            segments.append(Text("\n"))
        if selector := output.get("value_selector"):
            segments.append(Variable(tuple(str(part) for part in selector)))
    if segments and isinstance(segments[-1], Text):
        segments.pop()
    return tuple(segments)


def references(text: str) -> tuple[Selector, ...]:
    """Selectors of the variables that a text refers to, in order, with repetitions."""
    return tuple(tuple(found[1:-1].split(".")) for found in _REFERENCE.findall(text))
