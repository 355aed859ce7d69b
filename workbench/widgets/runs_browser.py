"""The runs of the store, live: what another notebook, the TUI or a script records shows up by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import traitlets

from workbench.verbs.runs import STATUSES, runs
from workbench.views.safe import safe_line
from workbench.widgets import still
from workbench.widgets.given import BenchLike
from workbench.widgets.wire import Asked, answers

PAGE = 50
"""Runs of one answer."""


class RunsBrowser(Asked):
    """The runs, the newest first.

    Attributes:
        search: words that must occur in a run.
        status: only runs of a status; "" for all.
        selected: the id of the selected run, "" for none; `run` is that run.
    """

    search = traitlets.Unicode("").tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)

    def __init__(self, bench: BenchLike) -> None:
        self._bench: Any = bench
        super().__init__(_view="browse", _data={"statuses": list(STATUSES)})
        self._watch = bench.watch(self._changed)

    @property
    def run(self) -> Any:
        """The selected `Run`, None without one."""
        return self._bench.run_of(self.selected) if self.selected else None

    def close(self) -> None:
        """Stop following the store, too."""
        self._watch.stop()
        super().close()

    def _changed(self) -> None:
        self.tell("changed")

    @traitlets.validate("status")  # type: ignore[untyped-decorator, unused-ignore]
    def _known(self, proposal: Any) -> str:
        value = str(proposal["value"])
        if value and value not in STATUSES:
            raise traitlets.TraitError(f'{value!r} is no status: {", ".join(STATUSES)}, or "" for all')
        return value

    @answers("runs")
    def page(self, start: int = 0, search: str | None = None, status: str | None = None) -> dict[str, Any]:
        """A page of runs: `{"rows", "more"}`. Without `search` and `status` by the widget's own."""
        words = (self.search if search is None else search).strip()
        only = self.status if status is None else status
        wanted = max(0, start) + PAGE + 1
        found = runs(self._bench.ctx, status=only or None, search=words or None, limit=wanted)
        rows = [
            {
                "id": r.run_id,
                "app": safe_line(r.app),
                "status": "interrupted" if r.interrupted else r.status,
                "kernel": r.kernel,
                "started": r.started_at,
                "steps": r.steps,
                "forked": None if r.forked_from is None else r.forked_from["run_id"],
            }
            for r in found[start : start + PAGE]
        ]
        return {"rows": rows, "more": len(found) > start + PAGE}

    def still(self) -> str:
        rows = [
            (r["app"], r["status"], r["kernel"], _moment(r["started"]), r["steps"], r["id"])
            for r in self.page()["rows"]
        ]
        head = ("app", "status", "engine", "started (UTC)", "steps", "run")
        return still.card("Runs", still.table(head, rows))

    def words(self) -> str:
        return "\n".join(f"{r['id']}  {r['status']}  {r['app']}" for r in self.page()["rows"]) or "no runs"


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
