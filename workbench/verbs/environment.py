"""Which environment variables a run or a saved pause has: what the front ends mask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.records.app import App
    from workbench.records.runtime_state import RuntimeState
    from workbench.store.rows import SegmentRow

Environment = tuple[Mapping[str, Any], ...]
"""As the DSL has them, {"name", "value", "value_type"}; a name may come twice, from the app and a state."""


def environment_of(
    app: App | None, runtime: RuntimeState | None = None, *, given: Mapping[str, Any] | None = None
) -> Environment:
    """An app's and a saved pause's: an export leaves out the values of secrets, a saved pause has them.

    Args:
        given: values for one run, by name.
    """
    known = () if app is None else app.environment_variables
    if given:
        named = {str(one["name"]): one for one in known}
        known = (*known, *({**named[name], "value": given[name]} for name in given if name in named))
    if runtime is None:
        return known
    types = runtime.variable_types.get("env", {})
    saved = (
        {"name": name, "value": value, "value_type": types.get(name, "string")}
        for name, value in runtime.variables.get("env", {}).items()
    )
    return (*known, *saved)


def recorded_environment(app: App, rows: Iterable[SegmentRow]) -> Environment:
    """An app's, and those that the engine had in the segments of a run."""
    had = (
        {"name": name, "value": held.get("value"), "value_type": held.get("type", "string")}
        for row in rows
        for name, held in (row.pool or {}).get("env", {}).items()
    )
    return (*app.environment_variables, *had)
