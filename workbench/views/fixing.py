"""What `check --fix` changed, and what shows that it is right: JSON and lines for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from workbench.views.safe import safe_line
from workbench.views.secrets import Mask
from workbench.views.shapes import VERSION, finding_json

if TYPE_CHECKING:
    from workbench.verbs.fixing import Fix, FixResult
    from workbench.verbs.proving import Proof

WIDTH = 100


def fixed_json(result: FixResult, output: str | None, mask: Mask) -> dict[str, Any]:
    """As docs/json.md tells; `output` is the file that was written, or null."""
    return {
        "version": VERSION,
        "app": mask.text(result.name),
        "dify": result.dify,
        "changed": result.changed,
        "fixes": [_fix_json(fix, mask) for fix in result.fixes],
        "left": [finding_json(finding, mask) for finding in result.left],
        "faithful": result.faithful,
        "proof": None if result.proof is None else _proof_json(result.proof, mask),
        "reason": None if result.reason is None else mask.text(result.reason),
        "notes": [mask.text(note) for note in result.notes],
        "output": output,
    }


def _fix_json(fix: Fix, mask: Mask) -> dict[str, Any]:
    return {
        "number": fix.number,
        "node_id": fix.finding.node_id,
        "finding": finding_json(fix.finding, mask),
        "change": mask.text(fix.words),
        "nodes_added": list(fix.nodes),
        "edges_added": list(fix.edges),
        "edges_removed": list(fix.removed),
        "applied": fix.applied,
    }


def _proof_json(proof: Proof, mask: Mask) -> dict[str, Any]:
    return {
        "kernel": proof.kernel,
        "runs": proof.runs,
        "resumes": proof.resumes,
        "same_text": proof.same_text,
        "all_shown": proof.all_shown,
        "harmed_before": proof.harmed,
        "problem": None if proof.problem is None else mask.text(proof.problem),
    }


def fixed_lines(result: FixResult, output: str | None, mask: Mask) -> Iterator[str]:
    """The same for people."""
    yield safe_line(mask.text(f"{result.name}, for Dify {result.dify}"))
    if result.reason is not None:
        yield from _wrapped(mask.text(f"Nothing to change. {result.reason}"))
    for fix in result.fixes:
        state = "" if fix.applied else " (left out)"
        yield from _wrapped(mask.text(f"{fix.number}. {fix.finding.node_id}{state}: {fix.words}"), "   ")
        for word, ids in (("+ node", fix.nodes), ("+ edge", fix.edges), ("- edge", fix.removed)):
            yield from (safe_line(f"   {word}  {one}") for one in ids)
    if result.proof is not None:
        yield from _wrapped(mask.text(_proved(result.proof)))
    for note in result.notes:
        yield from _wrapped(f"note: {note}")
    for finding in result.left:
        yield from _wrapped(mask.text(f"still {finding.severity} {finding.code}: {finding.message}"), "  ")
    if output is not None:
        yield safe_line(f"written  {output}")
    elif result.changed:
        yield "Nothing was written; -o FILE writes the changed app, --only N makes one change alone."


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(safe_line(text), WIDTH, subsequent_indent=indent, break_long_words=False)


def _proved(proof: Proof) -> str:
    if proof.problem is not None:
        return f"Checked, but not played on {proof.kernel}: {proof.problem}"
    if not proof.resumes:
        return (
            f"Played on {proof.kernel}: {_count(proof.runs, 'run')} with made-up answers, none of which came "
            "to a changed form; --script says what the world answers."
        )
    times = f"{_count(proof.runs, 'run')}, {_count(proof.resumes, 'resume')} without the gate's state"
    return (
        f"Played on {proof.kernel}: {times}. All text is shown, once, as where the gate is kept. Before the "
        f"change {proof.harmed} of them lost or repeated text."
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
