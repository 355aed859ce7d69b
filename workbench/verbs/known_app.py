"""The app of a saved pause: the one that was given, the one it was edited with, or the only one that fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workbench.core.fitting import misfits
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import App, read_app
from workbench.records.gate_state import edge_names
from workbench.records.runtime_state import RuntimeState
from workbench.verbs.context import Context
from workbench.verbs.history import base_of
from workbench.verbs.target import FileTarget, find_app, stored_app

MOST_LOOKED_AT: Final = 300
"""Newest imported apps that are tried; each takes some milliseconds."""


@dataclass(frozen=True)
class KnownApp:
    """What is known of a saved pause's app.

    Attributes:
        app: None where it is not known.
        notes: how it was found, or what it would add.
        fitting: names and ids of the imported apps that fit, where there are several.
    """

    app: App | None
    notes: tuple[str, ...] = ()
    fitting: tuple[tuple[str, str], ...] = ()

    def needed(self, name: str, verb: str) -> App:
        """The app, for what can't be done without it.

        Raises:
            UsageError: it is not known; the message names the imported apps that fit.
        """
        if self.app is None:
            raise app_needed(name, verb, self.fitting)
        return self.app


def known_app(
    ctx: Context, target: FileTarget, app: Path | str | None, runtime: RuntimeState | None
) -> KnownApp:
    """The app of a saved pause, as far as it is known."""
    if app is not None:
        return KnownApp(find_app(ctx, app))
    origin = ctx.store.edited(target.id) if target.id is not None else None
    if origin is not None and origin.app_id is not None:
        return KnownApp(stored_app(ctx, origin.app_id))
    found = list(_fitting(ctx, runtime)) if runtime is not None else []
    if len(found) == 1:
        app_id, only = found[0]
        note = (
            f"No --app was given; the imported app {only.name!r} ({app_id[:12]}) was taken, "
            "the only one that fits."
        )
        return KnownApp(only, (note,))
    return KnownApp(None, (), tuple((each.name, app_id) for app_id, each in found))


def _fitting(ctx: Context, runtime: RuntimeState) -> Iterator[tuple[str, App]]:
    """The imported apps that the state can be of."""
    if not runtime.node_states or not ctx.store_file.exists():
        return
    wanted = [node.encode() for node in runtime.node_states if node.isascii()]
    for app_id, data in ctx.store.newest_apps(MOST_LOOKED_AT):
        if not all(node in data for node in wanted):
            continue
        try:
            app = read_app(data, f"app {app_id[:8]}")
        except WorkbenchError:
            continue
        names = edge_names(list(app.graph["edges"])) if runtime.has_positional_edges else {}
        if not misfits(graph_of(app.graph, app.root), base_of(runtime, names)):
            yield app_id, app


def app_needed(name: str, verb: str, fitting: tuple[tuple[str, str], ...] = ()) -> UsageError:
    """A saved pause holds no graph."""
    named = ", ".join(f"{title!r} ({app_id[:12]})" for title, app_id in fitting[:4])
    return UsageError(
        f"{name} needs its app.",
        f"{len(fitting)} imported apps fit: {named}."
        if fitting
        else "A saved pause holds no graph: node names and edges are in the app.",
        f"For example: workbench {verb} {name} --app {fitting[0][1][:12] if fitting else 'app.yml'} "
        "(a file, or the id of an imported app).",
    )
