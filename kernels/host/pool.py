"""The variable pool before the first event, and how it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from graphon.runtime.variable_pool import VariablePool
from graphon.variables.factory import build_segment, build_segment_with_type
from graphon.variables.segments import Segment
from graphon.variables.types import SegmentType
from graphon.variables.variables import SecretVariable

from .app import App
from .errors import HostError
from .files import with_files
from .values import plain

_EMPTY: Mapping[str, Any] = {
    "string": "", "secret": "", "number": 0, "integer": 0, "float": 0.0, "object": {}, "boolean": False,
}  # fmt: skip
_RUN_ID_NAMES = ("workflow_execution_id", "workflow_run_id")


def new_pool(app: App, inputs: Mapping[str, Any], system: Mapping[str, Any], run_id: str) -> VariablePool:
    """Start inputs under the root node, `sys`, `env` and `conversation` variables with their declared
    types.
    """
    pool = VariablePool()
    for name, value in inputs.items():
        _add(pool, app.root, name, value)
    for name, value in system.items():
        _add(pool, "sys", name, value)
    set_run_id(pool, run_id)
    for space, variables in (
        ("env", app.environment_variables),
        ("conversation", app.conversation_variables),
    ):
        for variable in variables:
            name = str(variable.get("name") or "")
            if name:
                pool.add((space, name), _typed(space, name, variable))
    return pool


def set_run_id(pool: VariablePool, run_id: str) -> None:
    """graphon's human-input needs one of these two; Dify sets both."""
    for name in _RUN_ID_NAMES:
        pool.add(("sys", name), run_id)


def run_id_in(pool: VariablePool) -> str | None:
    """The run id that a restored pool was saved under."""
    for name in reversed(_RUN_ID_NAMES):
        segment = pool.get(("sys", name))
        if segment is not None and segment.text:
            return segment.text
    return None


def told(pool: VariablePool) -> dict[str, dict[str, dict[str, Any]]]:
    """`variables` of the `pool` message."""
    return {
        space: {
            name: {"type": str(variable.value_type.value), "value": plain(variable)}
            for name, variable in variables.items()
        }
        for space, variables in pool.variable_dictionary.items()
        if variables
    }


def _add(pool: VariablePool, space: str, name: str, value: Any) -> None:
    try:
        pool.add((space, name), with_files(value))
    except (ValueError, TypeError) as error:
        raise HostError(
            f"The value of {space}.{name} can't be used",
            str(error),
            "Give text, a number, a list or an object.",
        ) from error


def _typed(space: str, name: str, variable: Mapping[str, Any]) -> Segment:
    kind, value = str(variable.get("value_type") or "string"), with_files(variable.get("value"))
    if value is None:
        value = [] if kind.startswith("array") else _EMPTY.get(kind)
    if kind == "secret":
        return SecretVariable(name=name, value="" if value is None else str(value), selector=[space, name])
    try:
        return build_segment_with_type(SegmentType(kind), _from_text(kind, value))
    except Exception:
        # Exports hold values that don't fit their declared type; Dify takes them as they are.
        return build_segment(value)


def _from_text(kind: str, value: Any) -> Any:
    """Exports write numbers and JSON of variables as text now and then."""
    if not isinstance(value, str) or kind == "string":
        return value
    if kind in ("number", "integer", "float"):
        return float(value) if any(sign in value for sign in ".eE") else int(value)
    return json.loads(value)
