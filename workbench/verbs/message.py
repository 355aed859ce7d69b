"""The chat message at a step: what its user has been shown, over every run that it goes back to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.graph_of import graph_of
from workbench.core.healing import rebuild
from workbench.records.app import App
from workbench.records.gate_state import edge_names
from workbench.records.runtime_state import read_runtime_state
from workbench.verbs.context import Context
from workbench.verbs.history import base_of
from workbench.verbs.inspect import LoadedRun, open_run


def message_at(ctx: Context, run: LoadedRun | str, step: int) -> str:
    """All that the chat user had been shown when a run was at a step.

    A fork goes on with the message of the run it was made of: what that one had streamed by then is a part of
    it, whatever happened to the gate since. Of a run that goes on from a saved file only the state tells what
    came before: what its Answers would have said by then.
    """
    loaded = open_run(ctx, run, until=step) if isinstance(run, str) else run
    return _before(ctx, loaded) + loaded.timeline.at(step).streamed


def _before(ctx: Context, loaded: LoadedRun) -> str:
    origin = loaded.run.forked_from
    if origin is not None and ctx.store.known_runs([origin["run_id"]]):
        return message_at(ctx, origin["run_id"], origin["step"])
    base = ctx.store.segments(loaded.run.run_id)[0].base
    return "" if base is None else _likely(loaded.app, base, loaded.run.kernel)


def _likely(app: App, base: Mapping[str, Any], kernel: str) -> str:
    """What had been streamed when a saved state was written, as far as the state tells."""
    runtime = read_runtime_state(base["state"])
    names = edge_names(list(app.graph["edges"])) if runtime.has_positional_edges else {}
    known = base.get("saved_by") or kernel
    return rebuild(graph_of(app.graph, app.root), base_of(runtime, names), kernel=known).shown
