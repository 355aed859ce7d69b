"""A pause of a run: what waits, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.notebook import html
from workbench.notebook.words import long, short
from workbench.verbs.pauses import PauseSource
from workbench.views.forms import form_text
from workbench.views.safe import safe_line
from workbench.views.shapes import reason_json

if TYPE_CHECKING:
    from workbench.core.secrets import Mask
    from workbench.notebook.bench import Workbench
    from workbench.notebook.findings import Findings
    from workbench.notebook.healed import Healed
    from workbench.notebook.run import Run
    from workbench.notebook.saved import Exported, Saved
    from workbench.store.rows import PauseRow


@dataclass(frozen=True, repr=False)
class Pause:
    """The saved state at a `GraphRunPausedEvent`.

    Attributes:
        row: as it is stored, unmasked (`workbench.store.rows.PauseRow`).
    """

    run: Run
    row: PauseRow = field(repr=False)

    @property
    def id(self) -> str:
        """Its id, good for every verb of the command line, too."""
        return self.row.pause_id

    @property
    def step(self) -> int:
        """The step of the run at which it paused."""
        return self.row.step

    @property
    def bench(self) -> Workbench:
        return self.run.bench

    @property
    def mask(self) -> Mask:
        return self.run.mask

    @cached_property
    def source(self) -> PauseSource:
        """All that a resume starts from, unmasked (`workbench.verbs.pauses.PauseSource`)."""
        from workbench.verbs.pauses import pause_source

        return pause_source(self.bench.ctx, self.id)

    @property
    def consumed(self) -> bool:
        """Whether it had been resumed when it was read: resuming it again makes a fork."""
        return self.row.resumed_at is not None

    @property
    def gate_saved(self) -> bool:
        """Whether the engine saved a gate with it."""
        return self.row.gate is not None

    @property
    def reasons(self) -> tuple[Mapping[str, Any], ...]:
        """Why it waits: one a form or breakpoint (docs/json.md, REASON)."""
        return tuple(reason_json(each, self.mask) for each in self.row.reasons)

    @property
    def actions(self) -> tuple[str, ...]:
        """What can be submitted, over all forms."""
        return tuple(str(a["id"]) for reason in self.reasons for a in reason["actions"])

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of all forms' fields."""
        return tuple(str(each["name"]) for reason in self.reasons for each in reason["fields"])

    def resume(self, **arguments: Any) -> Run:
        """Go on from here: `action`, `node`, `fields`, `gate`, `kernel`... as `Workbench.resume`."""
        return self.bench.resume(self, **arguments)

    def edit(self, values: Mapping[str, Any], **arguments: Any) -> Saved:
        """A copy with other values, kept as a new file: `pause.edit({"llm.text": "x"})`; see
        `Workbench.edit`.
        """
        return self.bench.edit(self, values, **arguments)

    def heal(self, **arguments: Any) -> Healed:
        """The pause with a gate that streams what is still owed; see `Workbench.heal`."""
        return self.bench.heal(self, **arguments)

    def why(self, dify: str | None = None) -> Findings:
        """Findings at this pause; with `dify` what a resume on that version will do."""
        return self.bench.why(self, dify=dify)

    def export(self, path: Path | str, format: str | None = None, **arguments: Any) -> Exported:  # noqa: A002
        """Write it to a file: "runtime-state" (default), "stream-filter", "dify" or "bundle"."""
        return self.bench.export(self, path, format, **arguments)

    def form(self) -> Any:
        """The form as a widget (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("form", self)

    def editor(self) -> Any:
        """The saved state as a widget to edit (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("editor", self)

    def __repr__(self) -> str:
        lines = [f"pause {self.id} at step {self.step} of run {self.run.id}{self._state()}"]
        for reason in self.reasons:
            lines.append(f"  {_asked(reason)}")
            if reason.get("content"):
                lines.append(f"    {short(form_text(reason['content']))}")
            lines += [f"    action {each['id']}: {each['title']}" for each in reason["actions"]]
            lines += [
                f"    field {each['name']} ({each['type']}) default {short(each['default'])}"
                for each in reason["fields"]
            ]
        return "\n".join(safe_line(line) for line in lines)

    def _repr_html_(self) -> str:
        parts: list[html.Part] = []
        for reason in self.reasons:
            parts.append(html.tag("div", _asked(reason)))
            content = form_text(reason.get("content"))
            parts.append(
                html.facts(
                    [
                        ("text", long(content) if content else None),
                        ("actions", html.items(f"{a['id']}: {a['title']}" for a in reason["actions"])),
                        (
                            "fields",
                            html.items(
                                f"{f['name']} ({f['type']}), default {short(f['default'])}"
                                for f in reason["fields"]
                            ),
                        ),
                    ]
                )
            )
        return html.card(f"Pause at step {self.step}{self._state()}", html.faint(self.id), *parts).markup

    def _state(self) -> str:
        gate = "" if self.gate_saved else ", without a gate"
        return (", resumed before" if self.consumed else ", waits") + gate


def _asked(reason: Mapping[str, Any]) -> str:
    title = reason.get("node_title") or reason.get("node_id") or ""
    if reason.get("type") == "human_input_required":
        return f"“{title}” waits for its form"
    return str(reason.get("message") or f"paused before “{title}”")
