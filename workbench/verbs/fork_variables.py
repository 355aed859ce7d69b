"""New values for the variables of a fork."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from workbench.errors import UsageError


def changed(
    variables: Mapping[str, Mapping[str, Any]], wanted: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """The pool with new values.

    Args:
        wanted: new values by "node.name": a text for a variable that is a text, JSON for any other.

    Raises:
        UsageError: there is no such variable, or its type is another one.
    """
    changed = {node: dict(values) for node, values in variables.items()}
    for target, text in wanted.items():
        node, _, name = target.partition(".")
        if name not in changed.get(node, {}):
            known = [f"{n}.{v}" for n, values in changed.items() for v in values]
            raise UsageError(
                f"There is no variable {target} at this step.",
                f"Nearest: {', '.join(get_close_matches(target, known, n=3, cutoff=0.3)) or 'none'}.",
                "For example: --set conversation.topic=refunds",
            )
        changed[node][name] = _value(text, changed[node][name], target)
    return changed


def _value(text: str, old: Any, target: str) -> Any:
    if isinstance(old, str):
        return text
    try:
        new = json.loads(text)
    except ValueError as error:
        raise UsageError(
            f"{target} is {_kind(old)}; {text!r} is not.",
            f"A value that is no text is written as JSON: {error}.",
            f"For example: --set {target}={json.dumps(old)}",
        ) from error
    if old is not None and _kind(new) != _kind(old):
        raise UsageError(f"{target} is {_kind(old)}; {text!r} is {_kind(new)}.", "", "Keep its type.")
    return new


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    kinds = {"a number": (int, float), "a list": (list,), "an object": (Mapping,), "a text": (str,)}
    return next((word for word, types in kinds.items() if isinstance(value, types)), "nothing")
