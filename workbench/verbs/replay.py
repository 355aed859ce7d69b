"""`replay`: a recorded run again on the real engine, its recorded outputs as script, and both compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.captures.compared import Parting, partings
from workbench.core.captures.played import Explained
from workbench.core.captures.run import CapturedRun, NodeRun
from workbench.core.captures.script import FORM, script_of
from workbench.core.finding import Finding
from workbench.core.findings.naming import listing
from workbench.core.graph import Graph
from workbench.errors import BadInputError, UsageError
from workbench.records.app import App
from workbench.records.inputs import fill_inputs
from workbench.records.script import read_script
from workbench.verbs.captures import find_capture, replayable
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment
from workbench.verbs.forms import TIMEOUT
from workbench.verbs.heal import GATELESS_KERNEL
from workbench.verbs.inspect import load_run
from workbench.verbs.results import RunResult
from workbench.verbs.resume import resume
from workbench.verbs.run import run
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control


@dataclass(frozen=True)
class ReplayResult:
    """A recorded run and its replay.

    Attributes:
        result: of the replay's last segment.
        gates: what each resume of the replay did with the gate, as the stream tells.
        partings: where they differ.
        causes: why, as far as it is known.
        findings: of the recorded run.
        notes: what could not be replayed as it was.
    """

    name: str
    recorded: CapturedRun
    result: RunResult
    gates: tuple[str, ...]
    partings: tuple[Parting, ...]
    causes: tuple[str, ...]
    findings: tuple[Finding, ...]
    graph: Graph
    environment: Environment
    notes: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """The client was sent the same, and the same nodes ran."""
        return not any(parting.grave for parting in self.partings)


def replay(
    ctx: Context,
    target: Path | str,
    *,
    app: Path | str | None = None,
    kernel: str | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
) -> ReplayResult:
    """Play a recorded run again and compare.

    Args:
        app: None takes the only imported app with all its nodes.
        kernel: None takes the engine of Dify 1.15 where the stream tells of a lost gate, else the newest.

    Raises:
        UsageError: no recording, no app, or no run in it that is recorded from its start.
        KernelError: the engine can't be had.
    """
    found = find_capture(ctx, target)
    if found is None:
        raise UsageError(
            f"{target} is no recorded stream.",
            "`replay` plays an SSE recording again.",
            "A run or a pause goes on with: workbench resume, workbench fork.",
        )
    opened, recorded, explained = replayable(ctx, found, app, "replay")
    assert opened.app is not None
    assert opened.graph is not None
    played = _Played(ctx, opened.app, opened.graph, recorded, explained, watcher, control)
    result = played.play(kernel or (GATELESS_KERNEL if "fresh" in explained.gates else None))
    timeline = load_run(ctx, result.run_id).timeline
    differing = partings(opened.graph, recorded, timeline)
    return ReplayResult(
        found.name,
        recorded,
        result,
        explained.gates,
        differing,
        tuple(_causes(recorded, differing, played, result)),
        explained.findings,
        opened.graph,
        opened.environment,
        (*opened.notes, *played.notes),
    )


class _Played:
    """Plays the recorded run segment by segment.

    Attributes:
        untold: nodes whose answer the recording does not tell.
        notes: what could not be replayed as it was.
    """

    def __init__(
        self,
        ctx: Context,
        app: App,
        graph: Graph,
        recorded: CapturedRun,
        explained: Explained,
        watcher: Watcher | None,
        control: Control | None,
    ) -> None:
        self.ctx, self.app, self.recorded, self.explained = ctx, app, recorded, explained
        self.notes: list[str] = []
        script, untold = script_of(graph, recorded)
        self.untold = list(untold)
        self._script = self._accepted(script)
        self._more: dict[str, Any] = {"watcher": watcher, "control": control}

    def play(self, kernel: str | None) -> RunResult:
        """The whole run; it ends where the recording does, or where it can't go on."""
        query = self.recorded.inputs.get("sys.query")
        result = run(
            self.ctx,
            self.app,
            query=query if isinstance(query, str) and self.app.mode == "advanced-chat" else None,
            inputs=self._inputs(),
            script=self._script,
            kernel=kernel,
            **self._more,
        )
        left = [node for node in self.recorded.nodes if node.type == FORM and node.status == "succeeded"]
        left.sort(key=lambda node: node.filled or node.finished or 0)
        for gate in self.explained.gates:
            waiting = {reason.get("node_id") for reason in result.pause.reasons} if result.pause else set()
            node = next((each for each in left if each.node in waiting), None)
            if node is None:
                break
            left.remove(node)
            result = self._submitted(result, node, gate)
        return result

    def _submitted(self, result: RunResult, node: NodeRun, gate: str) -> RunResult:
        outputs = node.outputs or {}
        assert result.pause is not None
        reason = next(each for each in result.pause.reasons if each.get("node_id") == node.node)
        known = {each["name"] for each in reason.get("fields") or ()}
        if node.outputs is None and known and node.expired is None:
            self.notes.append(f"What was written into the form {node.title!r} is not in the recording.")
        return resume(
            self.ctx,
            result.run_id,
            action=TIMEOUT if node.expired is not None else node.action or outputs.get("__action_id"),
            node=node.node,
            fields={name: value for name, value in outputs.items() if name in known},
            gate=gate,
            **self._more,
        )

    def _inputs(self) -> dict[str, Any]:
        """Values of the start form: those of the recording that the app takes."""
        start = next((node for node in self.recorded.nodes if node.type == "start"), None)
        told = {**self.recorded.inputs, **((start.outputs or start.inputs or {}) if start else {})}
        given: dict[str, Any] = {}
        for name in (each.name for each in self.app.inputs):
            if told.get(name) is None:
                continue
            try:
                fill_inputs(self.app, {name: told[name]})
                given[name] = told[name]
            except UsageError as error:
                self.notes.append(f"Input {name!r} is made up: {error.title}.")
        return given

    def _accepted(self, script: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The entries that fit the app; of the others the engine makes the answer up."""
        nodes: dict[str, Any] = {}
        for node, entry in script.items():
            data = json.dumps({"nodes": {node: entry}}).encode()
            try:
                nodes |= read_script(data, self.app, "the recording")["nodes"]
            except BadInputError as error:
                self.untold.append(node)
                self.notes.append(f"The recorded answer of {node} does not fit the app: {error.cause}")
        return {"nodes": nodes}


def _causes(
    recorded: CapturedRun, differing: tuple[Parting, ...], played: _Played, result: RunResult
) -> list[str]:
    """Why they part, the likely first."""
    if not any(parting.grave for parting in differing):
        return []
    causes = []
    if played.untold:
        names = listing(sorted(set(played.untold)))
        causes.append(f"The recording does not tell what {names} answered: the replay's answers are made up.")
    if played.explained.inferred.unknown:
        causes.append("The app is another version of the one that ran.")
    if result.stream_error is not None:
        causes.append(f"The replay's stream broke: {result.stream_error}")
    if result.error is not None and recorded.error is None:
        causes.append(f"The replay failed: {result.error}")
    if recorded.status is None:
        causes.append("The recording ends before the run does.")
    grave = [f for f in played.explained.findings if f.severity == "error"]
    if any(parting.what == "text" for parting in differing):
        causes += [f"The recorded run shows {finding.code}: {finding.message}" for finding in grave]
    return causes
