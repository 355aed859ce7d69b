"""Exercises of the lessons in `notebooks/`: an answer is right, or a hint is given."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from workbench.errors import UsageError
from workbench.notebook import html
from workbench.notebook.lesson_apps import agent_session, diamonds, two_models

__all__ = ["EXERCISES", "Exercise", "Verdict", "agent_session", "check", "diamonds", "digest", "two_models"]


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise.

    Attributes:
        digest: of its answer, so that reading this file does not give it away.
        hints: one by one, a wrong answer each; the last one stays.
    """

    digest: str
    hints: tuple[str, ...]


def digest(answer: Any) -> str:
    """The digest of an answer; the order of names, letter case and spaces around them do not matter."""
    several = isinstance(answer, set | frozenset | list | tuple)
    words = sorted(str(each).strip().casefold() for each in (answer if several else [answer]))
    return sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]


EXERCISES: dict[str, Exercise] = {
    "first-text": Exercise(
        "6b86b273ff34fce1",
        (
            "Go through `other.steps` as the run above was gone through.",
            "`next(step for step in other.steps if step.streamed)` is the step; its number is wanted.",
        ),
    ),
    "blocking-edges": Exercise(
        "8d9368f4bcb95f54",
        (
            "`run.at(1).gate.paths_map` has a list of paths for each Answer; a path is a list of edge ids.",
            "Look under the key `rejected`: both edges of its only path count.",
        ),
    ),
    "queued": Exercise(
        "d36be6494248ee06",
        (
            "`run.at(1).gate.table` has a row for each Answer.",
            "Look at the column `state` of `run.at(1).gate.table`.",
        ),
    ),
    "gate-key": Exercise(
        "e3582f1b42d9ca96",
        (
            "Lesson 2 had its name: the edges of each path to an Answer.",
            "Print `gate` key by key: one holds lists of edge ids.",
        ),
    ),
    "lost-edge": Exercise(
        "b3e68f02e3d43f7a",
        (
            "The finding names it.",
            "Look at `lost.why()[0].edges`.",
        ),
    ),
    "locked-apps": Exercise(
        "5dc532c1e0a37b85",
        (
            "Read the last column of the table. An app can have two findings.",
            "One app with two findings counts as well: the one with an Answer before its form.",
        ),
    ),
    "owed": Exercise(
        "f445114a5f4e40f2",
        (
            "Only what was not read yet comes.",
            "Replace the note in the last result of this lesson.",
        ),
    ),
    "read-after-retry": Exercise(
        "223189358b15aac5",
        (
            "What was streamed stays; the second attempt begins from the start.",
            "Run the first cell again with `after_chunks: 1` and look at `run.streamed`.",
        ),
    ),
    "rounds": Exercise(
        "d4735e3a265e16ee",
        (
            "Each execution is a row of `closed.nodes`.",
            "Count the rows of `closed.nodes` whose `node_id` is `llm`.",
        ),
    ),
    "paths": Exercise(
        "e39eef82f61b21e2",
        (
            "Each diamond doubles the paths.",
            "Two to the power of ten.",
        ),
    ),
    "window": Exercise(
        "ef2d127de37b942b",
        (
            "The window counts rows, from the running turn back to the one that must be there.",
            "Turn 2 up to turn 6, both included; `smallest.window` knows.",
        ),
    ),
    "branch-window": Exercise(
        "ef2d127de37b942b",
        (
            "Every row takes a place, whether a model sees it or not.",
            "Try `branch.with_(window=...).kept` with larger windows.",
        ),
    ),
    "agent-context": Exercise(
        "5a0b83e19c5750ee",
        (
            "`session.total` must not be above the target.",
            "The target is four fifths of the context.",
        ),
    ),
}

_tries: dict[str, int] = {}
"""How often each exercise was answered wrong in this process."""


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether an answer is right: its truth. It shows itself, with a hint where it is not."""

    right: bool
    words: str

    def __bool__(self) -> bool:
        return self.right

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return html.tag("p", html.tag("strong", "✓ " if self.right else "… "), self.words).markup


def check(name: str, answer: Any) -> Verdict:
    """Whether the answer to a lesson's exercise is right; if not, a hint: another one at the next try.

    Raises:
        UsageError: there is no such exercise.
    """
    exercise = EXERCISES.get(name)
    if exercise is None:
        raise UsageError(f"There is no exercise {name!r}.", f"There are {', '.join(EXERCISES)}.", "")
    if answer is None or answer is ...:
        return Verdict(False, f"Put your answer in place of the dots. {exercise.hints[0]}")
    if digest(answer) == exercise.digest:
        _tries.pop(name, None)
        return Verdict(True, "Right.")
    tried = _tries.get(name, 0)
    _tries[name] = tried + 1
    return Verdict(False, f"Not yet. {exercise.hints[min(tried, len(exercise.hints) - 1)]}")
