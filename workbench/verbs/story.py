"""`start`: the bundled example, from its pause to the same resume with the gate lost and restored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import workbench
from workbench.core.finding import AnswerState
from workbench.errors import WorkbenchError
from workbench.verbs.context import Context
from workbench.verbs.results import RunResult, WhyResult
from workbench.verbs.resume import resume
from workbench.verbs.run import run
from workbench.verbs.watch import Watcher
from workbench.verbs.why import why

EXAMPLE = "refund-approval"
QUERY = "My order arrived broken, I want my money back."
ACTION = "approve"
FIELDS = {"note": "The money is on its way."}


@dataclass(frozen=True, slots=True)
class Story:
    """What happened.

    Attributes:
        waiting: how the Answer that the approval leads to stood at the pause.
        lost, lost_why: the resume with a fresh gate, and what `why` says about it.
        restored, restored_why: the same pause resumed again, with its gate.
    """

    paused: RunResult
    at_pause: WhyResult
    waiting: AnswerState
    lost: RunResult
    lost_why: WhyResult
    restored: RunResult
    restored_why: WhyResult


def tell(ctx: Context, watcher: Watcher | None = None) -> Story:
    """Run the example, resume it with the gate lost, then fork the pause with the gate restored."""
    paused = start_example(ctx, watcher)
    if paused.pause is None:
        raise WorkbenchError(
            "The bundled example did not pause.",
            f"It ended as {paused.status}. {paused.error or ''}".strip(),
            "",
        )
    pause = paused.pause.pause_id
    at_pause = why(ctx, pause)
    answers = [answer for answer in at_pause.answers if answer.taken and answer.blocking] or list(
        at_pause.answers
    )
    lost = resume(ctx, pause, action=ACTION, fields=FIELDS, gate="fresh", watcher=watcher)
    lost_why = why(ctx, lost.run_id)
    restored = resume(ctx, pause, action=ACTION, fields=FIELDS, gate="restored", watcher=watcher)
    return Story(paused, at_pause, answers[0], lost, lost_why, restored, why(ctx, restored.run_id))


def start_example(ctx: Context, watcher: Watcher | None = None) -> RunResult:
    """Run the example to its pause."""
    return run(ctx, example_file(), query=QUERY, watcher=watcher)


def example_file() -> Path:
    """The example's app: in the package when it was installed, in `fixtures/` in a checkout.

    Raises:
        WorkbenchError: it is missing (a broken installation).
    """
    package = Path(workbench.__file__).resolve().parent
    for folder in (package / "_examples", package.parent / "fixtures" / "examples"):
        file = folder / EXAMPLE / "app.yml"
        if file.is_file():
            return file
    raise WorkbenchError(
        "The bundled example is missing.", f"Looked beside {package}.", "Install answer-workbench again."
    )
