"""The guided tours: small apps that are run on the real engine, and what to look at in each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import workbench
from workbench.errors import WorkbenchError
from workbench.verbs.context import Context
from workbench.verbs.resume import resume
from workbench.verbs.run import run

PANELS = ("graph", "gate", "timeline", "stream", "variables", "events", "findings", "node", "resume")
PLACES = ("start", "pause", "end")


@dataclass(frozen=True)
class TourStep:
    """One step.

    Attributes:
        say: what to look at, and why.
        ask, answer: a question to predict before it is answered; "" for none.
        run, resume: arguments of what is done first; None for nothing.
        at: where the debugger stands then: "start", "pause" (the last one) or "end".
        panel: what is looked at.
        expect: what must come out; the tests hold the texts to it.
    """

    title: str
    say: str
    ask: str = ""
    answer: str = ""
    run: Mapping[str, Any] | None = None
    resume: Mapping[str, Any] | None = None
    at: str = "end"
    panel: str = "graph"
    expect: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Tour:
    """An app and the steps through it."""

    name: str
    title: str
    about: str
    app: Path
    script: Path | None
    steps: tuple[TourStep, ...]


@dataclass(frozen=True)
class Progress:
    """How far somebody is: the run that is looked at, and the pause that waits or was resumed last."""

    run_id: str | None = None
    pause_id: str | None = None
    status: str = ""
    streamed: str = ""


def tours() -> tuple[Tour, ...]:
    """All tours, in their order.

    Raises:
        WorkbenchError: they are missing (a broken installation).
    """
    tours_folder, apps = _folders()
    return tuple(read_tour(file, apps) for file in sorted(tours_folder.glob("*.yml")))


def read_tour(file: Path, apps: Path) -> Tour:
    """A tour from its file; `apps` is the folder that its app is named in.

    Raises:
        WorkbenchError: it is none.
    """
    from workbench.records.yaml_reading import read_yaml

    value = read_yaml(file.read_bytes(), file.name).value
    folder = apps / value["app"]
    script = folder / "script.yml"
    return Tour(
        file.stem,
        value["title"],
        value["about"],
        folder / "app.yml",
        script if script.is_file() else None,
        tuple(_step(each, file.name) for each in value["steps"]),
    )


def _step(value: Mapping[str, Any], source: str) -> TourStep:
    done = value.get("do") or {}
    step = TourStep(
        value["title"],
        value["say"],
        value.get("ask", ""),
        value.get("answer", ""),
        done.get("run"),
        done.get("resume"),
        value.get("at", "end"),
        value.get("panel", "graph"),
        value.get("expect"),
    )
    if step.panel not in PANELS or step.at not in PLACES:
        raise WorkbenchError(f"{source}: the step {step.title!r} names no panel or place.")
    return step


def play_step(ctx: Context, tour: Tour, number: int, progress: Progress) -> Progress:
    """Do what a step does, on the real engine; a step that does nothing leaves the progress as it is.

    Raises:
        WorkbenchError: as `run` and `resume`.
    """
    step = tour.steps[number]
    if step.run is not None:
        result = run(ctx, tour.app, query=step.run.get("query"), script=tour.script)
    elif step.resume is not None and progress.pause_id is not None:
        given = step.resume
        result = resume(
            ctx,
            progress.pause_id,
            action=given.get("action"),
            node=given.get("node"),
            fields=given.get("fields") or {},
            gate=given.get("gate"),
        )
    else:
        return progress
    pause = progress.pause_id if result.pause is None else result.pause.pause_id
    return replace(
        progress,
        run_id=result.run_id,
        pause_id=pause,
        status=result.status,
        streamed="".join(result.chunks),
    )


def bundled() -> dict[str, Path]:
    """The folders of all bundled apps by name: the examples first, then those of the tours and lessons."""
    from workbench.verbs.story import example_file

    _, apps = _folders()
    files = [*sorted(example_file().parents[1].glob("*/app.yml"))]
    files += [file for kind in ("shapes", "odd") for file in sorted((apps / kind).glob("*/app.yml"))]
    return {file.parent.name: file.parent for file in files}


def _folders() -> tuple[Path, Path]:
    """Where the tours and their apps are: in the package when it was installed, in a checkout beside it."""
    package = Path(workbench.__file__).resolve().parent
    for folder in (package / "_fixtures", package.parent / "fixtures"):
        if (folder / "tours").is_dir():
            return folder / "tours", folder
    raise WorkbenchError(
        "The tours are missing.", f"Looked beside {package}.", "Install answer-workbench again."
    )
