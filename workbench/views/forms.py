"""A form's text, for people."""

from __future__ import annotations

import re

_INPUT = re.compile(r"\{\{#\$output\.([^#{}]+)#\}\}")
"""Where a form shows one of its inputs (graphon, human-input nodes of every version)."""


def form_text(content: object) -> str:
    """The text with its input places (`{{#$output.note#}}`) as `[note]`; "" for none."""
    return _INPUT.sub(r"[\1]", str(content or "")).strip()
