"""Prints results: one JSON document, or lines for people."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
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


STDOUT = "-"


def check_output(output: str | None, *inputs: Path | str, as_json: bool = False) -> None:
    """Raise before the work what would keep its result from being written.

    Raises:
        UsageError: `-` beside --json, or see `workbench.verbs.writing.place`.
        WorkbenchError: there is no such folder.
    """
    from workbench.errors import UsageError
    from workbench.verbs.writing import place

    if output == STDOUT and as_json:
        raise UsageError("-o - and --json both take stdout.", "", "Give one of both.")
    if output not in (None, STDOUT):
        place(Path(str(output)), *inputs)


def write_output(output: str | None, data: bytes, *inputs: Path | str) -> Callable[[str], None]:
    """Write to the file of -o, or to stdout; and how the report about it is told then: beside it.

    Raises:
        UsageError, WorkbenchError: see `check_output`.
    """
    from workbench.verbs.writing import write_private

    if output is None:
        return say
    if output != STDOUT:
        write_private(Path(output), data, *inputs)
        return say
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return tell


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
