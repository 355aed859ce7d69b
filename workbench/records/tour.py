"""`tour.yml`: an example told step by step, with what the workbench does at each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import parse_yaml, read_file

PANELS = ("graph", "gate", "timeline", "stream", "variables", "events", "findings", "node", "resume")
KEYS = ("title", "run", "resume", "show", "compare", "look", "ask", "answer", "check")


@dataclass(frozen=True)
class Place:
    """Where in a run to look.

    Attributes:
        of: the name of a run or resume of this tour.
        step: None is where that run or resume ended.
        node: selected in the graph.
    """

    of: str
    step: int | None = None
    panel: str | None = None
    node: str | None = None


@dataclass(frozen=True)
class TourStep:
    """One step.

    Attributes:
        run: arguments of a run, with its name under "as"; or none.
        resume: arguments of a resume: "as", "of" (a name), "gate", "action", "fields"; or none.
        compare: two names.
        ask, answer: what to predict, and how it is.
        check: what a test holds the text to.
    """

    title: str
    look: str
    run: Mapping[str, Any] = field(default_factory=dict)
    resume: Mapping[str, Any] = field(default_factory=dict)
    show: Place | None = None
    compare: tuple[str, str] | None = None
    ask: str = ""
    answer: str = ""
    check: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Tour:
    """A tour and the folder of its app."""

    name: str
    title: str
    about: str
    steps: tuple[TourStep, ...]
    folder: Path


def read_tour(folder: Path) -> Tour:
    """The tour of an example.

    Raises:
        BadInputError: the file is no tour; the message names the step.
    """
    path = folder / "tour.yml"
    raw = parse_yaml(read_file(path), str(path))
    try:
        steps, made = [], set[str]()
        for number, one in enumerate(raw["steps"], 1):
            steps.append(_step(one, made, f"{path}, step {number}"))
        return Tour(folder.name, str(raw["title"]), str(raw["about"]).strip(), tuple(steps), folder)
    except (KeyError, TypeError, AttributeError) as error:
        raise _wrong(str(path), f"{error} is missing or not what it should be") from error


def _step(raw: Mapping[str, Any], made: set[str], where: str) -> TourStep:
    unknown = [key for key in raw if key not in KEYS]
    if unknown:
        raise _wrong(where, f"unknown key {unknown[0]!r}")
    run, resume = raw.get("run") or {}, raw.get("resume") or {}
    if resume and resume["of"] not in made:
        raise _wrong(where, f"nothing before it is named {resume['of']!r}")
    for doing in (run, resume):
        if doing:
            made.add(doing["as"])
    show = raw.get("show")
    place = None if show is None else Place(show["of"], show.get("step"), show.get("panel"), show.get("node"))
    pair = raw.get("compare")
    named = [*([place.of] if place else []), *(pair or ())]
    if missing := [name for name in named if name not in made]:
        raise _wrong(where, f"nothing before it is named {missing[0]!r}")
    if place and place.panel is not None and place.panel not in PANELS:
        raise _wrong(where, f"{place.panel!r} is no panel")
    if bool(raw.get("ask")) != bool(raw.get("answer")):
        raise _wrong(where, "a question needs its answer")
    return TourStep(
        str(raw["title"]),
        str(raw["look"]).strip(),
        run,
        resume,
        place,
        None if pair is None else (pair[0], pair[1]),
        str(raw.get("ask") or "").strip(),
        str(raw.get("answer") or "").strip(),
        raw.get("check") or {},
    )


def _wrong(where: str, why: str) -> BadInputError:
    return BadInputError(
        "This is no tour.", f"{where}: {why}.", "fixtures/README.md says how one is written."
    )
