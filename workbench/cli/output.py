"""Prints results: one JSON document, or lines for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

import click


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on stdout, in UTF-8 whatever the locale says, without characters that a terminal
    obeys.
    """
    from workbench.views.safe import safe_json

    try:
        plain = json.dumps(document, ensure_ascii=False, indent=2, default=str, allow_nan=False)
    except ValueError:
        plain = json.dumps(_finite(document), ensure_ascii=False, indent=2, default=str)
    text = safe_json(plain) + "\n"
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode())
    buffer.flush()


def _finite(value: Any) -> Any:
    """Data without the numbers that JSON lacks: NaN and the infinities become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def say(text: str = "") -> None:
    """A line of the result."""
    click.echo(text)


def tell(text: str = "") -> None:
    """A line beside the result: progress, notes, warnings."""
    click.echo(text, err=True)
