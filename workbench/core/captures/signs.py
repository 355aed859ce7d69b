"""Signs in a recorded stream of known faults of Dify around pauses, forms and the start of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from workbench.core.captures.findings import name
from workbench.core.captures.run import CapturedRun
from workbench.core.finding import Finding

STOPPED: Final = "stopped-after-submit"
EXPIRED: Final = "form-expired"
SLICE: Final = "time-slice-without-resume"
UNTOLD: Final = "form-event-missing"
NO_TIMEOUT: Final = "timeout-branch-not-taken"
TWICE: Final = "run-started-twice"
NO_START: Final = "workflow-started-missing"
BARE: Final = "form-data-missing"
_APART: Final = 60
"""Seconds between two starts of the same run that are one mistake, not two wishes."""


def of_run(run: CapturedRun) -> Iterator[Finding]:
    """All signs in one run."""
    yield from _stopped(run)
    yield from _paused(run)
    yield from _forms(run)
    first = min(run.nodes, key=lambda node: node.first, default=None)
    if (
        run.begins == "middle"
        and first is not None
        and first.type == "start"
        and run.numbers[0] == first.started
    ):
        yield Finding(
            NO_START,
            "warning",
            None,
            "The stream begins with the start node: its workflow_started was lost.",
            "Upgrade to Dify 1.17: with the streams transport 1.13.3 to 1.16.1 lose it under load (issue "
            "#40948, "
            "PR #40964). The run itself is whole; a client must not wait for that event.",
            versions=("1.13.3", "1.16.1"),
        )


def of_runs(runs: Sequence[CapturedRun]) -> Iterator[Finding]:
    """Signs that two runs in one recording give together."""
    for one, other in pairwise(runs):
        near = one.started_at is not None and other.started_at is not None
        if not near or not one.inputs or abs((other.started_at or 0) - (one.started_at or 0)) > _APART:
            continue
        if (one.pauses or one.forms) and _asked(one) == _asked(other) and one.run_id != other.run_id:
            yield Finding(
                TWICE,
                "warning",
                None,
                f"Run {other.run_id} began {abs((other.started_at or 0) - (one.started_at or 0)):g} s after "
                f"{one.run_id} with the same inputs, while that one waits for a form.",
                "Known of the web app on Dify 1.16.0: after a form it starts a second whole run (issue "
                "#39686); the "
                "first stream then shows Stopped. Join the waiting run instead: GET /workflow/{run}/events.",
                versions=("1.16.0", "1.16.1"),
            )


def _asked(run: CapturedRun) -> dict[str, Any]:
    own = {"sys.workflow_run_id", "sys.timestamp", "sys.dialogue_count"}
    return {key: value for key, value in run.inputs.items() if key not in own}


def _stopped(run: CapturedRun) -> Iterator[Finding]:
    if run.status != "stopped":
        return
    error = run.error or ""
    if "global timeout" in error.lower():
        yield Finding(
            EXPIRED,
            "warning",
            None,
            f"The run was stopped because a form waited too long ({error}).",
            "That is the limit of the whole Dify (HUMAN_INPUT_GLOBAL_TIMEOUT_SECONDS, 7 days by "
            "default), not of "
            "the node. Start the run again.",
        )
    elif run.resumes:
        yield Finding(
            STOPPED,
            "error",
            None,
            f"The run was stopped right after it went on from a pause ({error or 'no reason is told'}). "
            "If nobody "
            "pressed stop, it is a known fault of Dify.",
            "Upgrade: 1.16.0 takes the listener that left at the pause for a user who stopped (issues "
            "#39448, #39750, "
            "mended by #39485); 1.16.1 still obeys a stale stop signal (#40878, mended by #40905): look at "
            "generate_task_stopped:{task_id} in Redis before a resume.",
            versions=("1.16.0", "1.16.1"),
        )


def _paused(run: CapturedRun) -> Iterator[Finding]:
    for reason in run.reasons if run.status == "paused" else ():
        if str(reason.get("TYPE") or reason.get("type")) == "scheduled_pause":
            yield Finding(
                SLICE,
                "warning",
                None,
                f"The run was paused by the scheduler ({reason.get('message') or 'no reason is told'}), "
                "without a "
                "form. Nothing in Dify resumes it by itself.",
                "It is the time slice of a queue with a limit. Resume it by hand: "
                "resume_workflow_execution with the "
                "run's id.",
            )


def _forms(run: CapturedRun) -> Iterator[Finding]:
    for form in run.forms:
        if form.bare:
            yield Finding(
                BARE,
                "warning",
                None,
                "A human_input_required came without any data: the form can't be shown or submitted from it.",
                "Dify 1.13 and 1.14.0-rc1 do that over the service API (issue #35504); newer ones send "
                "the form.",
                versions=("1.13", "1.14.0-rc1"),
            )
    ends = [node.first for node in run.nodes]
    for node in run.nodes:
        if node.type != "human-input" or node.status != "succeeded" or node.finished is None:
            continue
        went_on = any(first > node.finished for first in ends)
        if node.expired is not None and not went_on and run.ended is not None:
            yield Finding(
                NO_TIMEOUT,
                "error",
                node.node,
                f"{name(node)} timed out, and no node ran after it: its timeout branch was not taken.",
                "Upgrade: with Dify 1.16.1 the engine leaves by __timeout__ and the app's edge is __timeout "
                "(issues #40459, #40460).",
                versions=("1.16.0", "1.16.1"),
            )
        waited = node.paused and node.begun < node.segment
        if waited and node.filled is None and node.expired is None and node.outputs is not None:
            yield Finding(
                UNTOLD,
                "warning",
                node.node,
                f"{name(node)} was answered, but the stream has no human_input_form_filled for it: a "
                "client keeps "
                "the form's buttons and blocks its input.",
                "Upgrade to 1.17.1 or newer (issues #42062, #40076, mended by PR #42082), or let the "
                "client close the "
                "form at the node_finished of its node.",
                versions=("1.16.0", "1.17.0"),
            )
