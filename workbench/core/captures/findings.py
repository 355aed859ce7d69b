"""What a recorded run tells of silent and repeated Answers, without its app."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from workbench.core.captures.run import CapturedRun, NodeRun
from workbench.core.captures.texts import Facts, facts_of
from workbench.core.finding import Finding
from workbench.core.findings.container import INSIDE
from workbench.core.findings.difference import DIFFERS, ORDER
from workbench.core.findings.lost_gate import LOCKED, REPLAYED
from workbench.core.findings.naming import listing, quoted

LOSES: Final = ("1.15", "1.15")
"""The Dify that keeps the gate's state nowhere (Dify PR 38540, in 1.16, saves it)."""
LOCK_ADVICE: Final = (
    "Upgrade to Dify 1.16 or newer, which saves the gate's state (PR #38540); on 1.15 read the text from the "
    "outputs of the Answer's node_finished, or put no branch, Answer or assigner before the pause. Known as "
    "issues #38432, #38614 (behind a classifier) and #38824 (several forms in a row)."
)
REPLAY_ADVICE: Final = (
    "Upgrade to Dify 1.16 or newer, which saves the gate's state (PR #38540). On 1.15 put no Answer "
    "before the "
    "pause. Known as issue #38525."
)
_BLOCKING: Final = frozenset(
    {"if-else", "question-classifier", "human-input", "iteration", "loop", "answer", "assigner",
     "variable-assigner"}
)  # fmt: skip
"""Node types whose edges hold an Answer back (core.blocking)."""


def of_run(run: CapturedRun) -> Iterator[Finding]:
    """Silent, repeated and otherwise differing Answers, in that order."""
    facts = facts_of(run)
    for node in facts.silent:
        yield _silent(run, node)
    for node, text in facts.repeated:
        yield repeated(run, node, text)
    yield from differences(run, facts)


def differences(run: CapturedRun, facts: Facts) -> Iterator[Finding]:
    """What differs for another reason than a lost gate."""
    for node in facts.differing:
        yield Finding(
            DIFFERS,
            "warning",
            node.node,
            f"{name(node)} says {quoted(node.answer or '')}, but the stream shows {quoted(run.streamed())}.",
            "The run's outputs hold the answer. With --app APP the cause is looked for; a retried model, a "
            "default value or a variable named twice are the usual ones.",
        )
    if facts.unexplained:
        shown = quoted(run.streamed()) if run.streamed() else "nothing"
        yield Finding(
            DIFFERS,
            "warning",
            None,
            f"The run's answer is {quoted(run.answer or '')}, but the stream shows {shown}.",
            "The run's outputs hold the answer. Record the stream with its node events to see which "
            "Answer it was.",
        )
    if facts.disordered:
        yield Finding(
            ORDER,
            "warning",
            None,
            "The stream shows the Answers in another order than they ran in, or one of them more often: "
            f"{quoted(run.streamed())}.",
            "Put parallel Answers behind one another, or gather the texts and answer once.",
        )


def _silent(run: CapturedRun, node: NodeRun) -> Finding:
    said = f"{name(node)} succeeded with {quoted(node.answer or '')}, and the stream shows nothing of it"
    if node.container:
        return Finding(
            INSIDE,
            "error",
            node.node,
            f"{said}: it ran in a loop or iteration ({node.container}), and the gate knows no path into one.",
            "Collect the text in the loop or iteration and put an Answer behind it. Known as issues "
            "#38867 and "
            "#42547.",
            versions=("1.16", None),
        )
    before = _blockers(run, node) if run.resumes else []
    if run.resumes and (before or not run.whole):
        told = (
            f"before the pause the run passed {listing([name(each) for each in before])}, whose edges "
            "hold an "
            "Answer back, and the gate that was told of it did not survive the pause"
            if before
            else "what ran before the pause is not in the recording; a branch, Answer or assigner there, "
            "whose edge the gate forgot at the pause, is the known cause"
        )
        return Finding(
            LOCKED,
            "error",
            node.node,
            f"{said}: {told}.",
            f"{LOCK_ADVICE} --app APP names the edge.",
            versions=LOSES,
        )
    return Finding(
        DIFFERS,
        "error",
        node.node,
        f"{said}. No lock is seen: " + _why_no_lock(run),
        "Look at messages.status of the message (`paused` after the end: the final save was skipped, "
        "issue #38824; "
        "`normal` and empty: nothing was streamed), at the Dify version, and give the app: --app APP.",
    )


def _why_no_lock(run: CapturedRun) -> str:
    if run.resumes:
        return "nothing that holds an Answer back ran before the pause (as told in issue #38315)."
    return "the run did not go on from a pause."


def _blockers(run: CapturedRun, silent: NodeRun) -> list[NodeRun]:
    """What had ended before the newest pause and can hold an Answer back."""
    return [
        node
        for node in run.nodes
        if node.type in _BLOCKING
        and node is not silent
        and node.status in ("succeeded", "exception")
        and node.segment < silent.segment
    ]


def repeated(run: CapturedRun, node: NodeRun, text: str) -> Finding:
    """An Answer that a fresh gate streamed again."""
    return Finding(
        REPLAYED,
        "error",
        node.node,
        f"{name(node)} was streamed again after the resume: {quoted(text)} had come before the pause. "
        "The resume "
        "began without the gate's state, so the gate did not know of it.",
        REPLAY_ADVICE,
        versions=LOSES,
    )


def name(node: NodeRun) -> str:
    """`"Ask a person" (hum)`."""
    return f'"{node.title}" ({node.node})' if node.title != node.node else f'"{node.node}"'
