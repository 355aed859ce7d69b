"""The memory lab: sliders, the ledger of a turn, and turns against rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from workbench.errors import WorkbenchError
from workbench.verbs.memory import Remembered
from workbench.verbs.memory_lab import Lab
from workbench.views.memory import LEGEND, SIGNS, STAGE_WORDS
from workbench.views.memory_knobs import Knob, knobs, turned
from workbench.widgets import still
from workbench.widgets.frames import short
from workbench.widgets.given import MemoryLike
from workbench.widgets.wire import Asked

ROWS, TURNS, TEXT = 100, 200, 120
"""Rows of the ledger and lines of the matrix that are shown, the newest; characters of a text."""


class MemoryLab(Asked):
    """What a node remembers of a conversation, under sliders.

    Attributes:
        settings: the value of every setting by its name ("window", "budget", "turn", ...; None is the
            node's own or the formula's): set it from Python, observe what the user chose.
        lab: the conversation with these settings.
    """

    settings = traitlets.Dict().tag(sync=True)
    _title = traitlets.Unicode("").tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)

    def __init__(self, memory: MemoryLike) -> None:
        self.lab: Lab = memory.lab
        told = _told(self.lab)
        super().__init__(
            _view="memory",
            _title=f"Memory of {short(Path(self.lab.name).name, TEXT)}",
            _data=told,
            settings=_values(knobs(self.lab)),
        )

    @traitlets.validate("settings")  # type: ignore[untyped-decorator, unused-ignore]
    def _fitting(self, proposal: Any) -> dict[str, Any]:
        """Settings that exist; what is not named stays."""
        lab = self.lab
        current = _values(knobs(lab))
        try:
            for name, value in proposal["value"].items():
                if name not in current:
                    raise traitlets.TraitError(
                        f"There is no setting {name!r}. There are: {', '.join(current)}."
                    )
                if value != current[name]:
                    lab = turned(lab, name, value)
            told = _told(lab)
        except WorkbenchError as error:
            raise traitlets.TraitError(str(error)) from error
        self.lab = lab
        self._data = told
        return _values(knobs(lab))

    def still(self) -> str:
        data = self._data
        return still.card(
            self._title,
            still.line(data["head"]),
            still.line(data["formula"]),
            still.table(("turn", "what became of it", "tokens", "question", "answer"), data["rows"]),
            still.line("\n".join([LEGEND, *data["matrix"]])),
        )

    def words(self) -> str:
        return "\n".join([self._title, self._data["head"], LEGEND, *self._data["matrix"]])


def _values(found: list[Knob]) -> dict[str, Any]:
    return {knob.name: knob.choices[knob.at][0] for knob in found}


def _told(lab: Lab) -> dict[str, Any]:
    """Everything that is shown, bounded."""
    remembered = lab.remembered
    result = remembered.simulation
    rows = result.rows[-ROWS:]
    return {
        "knobs": [_knob(knob) for knob in knobs(lab)],
        "head": _head(remembered),
        "formula": result.budget.formula,
        "warnings": [[notice.code, short(notice.message, 400)] for notice in remembered.notices],
        "rows": [
            [r.turn, STAGE_WORDS[r.stage], r.tokens, short(r.row.query, TEXT), short(r.row.answer, TEXT)]
            for r in rows
        ],
        "stages": [r.stage for r in rows],
        "more": max(0, len(result.rows) - ROWS),
        "legend": LEGEND,
        "matrix": [
            f"{turn:>4} {''.join(SIGNS[cell] for cell in line)}"
            for turn, line in list(enumerate(lab.matrix, start=1))[-TURNS:]
        ],
    }


def _knob(knob: Knob) -> dict[str, Any]:
    choices = [[value, words] for value, words in knob.choices]
    return {"name": knob.name, "label": knob.label, "choices": choices, "at": knob.at}


def _head(remembered: Remembered) -> str:
    result = remembered.simulation
    kept = sum(row.stage == "kept" for row in result.rows)
    return (
        f"Turn {remembered.turn}: {kept} of {len(result.rows)} rows kept, "
        f"{len(remembered.messages)} messages, {result.used} of {result.budget.limit} tokens; "
        f"binding: {result.binding}"
    )
