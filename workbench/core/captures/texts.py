"""What each Answer of a recorded run said, against what its stream showed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from workbench.core.captures.run import CapturedRun, NodeRun

_THINK = re.compile(r"<think>.*?</think>\s*", re.DOTALL)
_LOOKED_AT: Final = 4_000
"""Characters of a text that a rough comparison looks at."""


@dataclass(frozen=True, slots=True)
class Facts:
    """How the stream and the Answers differ.

    Attributes:
        silent: Answers that ran and were not streamed at all.
        repeated: Answers that were streamed again after a resume, with the text that came again.
        differing: Answers of which the stream shows something else.
        disordered: all was shown, in another order than the Answers ran.
        unexplained: the final answer and the stream differ, and the Answers' own texts are not told.
    """

    silent: tuple[NodeRun, ...] = ()
    repeated: tuple[tuple[NodeRun, str], ...] = ()
    differing: tuple[NodeRun, ...] = ()
    disordered: bool = False
    unexplained: bool = False

    @property
    def nodes(self) -> frozenset[str]:
        """The Answers that were silent or repeated."""
        return frozenset(n.node for n in self.silent) | frozenset(n.node for n, _ in self.repeated)


def facts_of(run: CapturedRun) -> Facts:
    """Compare; nothing is judged that the recording does not hold to its end."""
    answers = [node for node in run.answers if (node.answer or "").strip() and _judged(run, node)]
    streamed = run.streamed()
    expected = "".join(node.answer or "" for node in answers)
    if _same(streamed, expected):
        return Facts()
    if not answers:
        ended = run.status in ("succeeded", "partial-succeeded")
        told = ended and run.whole and run.text_end is not None and run.answer is not None
        return Facts(unexplained=told and not _same(streamed, run.answer or ""))
    repeated = tuple(_repeated(run, answers))
    missing, rest = _taken_off(_plain(streamed), answers, [text for _, text in repeated])
    if not run.whole:
        missing = [node for node in missing if not rest or not (node.answer or "").rstrip().endswith(rest)]
    silent = tuple(node for node in missing if not _shares(rest, node.answer or ""))
    differing = tuple(node for node in missing if node not in silent)
    if not differing and not silent and not repeated and run.whole and rest:
        differing = tuple(node for node in answers if _shares(rest, node.answer or ""))[:1] or tuple(
            answers[:1]
        )
    disordered = not (silent or repeated or differing) and run.whole
    return Facts(silent, repeated, differing, disordered)


def _judged(run: CapturedRun, node: NodeRun) -> bool:
    """Does the recording go on to where the Answer's text must have come?"""
    if run.ended is not None or run.text_end is not None:
        return True
    return any(pause > (node.finished or 0) for pause in run.pauses)


def _plain(text: str) -> str:
    """Without what a model thought: the stream and the output treat that differently."""
    return _THINK.sub("", text).strip()


def _same(streamed: str, expected: str) -> bool:
    return streamed == expected or _plain(streamed) == _plain(expected)


def _repeated(run: CapturedRun, answers: list[NodeRun]) -> list[tuple[NodeRun, str]]:
    """Answers whose text opens a later segment again, and those begun before a pause that start over."""
    found: list[tuple[NodeRun, str]] = []
    for segment in range(1, len(run.segments)):
        text = run.streamed(segment)
        own = "".join(node.answer or "" for node in answers if node.segment == segment)
        for node in answers:
            said = node.answer or ""
            if node.segment < segment and text.startswith(said) and not own.startswith(said):
                found.append((node, said))
                text = text[len(said) :]
            elif node.segment == segment and text.startswith(said):
                before = run.streamed(segment - 1)
                begun = next((before[k:] for k in range(len(before)) if said.startswith(before[k:])), "")
                if begun.strip() and not any(
                    n.segment < segment and begun in (n.answer or "") for n in answers
                ):
                    found.append((node, begun))
    return found


def _taken_off(streamed: str, answers: list[NodeRun], repeated: list[str]) -> tuple[list[NodeRun], str]:
    """The Answers whose text the stream does not have, and what it has beside the others'."""
    missing, rest = set(), streamed
    for node in sorted(answers, key=lambda each: -len(each.answer or "")):
        text = _plain(node.answer or "")
        if text in rest:
            rest = rest.replace(text, "", 1)
        else:
            missing.add(id(node))
    for text in repeated:
        rest = rest.replace(_plain(text), "", 1)
    return [node for node in answers if id(node) in missing], rest.strip()


def _shares(rest: str, text: str) -> bool:
    """Can the rest be another form of this text?"""
    one, other = rest[:_LOOKED_AT], text[:_LOOKED_AT]
    if not one.strip():
        return False
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return match.size >= max(3, min(len(one), len(other)) // 5)
