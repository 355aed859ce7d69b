"""Prints results: one JSON document, or lines for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import click


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on stdout, in UTF-8 whatever the locale says, without characters that a terminal
    obeys.
    """
    from workbench.views.safe import safe_json

    text = safe_json(json.dumps(document, ensure_ascii=False, indent=2, default=str)) + "\n"
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode())
    buffer.flush()


def say(text: str = "") -> None:
    """A line of the result."""
    click.echo(text)


def tell(text: str = "") -> None:
    """A line beside the result: progress, notes, warnings."""
    click.echo(text, err=True)
