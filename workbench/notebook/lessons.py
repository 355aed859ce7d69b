"""Exercises of the lessons: an answer is right, or a hint is given. Answers are kept as digests only."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from workbench.errors import UsageError
from workbench.notebook import html


@dataclass(frozen=True, slots=True)
class Exercise:
    """What an exercise asks, the digest of its answer, and a hint."""

    digest: str
    hint: str


def digest(answer: Any) -> str:
    """The digest of an answer; order and letter case of names do not matter."""
    if isinstance(answer, set | frozenset | list | tuple):
        words = sorted(str(each).strip().casefold() for each in answer)
    else:
        words = [str(answer).strip().casefold()]
    return sha256("\0".join(words).encode()).hexdigest()[:16]


EXERCISES: dict[str, Exercise] = {
    "first-chunk": Exercise(digest(12), "Go through the steps and look for the first with `streamed`."),
    "reject-edges": Exercise(
        digest(["check-true-hum-target", "hum-reject-rejected-target"]),
        "`run.at(0).gate.paths_map` has a list of edges for each Answer.",
    ),
    "state-at-pause": Exercise(digest("locked"), "Look at the gate: `run.gate`."),
    "saved-parts": Exercise(digest(["gate", "state"]), "`pause.source` has the two texts that were saved."),
    "lost-edge": Exercise(digest("check-true-hum-target"), "`lost.why()[0].edges` names it."),
    "repeated": Exercise(digest("First. "), "Compare `streamed` before the pause with that of the resume."),
    "healed": Exercise(digest(0), "A healed gate streams what is still owed, and nothing twice."),
    "stored": Exercise(digest("abc"), "`run.answer` is what was stored."),
    "in-loop": Exercise(digest("done"), "`run.streamed` is what the chat user read."),
    "paths": Exercise(digest(1024), "Each diamond doubles the ways: 2 ** 10."),
    "window": Exercise(digest(5), "`memory.smallest(...)` tells it, the running turn included."),
    "inner": Exercise(digest("what the Answer said"), "Every node reads the same rows."),
}


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether an answer is right; truth is its value."""

    right: bool
    words: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return html.tag("p", html.tag("strong", "✓ " if self.right else "… "), self.words).markup


def check(name: str, answer: Any) -> Verdict:
    """Check the answer to an exercise of a lesson.

    Raises:
        UsageError: there is no such exercise.
    """
    found = EXERCISES.get(name)
    if found is None:
        raise UsageError(f"There is no exercise {name!r}.", f"There are {', '.join(EXERCISES)}.", "")
    if answer is None or answer is ...:
        return Verdict(False, f"Put your answer in place of the dots. {found.hint}")
    if digest(answer) == found.digest:
        return Verdict(True, "Right.")
    return Verdict(False, f"Not yet. {found.hint}")
