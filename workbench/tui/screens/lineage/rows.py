"""One line of the family tree, and what is told about the one under the cursor."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.diff import dotted
from workbench.tui.screens.lineage.desk import Leaf
from workbench.tui.text import clip, fit, one_line, value_text
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.differences import masked_at
from workbench.views.secrets import Mask

if TYPE_CHECKING:
    from workbench.verbs.family import ForkFacts

_SIGNS = {
    "running": ("▸", "name"),
    "succeeded": ("✓", "good"),
    "partial-succeeded": ("✓", "warn"),
    "failed": ("✗", "bad"),
    "paused": ("‖", "warn"),
    "stopped": ("■", "dim"),
}
Heard = Mapping[str, tuple[str, bool]]
"""By run id: what was streamed, and whether the run ended silent."""


def differs(leaf: Leaf) -> str:
    """What is different in a fork, as far as its line tells it."""
    if leaf.file is not None:
        return f"edited: {_edits(leaf.file.edits)}"
    if leaf.run is None or leaf.run.forked_from is None:
        return ""
    parts = [f"from step {leaf.run.forked_from.get('step')}"]
    if leaf.gate:
        parts.append(f"gate {leaf.gate}")
    if leaf.parent_kernel and leaf.parent_kernel != leaf.run.kernel:
        parts.append(f"{leaf.parent_kernel} → {leaf.run.kernel}")
    if leaf.orphan:
        parts.append("its parent is not in this store")
    return ", ".join(parts)


def _edits(text: str) -> str:
    try:
        edits = json.loads(text).get("edits") or []
        return ", ".join(str(e.get("set", e.get("unset", "?"))) for e in edits) or "nothing"
    except (ValueError, AttributeError, TypeError):
        return "?"


class TreePanel(LineView[Leaf]):
    """The family trees, one run or edited pause a line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", id="lineage.open"),
    ]
    HELP = """
    Every run below the one it was forked from, the newest family first. Edited pauses (✎) stand below the
    run whose pause they were made of.

    ✓ succeeded  ‖ paused  ✗ failed  ■ stopped  ▸ running
    “…” the beginning of what a chat user saw      silent  it had an answer, and nobody saw it

    j k    move               enter, click   open it in the debugger
    d      compare it with what it was made of
    m      mark it, D compare the marked one with this one
    u      go to what it was made of         { }    the family before, the next one
    """

    def __init__(self) -> None:
        super().__init__(self._line, head=_head, empty="Reading the store …", id="lineage-tree")
        self.heard: dict[str, tuple[str, bool]] = {}
        self.chosen: str | None = None

    def _line(self, leaf: Leaf, width: int) -> Sequence[Cell]:
        what, status, seen = _columns(width)
        mark = "●" if leaf.key == self.chosen else " "
        if leaf.run is None:
            name = f"✎ {leaf.file.name if leaf.file else ''}"
            cells = [(fit(f"{leaf.guide}{name}", what) + " ", "dim"), (fit("edited", status), "dim")]
            return [(mark, "gate"), *cells, (fit(differs(leaf), width - 1 - what - 1 - status), "dim")]
        run = leaf.run
        sign, style = _SIGNS.get(run.status, ("?", "dim"))
        guide = clip(leaf.guide, what - 12)
        words, look = self._seen(run.run_id, run.status)
        rest = width - 1 - what - 1 - status - seen
        return [
            (mark, "gate"),
            (guide, "dim"),
            (f"{sign} ", style),
            (fit(f"{run.run_id[:13]} {run.app}", what - len(guide) - 2) + " ", "" if leaf.found else "dim"),
            (fit("interrupted" if run.interrupted else run.status, status), style),
            (fit(words, seen - 1) + " ", look),
            (fit(differs(leaf) or f"{run.kernel}, {_when(run.started_at)}", rest), "dim"),
        ]

    def _seen(self, run_id: str, status: str) -> tuple[str, str]:
        known = self.heard.get(run_id)
        if known is None:
            return "…", "dim"
        text, silent = known
        if silent:
            return "silent", "bad"
        return (
            (f"“{clip(text, 200)}”", "")
            if text
            else ("nothing yet" if status != "failed" else "nothing", "dim")
        )


def _columns(width: int) -> tuple[int, int, int]:
    """Widths of the name, the status, and what was seen."""
    status = 17 if width >= 110 else 10
    what = max(24, (width - status) * 4 // 10)
    return what, status, max(9, (width - status - what) * 4 // 10)


def _head(width: int) -> Sequence[Cell]:
    what, status, seen = _columns(width)
    text = f" {fit('Run', what)} {fit('Status', status)}{fit('A chat user saw', seen - 1)} What is different"
    return [(fit(text, width), "")]


def _when(seconds: float) -> str:
    return time.strftime("%m-%d %H:%M:%S", time.localtime(seconds))


def told(leaf: Leaf, facts: ForkFacts | None, mask: Mask) -> Content:
    """Everything about one line."""
    if leaf.run is None:
        file = leaf.file
        assert file is not None
        pieces: list[str | tuple[str, str]] = [
            (f"✎ {one_line(file.name, 200)}\n", "bold"),
            f"Edited saved pause {file.file_id}, of the {file.parent_kind} {one_line(file.parent_id)}.\n",
            f"Changed: {one_line(_edits(file.edits), 2000)}",
        ]
        return Content.assemble(*pieces)
    run = leaf.run
    pieces = [
        (one_line(run.app, 100), "bold"),
        f"  run {run.run_id}, {run.status}, {run.kernel}, {_when(run.started_at)}, {run.steps:,} steps\n",
    ]
    if run.forked_from:
        parent = one_line(run.forked_from.get("run_id", ""))
        pieces.append(f"Fork of {parent} at step {run.forked_from.get('step')}.\n")
    if facts is None:
        pieces.append(("Reading what is different …", "$text-muted"))
        return Content.assemble(*pieces)
    pieces += _changes(facts, mask)
    if facts.silent:
        pieces.append(("A chat user saw nothing of its answer.", "bold $text-error"))
    elif facts.streamed:
        pieces.append(f"A chat user saw: {one_line(mask.text(facts.streamed), 2000)}")
    else:
        pieces.append(("A chat user saw nothing.", "$text-muted"))
    return Content.assemble(*pieces)


def _changes(facts: ForkFacts, mask: Mask) -> list[str | tuple[str, str]]:
    pieces: list[str | tuple[str, str]] = []
    if facts.file_id:
        pieces.append(f"Went on from the saved pause {facts.file_id}.\n")
    if facts.gate:
        like = f" (as {facts.dify} does with this engine)" if facts.dify else ""
        pieces.append(f"Gate {facts.gate}{like}.\n")
    if facts.kernels:
        pieces.append(f"Engine: {facts.kernels[0]} → {facts.kernels[1]}.\n")
    if facts.app_changed:
        pieces.append("Another version of the app.\n")
    if facts.script_changed:
        pieces.append("Another script.\n")
    for node, form in (facts.forms or {}).items():
        action = form.get("action") if isinstance(form, Mapping) else None
        pieces.append(f"Submitted at {one_line(node, 100)}: {one_line(action, 100)}.\n")
    for change in facts.variables[:20]:
        before, after = (_short(masked_at(change.path, v, mask)) for v in (change.before, change.after))
        pieces.append(f"{one_line(dotted(change.path), 200)}: {before} → {after}\n")
    if len(facts.variables) > 20:
        pieces.append(f"… and {len(facts.variables) - 20:,} variables more.\n")
    return pieces


def _short(value: Any) -> str:
    return "nothing" if value is None else one_line(value_text(value), 120)
