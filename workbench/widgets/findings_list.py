"""Findings with their evidence and their help pages."""

from __future__ import annotations

from typing import Any

import traitlets

from workbench.core.finding import Finding
from workbench.views.safe import safe_line
from workbench.widgets import still
from workbench.widgets.frames import short
from workbench.widgets.given import FindingsLike
from workbench.widgets.wire import Asked, answers

MOST, EDGES, STEPS, TEXT = 200, 20, 20, 2_000
"""Findings, edges and steps of one, and characters of a message that are shown."""


class FindingsList(Asked):
    """Findings, the worst first.

    Attributes:
        selected: the place of the selected finding; -1 for none. `finding` is that finding.
        step: the step of the evidence that was chosen last; observe it to take a player there.
    """

    selected = traitlets.Int(-1).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)
    _title = traitlets.Unicode("").tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)

    def __init__(self, findings: FindingsLike) -> None:
        self._found = findings
        result, mask = findings.result, findings.mask
        count = len(result.findings)
        number = "nothing found" if not count else f"{count} finding{'' if count == 1 else 's'}"
        super().__init__(
            _view="findings",
            _title=f"{safe_line(mask.text(result.subject))}: {number}",
            _data={
                "findings": [self._told(each) for each in result.findings[:MOST]],
                "more": max(0, count - MOST),
                "answers": [
                    {
                        "title": self._name(each.node_id),
                        "phase": each.state,
                        "left": [self._edge(edge) for edge in each.blocking[:EDGES]],
                    }
                    for each in result.answers[:MOST]
                ],
                "notes": [mask.text(note) for note in result.notes],
            },
        )

    def hidden(self, text: str) -> str:
        return self._found.mask.text(text)

    @property
    def finding(self) -> Finding | None:
        """The selected one, unmasked."""
        found: tuple[Finding, ...] = self._found.result.findings
        return found[self.selected] if 0 <= self.selected < len(found) else None

    def _told(self, each: Finding) -> dict[str, Any]:
        mask = self._found.mask
        return {
            "code": each.code,
            "severity": each.severity,
            "title": self._name(each.node_id) if each.node_id else "",
            "message": short(mask.text(each.message), TEXT),
            "advice": short(mask.text(each.advice), TEXT),
            "edges": [self._edge(edge) for edge in each.edges[:EDGES]],
            "steps": list(each.steps[:STEPS]),
            "more": max(0, len(each.edges) - EDGES) + max(0, len(each.steps) - STEPS),
        }

    def _edge(self, edge: str) -> str:
        return short(self._found.mask.text(self._found.result.edge_names.get(edge, edge)))

    def _name(self, node: str) -> str:
        return short(safe_line(self._found.mask.text(self._found.result.titles.get(node) or node)))

    @answers("page")
    def page(self, code: str) -> str:
        """The help page of a code, Markdown, shown as text."""
        return str(self._found.bench.explain(code))

    def still(self) -> str:
        rows = [
            (f["severity"], f["code"], f"{f['message']}\n→ {f['advice']}", "\n".join(f["edges"]))
            for f in self._data["findings"]
        ]
        notes = "".join(still.line(note) for note in self._data["notes"])
        return still.card(
            self._title, still.table(("", "code", "what", "edges"), rows) if rows else "", notes
        )

    def words(self) -> str:
        lines = [f"  {f['severity']}  {f['code']}: {f['message']}" for f in self._data["findings"]]
        return "\n".join([self._title, *lines])
