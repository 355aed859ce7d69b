"""`run`: an app on the real engine, from its start to its end or first pause."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.graph_of import graph_of, root_scope
from workbench.records.app import App
from workbench.records.inputs import fill_inputs, system_variables
from workbench.verbs.context import Context
from workbench.verbs.conversing import turn_of
from workbench.verbs.names import kernel_name, new_run_id
from workbench.verbs.options import RunOptions, ScriptSource, checked, load_script, too_many_paths
from workbench.verbs.results import RunResult
from workbench.verbs.segment import Segment, play, ready_kernel, started_early
from workbench.verbs.target import find_app
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control

GREETING = "Hello"
"""The query of a chatflow that is run without one."""


def run(
    ctx: Context,
    app: App | Path | str,
    *,
    query: str | None = None,
    inputs: Mapping[str, Any] | None = None,
    environment: Mapping[str, Any] | None = None,
    script: ScriptSource = None,
    kernel: str | None = None,
    run_id: str | None = None,
    options: RunOptions | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
) -> RunResult:
    """Run an app once and record it.

    Args:
        app: read already, or a file, an app's id, or the id of a run of it.
        query: what the user says in a chatflow; "Hello" when None. Other apps have none.
        inputs: start-form values by name; strings are cast to the field's type, what is missing is filled.
        environment: values of environment variables for this run only; an export leaves secrets empty.
        run_id: the new run's id; made when None.

    Raises:
        UsageError: a name is wrong (kernel, input, environment variable, node, run id taken).
        BadInputError: the app or the script can't be used.
        KernelError: the engine kernel can't be built or broke.
    """
    from workbench.engine.order import Order

    watcher = watcher or Watcher()
    chosen = kernel_name(ctx, kernel)
    found = app if isinstance(app, App) else find_app(ctx, app)
    graph = graph_of(found.graph, found.root)
    wanted = checked(options or RunOptions(), graph)
    chat = found.mode == "advanced-chat"
    notes = found.notes
    if query is not None and not chat:
        notes = (*notes, f"The query is not used: a {found.mode} app has none.")
    new_id = new_run_id(run_id)
    filled = fill_inputs(found, inputs or {})
    turn = turn_of(ctx, found, wanted.memory, query or GREETING, new_id)
    system = system_variables(
        found,
        query=(query or GREETING) if chat else "",
        run_id=new_id,
        conversation_id=None if turn is None else turn.chat.id,
        dialogue_count=1 if turn is None else len(turn.chat.rows) + 1,
    )
    replies = load_script(script, found)
    app_payload = found.payload(environment)
    raw = too_many_paths(root_scope(graph))
    ready_kernel(ctx, chosen, watcher, control)
    payload = wanted.payload(raw=raw)
    with started_early(ctx, chosen, payload) as early:
        app_id = ctx.store.put_app(found)
        recorder = ctx.store.begin_run(
            run_id=new_id,
            app_id=app_id,
            app_name=found.name,
            mode=found.mode,
            kernel=chosen,
            inputs=filled,
            system=system,
            script=replies,
            options=payload,
        )
        order = Order(
            kernel=chosen,
            run_id=new_id,
            payload=app_payload if turn is None else turn.payload(app_payload),
            script=replies,
            limits=wanted.limits(graph),
            options=payload,
            inputs=filled,
            system=system,
            state=None,
            gate=None,
            forms={},
            answers=None if turn is None else turn.answers,
        )
        return play(ctx, order, Segment(found, graph, notes=notes), recorder, watcher, control, early)
