"""The verbs that run: run, resume, fork; waiting for the end, or not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.errors import UsageError
from workbench.notebook.base import Bench, Target, own_app
from workbench.notebook.listing import OnAllKernels, Runs
from workbench.notebook.pause import Pause
from workbench.notebook.playing import Playing
from workbench.notebook.run import Run
from workbench.verbs.options import RunOptions, ScriptSource


class Running(Bench):
    """What goes on."""

    def run(
        self,
        app: Target,
        query: str | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        environment: Mapping[str, Any] | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        **options: Any,
    ) -> Run:
        """Run an app on the real engine until it ends or pauses. Interrupting the cell stops the run.

        Args:
            app: an `App`, a file, an app's id, or a run of it.
            query: what the user says in a chatflow; "Hello" when None.
            inputs: values of the start form by name; what is missing is filled by type.
            environment: values of environment variables for this run, such as secrets left out of an export.
            script: what models, tools and forms answer: a dictionary, or a YAML file (kernels/SCRIPT.md).
            kernel: another engine kernel than the workbench's.
            break_before: node ids to pause before.
            options: the other fields of `workbench.verbs.options.RunOptions`: `real_code`, `real_http`,
                `model`, `model_name`, `max_steps`, `max_seconds` (seconds).

        Raises:
            UsageError: a name is wrong (kernel, input, node, run id taken).
            BadInputError: the app or the script can't be used.
            KernelError: the engine kernel can't be built, or broke.
        """
        return self.start(
            app,
            query,
            inputs=inputs,
            environment=environment,
            script=script,
            kernel=kernel,
            break_before=break_before,
            run_id=run_id,
            **options,
        ).result(self.progress)

    def start(
        self,
        app: Target,
        query: str | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        environment: Mapping[str, Any] | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        **options: Any,
    ) -> Playing:
        """As `run`, without waiting: `.result()` waits, `await` waits in an event loop, `.stop()` stops."""
        from workbench.verbs.run import run

        wanted, played = self.playable(app), _options(break_before, options)
        return self.play(
            lambda watcher, control: run(
                self.ctx,
                wanted,
                query=query,
                inputs=inputs,
                environment=environment,
                script=script,
                kernel=kernel,
                run_id=run_id,
                options=played,
                watcher=watcher,
                control=control,
            )
        )

    def run_on_all(self, app: Target, query: str | None = None, **arguments: Any) -> OnAllKernels:
        """Run an app on every engine kernel; arguments as `run`, without `kernel`."""
        from workbench.verbs.compare import run_on_all
        from workbench.verbs.target import find_app

        wanted = self.playable(app)
        record = find_app(self.ctx, wanted) if isinstance(wanted, Path | str) else wanted
        names = ("inputs", "environment", "script", "run_id")
        given = {name: arguments.pop(name) for name in names if name in arguments}
        played = _options(arguments.pop("break_before", ()), arguments)
        made = self.play(
            lambda watcher, control: run_on_all(
                self.ctx, record, query=query, options=played, watcher=watcher, control=control, **given
            )
        ).wait(self.progress)
        return OnAllKernels(Runs(tuple(map(self.run_made, made.runs))), made.differences)

    def resume(
        self,
        target: Target,
        *,
        app: Target | None = None,
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        gate: str | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        fork: bool = False,
        **options: Any,
    ) -> Run:
        """Go on from a pause: the run itself the first time, a fork of it after that (the notes tell).

        Args:
            target: a run (its last pause), a pause, or a saved pause.
            app: the app of a saved pause's file.
            action, node, fields: the form that is submitted; `node` only where several wait.
            gate: "restored", "fresh" (lost, as on Dify 1.15) or "healed"; None restores what was saved.
            script: None goes on with the run's own.
            kernel: None takes the one that saved the pause; a newer one is possible.
            fork: make a new run although the pause waits.

        Raises:
            UsageError: an action, field, node, gate or kernel that does not fit; the valid ones are told.
            WorkbenchError: there is no pause, or its gate was never saved and shall be restored.
        """
        made = self.start_resume(
            target,
            app=app,
            action=action,
            node=node,
            fields=fields,
            gate=gate,
            script=script,
            kernel=kernel,
            break_before=break_before,
            run_id=run_id,
            fork=fork,
            **options,
        ).result(self.progress)
        return made if fork else _told_of_fork(target, made)

    def start_resume(
        self,
        target: Target,
        *,
        app: Target | None = None,
        break_before: Sequence[str] | str = (),
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        gate: str | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        run_id: str | None = None,
        fork: bool = False,
        **options: Any,
    ) -> Playing:
        """As `resume`, without waiting; see `start`."""
        from workbench.verbs.resume import resume

        wanted, of_app, played = (
            self.target(target),
            self.app_target(app or own_app(target)),
            _options(break_before, options),
        )
        return self.play(
            lambda watcher, control: resume(
                self.ctx,
                wanted,
                app=of_app,
                action=action,
                node=node,
                fields=fields,
                gate=gate,
                script=script,
                kernel=kernel,
                run_id=run_id,
                fork=fork,
                options=played,
                watcher=watcher,
                control=control,
            )
        )

    def fork(
        self,
        target: Run | Pause | str,
        *,
        step: int | None = None,
        values: Mapping[str, Any] | None = None,
        app: Target | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        gate: str | None = None,
        dify: str | None = None,
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        **options: Any,
    ) -> Run:
        """Go on from any step as a new run; nodes that ended before it are not run again.

        Args:
            step: None is the last one. Inside a node the last place before it is taken; the notes tell.
            values: other values of variables, `{"llm.text": "what if"}`.
            app: another version of the app; node and edge ids connect it with the run.
            dify: go on as that Dify would ("1.15.0"): its engine, and its gate lost or kept.

        Raises:
            UsageError: no such step, variable, kernel or gate mode; or the changed app does not fit.
            WorkbenchError: nothing is left to run there.
        """
        from workbench.verbs.fork import fork
        from workbench.verbs.fork_state import Changes

        texts = {name: _text(value) for name, value in (values or {}).items()}
        changes = Changes(texts or None, script, self.app_target(app), kernel, gate, dify)
        wanted, played = str(self.target(target)), _options(break_before, options)
        return self.play(
            lambda watcher, control: fork(
                self.ctx,
                wanted,
                step=step,
                changes=changes,
                action=action,
                node=node,
                fields=fields,
                run_id=run_id,
                options=played,
                watcher=watcher,
                control=control,
            )
        ).result(self.progress)


def _options(break_before: Sequence[str] | str, options: Mapping[str, Any]) -> RunOptions:
    nodes = (break_before,) if isinstance(break_before, str) else tuple(break_before)
    known = set(RunOptions.__dataclass_fields__) - {"break_before"}
    for name in options:
        if name not in known:
            raise UsageError(f"There is no option {name!r}.", f"There are: {', '.join(sorted(known))}.")
    return RunOptions(break_before=nodes, **options)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _told_of_fork(target: Target, made: Run) -> Run:
    """The run, with a note where it became a fork because the pause was resumed before, here or elsewhere."""
    waited = target.run.id if isinstance(target, Pause) else target.id if isinstance(target, Run) else made.id
    if made.id == waited:
        return made
    note = f"The pause was resumed before, so this is a fork of it: run {waited} stays as it was."
    return replace(made, notes=(note, *made.notes))
