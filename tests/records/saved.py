"""The saved pauses in fixtures/states, and small hand-made parts of such states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STATES = Path(__file__).parents[2] / "fixtures" / "states"
ALL = sorted(STATES.glob("[A-E]/*.json"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def text(era: str, case: str) -> str:
    """A saved pause, byte for byte."""
    return (STATES / era / f"{case}.json").read_bytes().decode()


def runtime_text(era: str, case: str) -> str:
    """The runtime state in it."""
    state: str = json.loads(text(era, case))["serialized_graph_runtime_state"]
    return state


def gate_text(era: str, case: str) -> str:
    """The gate beside it; era A's from inside the runtime state."""
    if era == "A":
        coordinator: str = json.loads(runtime_text(era, case))["response_coordinator"]
        return coordinator
    gate: str = json.loads(text(era, case))["serialized_response_stream_filter_state"]
    return gate


def changed(source: str, **changes: Any) -> str:
    """A JSON text with some top-level keys changed; None takes a key out."""
    data = json.loads(source) | changes
    return json.dumps({key: value for key, value in data.items() if value is not None})
