"""The widgets, imported when one is asked for: they need the extra `notebook`."""

from __future__ import annotations

from typing import Any

from workbench.notebook.tables import extra


def widget(name: str, *arguments: Any, **named: Any) -> Any:
    """A widget of `workbench.widgets` by the name of its function.

    Raises:
        UsageError: anywidget is not installed.
    """
    extra("anywidget", "A widget is drawn")
    from importlib import import_module

    return getattr(import_module("workbench.widgets"), name)(*arguments, **named)
