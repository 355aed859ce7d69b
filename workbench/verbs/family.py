"""What is different in a fork, and what a chat user got from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.diff import Change, diff
from workbench.core.findings.dify import gate_fate
from workbench.records.runtime_state import read_runtime_state
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment
from workbench.verbs.fork import KERNEL_OF_DIFY
from workbench.verbs.inspect import LoadedRun, open_run

if TYPE_CHECKING:
    from workbench.store.rows import SegmentRow


@dataclass(frozen=True)
class ForkFacts:
    """A run, and what makes it different from the one it was forked from.

    Attributes:
        streamed: what a chat user saw of it, earlier runs aside.
        silent: it ended with an answer of which nothing was streamed.
        gate: how the gate went on, None for a run that is no fork.
        kernels: the engine of the parent and its own, None where they are the same.
        dify: the Dify that goes on like this with engine and gate, in words; None where none does.
        app_changed, script_changed: it went on with another version of the app, another script.
        variables: what was set at the fork.
        forms: what was submitted to go on, by node id.
        file_id: the stored pause that it went on from, where it was no pause of a run.
    """

    run_id: str
    streamed: str
    silent: bool
    gate: str | None = None
    kernels: tuple[str, str] | None = None
    dify: str | None = None
    app_changed: bool = False
    script_changed: bool = False
    variables: tuple[Change, ...] = ()
    forms: Mapping[str, Any] | None = None
    file_id: str | None = None
    environment: Environment = ()


def fork_facts(ctx: Context, run_id: str) -> ForkFacts:
    """All that is known of a run as a member of its family.

    Raises:
        NotFoundError: no such run.
    """
    loaded = open_run(ctx, run_id)
    first = ctx.store.segments(run_id)[0]
    streamed, silent = outcome(loaded)
    origin = loaded.run.forked_from
    file_id = (first.base or {}).get("file_id")
    if origin is None:
        return ForkFacts(run_id, streamed, silent, file_id=file_id, environment=loaded.environment)
    known = ctx.store.known_runs([origin["run_id"]])
    parent = open_run(ctx, origin["run_id"], until=origin["step"]) if known else None
    return ForkFacts(
        run_id,
        streamed,
        silent,
        gate=first.gate_mode,
        kernels=_kernels(parent, first, origin["step"]),
        dify=dify_like(first.kernel, first.gate_mode),
        app_changed=parent is not None and parent.run.app_id != loaded.run.app_id,
        script_changed=parent is not None and _script(ctx, parent, origin["step"]) != first.script,
        variables=() if parent is None else _variables(parent, first),
        forms=first.forms,
        file_id=file_id,
        environment=loaded.environment,
    )


def outcome(loaded: LoadedRun) -> tuple[str, bool]:
    """What was streamed in this run, and whether it ended with an answer that nobody saw."""
    streamed = loaded.timeline.at(loaded.timeline.steps).streamed
    ended = loaded.run.status in ("succeeded", "partial-succeeded")
    return streamed, ended and bool(loaded.run.answer) and not streamed


def dify_like(kernel: str, gate: str | None) -> str | None:
    """The Dify that goes on with this engine and this gate."""
    for first, known in KERNEL_OF_DIFY:
        if known != kernel:
            continue
        version = "main" if first[0] > 999 else "1.15" if first == (0, 0) else ".".join(map(str, first))
        kept = gate_fate(version) == "kept"
        return f"Dify {version}" if kept == (gate == "restored") and gate != "healed" else None
    return None


def _kernels(parent: LoadedRun | None, first: SegmentRow, step: int) -> tuple[str, str] | None:
    if parent is None:
        return None
    timeline = parent.timeline
    segment = timeline.segments[timeline.segment_of(min(step, timeline.steps))]
    before = segment.kernel or timeline.journal.kernel
    return None if before == first.kernel else (before, first.kernel)


def _script(ctx: Context, parent: LoadedRun, step: int) -> Mapping[str, Any]:
    at = parent.timeline.segment_of(min(step, parent.timeline.steps))
    return ctx.store.segments(parent.run.run_id)[at].script


def _variables(parent: LoadedRun, first: SegmentRow) -> tuple[Change, ...]:
    if first.base is None:
        return ()
    started = read_runtime_state(first.base["state"]).variables
    before = parent.timeline.at(parent.timeline.steps).variables
    return tuple(change for change in diff(_kept(before), _kept(started)) if change.op != "remove")


def _kept(variables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Without what the engine writes itself."""
    return {node: dict(values) for node, values in variables.items() if node not in ("sys", "env")}
