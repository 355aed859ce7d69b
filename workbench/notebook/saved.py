"""A saved pause in a file or in the store: looked at, edited, resumed; and files that were written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.inspect import Inspection, inspect
from workbench.core.secrets import Mask, mask_for
from workbench.notebook import html
from workbench.notebook.gates import Gate, gate_at
from workbench.notebook.tables import Column, Table
from workbench.notebook.words import short
from workbench.verbs.edit import EditResult, Subject
from workbench.verbs.inspect import LoadedRun
from workbench.verbs.results import Exported as ExportResult
from workbench.views.editing import edited_lines, targets_json
from workbench.views.inspecting import inspection_json
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.base import Target
    from workbench.notebook.bench import Workbench
    from workbench.notebook.findings import Findings
    from workbench.notebook.healed import Healed
    from workbench.notebook.run import Run


@dataclass(frozen=True, repr=False)
class Saved:
    """A saved pause (a WorkflowResumptionContext, a runtime state or a gate state), or an edited copy.

    Attributes:
        target: the id of a stored one, or the path of a file.
        app: what was given as its app; an edited pause knows its own.
        edited: what the edit changed, for an edited copy made here.
    """

    bench: Workbench = field(repr=False, compare=False)
    target: str | Path
    app: Target | None = field(default=None, repr=False)
    edited: EditResult | None = field(default=None, repr=False, compare=False)

    @property
    def id(self) -> str | None:
        """Its id in the store; None for a file on disk."""
        return self.target if isinstance(self.target, str) else None

    @cached_property
    def subject(self) -> Subject:
        """The pause as bytes, with its kind, app and kernel, unmasked (`workbench.verbs.edit.Subject`)."""
        from workbench.verbs.edit import subject_of

        return subject_of(self.bench.ctx, self.target, app=self.bench.app_target(self.app))

    @cached_property
    def mask(self) -> Mask:
        return mask_for(self.subject.environment, unmask=self.bench.unmask)

    @property
    def name(self) -> str:
        return self.mask.text(self.subject.name)

    @property
    def kind(self) -> str:
        """ "resumption-context", "runtime-state" or "stream-filter"."""
        return self.subject.kind

    @property
    def kernel(self) -> str:
        """The engine kernel that reads it as its own engine did."""
        return self.subject.kernel

    @cached_property
    def inspection(self) -> Inspection:
        """Everything that it says, unmasked (`workbench.core.inspect.Inspection`)."""
        return inspect(self.subject.editing().original)

    @cached_property
    def loaded(self) -> LoadedRun:
        """The pause as a run that stands at step 0, unmasked (`workbench.verbs.inspect.LoadedRun`).

        Raises:
            UsageError: its app is not known.
        """
        from workbench.verbs.known_app import KnownApp, app_needed
        from workbench.verbs.opening import open_pause

        opened = open_pause(self.bench.ctx, self.target, self.bench.app_target(self.app))
        if isinstance(opened, KnownApp):
            raise app_needed(self.name, "why", opened.fitting)
        return opened.loaded

    @property
    def gate(self) -> Gate:
        """Its gate. Raises UsageError where its app is not known."""
        loaded = self.loaded
        return gate_at(loaded.graph, loaded.timeline.at(0), {}, self.mask)

    @property
    def told(self) -> dict[str, Any]:
        """The same as plain data, masked (docs/json.md, `pause` of `show`)."""
        return inspection_json(self.inspection, self.mask)

    @property
    def variables(self) -> Table:
        """Its variables: node_id, title, name, type, value, writer."""
        columns = (
            *map(Column, ("node_id", "title", "name", "type")),
            Column("value", "any"),
            Column("writer"),
        )
        rows = [
            (v["node"], v["title"], v["name"], v["type"], v["value"], v["writer"])
            for v in self.told["variables"]
        ]
        return Table("variables", columns, tuple(rows))

    def targets(self, prefix: str = "") -> Table:
        """What `edit` can change, as far as it begins with `prefix`: target, type, title, value."""
        from workbench.verbs.edit import targets

        found, environment = targets(self.bench.ctx, self.target, prefix, app=self.bench.app_target(self.app))
        told = targets_json(found, mask_for(environment, unmask=self.bench.unmask))["targets"]
        columns = (Column("target"), Column("type"), Column("title"), Column("value", "any"))
        rows = [(each["target"], each["type"], each["title"], each["value"]) for each in told]
        return Table("targets", columns, tuple(rows))

    def edit(self, values: Mapping[str, Any], **arguments: Any) -> Saved:
        """Another copy with other values; see `Workbench.edit`."""
        return self.bench.edit(self, values, **arguments)

    def resume(self, **arguments: Any) -> Run:
        """Go on from it as a new run; arguments as `Workbench.resume`."""
        return self.bench.resume(self, **arguments)

    def heal(self, **arguments: Any) -> Healed:
        """With a gate that streams what is still owed; see `Workbench.heal`."""
        return self.bench.heal(self, **arguments)

    def why(self, dify: str | None = None) -> Findings:
        """What a resume will do, on the Dify that saved it or on another one."""
        return self.bench.why(self, dify=dify)

    def export(self, path: Path | str, format: str | None = None, **arguments: Any) -> Exported:  # noqa: A002
        """Write it to a file, byte for byte or in another format."""
        return self.bench.export(self, path, format, **arguments)

    def editor(self) -> Any:
        """It as a widget to edit (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("editor", self)

    def __repr__(self) -> str:
        if self.edited is not None:
            return "\n".join(edited_lines(self.edited, self.mask, None))
        lines = [f"{self.name}: {self.kind}, {self.kernel}"]
        lines += [
            f"  {v['node_id']}.{v['name']} ({v['type']}) = {short(v['value'])}  by {v['writer']}"
            for v in self.variables
        ]
        lines += [f"  {each.phase:<7} {each.title or each.node}" for each in self.inspection.sessions]
        return "\n".join(safe_line(line) for line in lines)

    def _repr_html_(self) -> str:
        changes = None
        if self.edited is not None:
            changes = html.items(edited_lines(self.edited, self.mask, None))
        rows = [
            (f"{v['node_id']}.{v['name']}", v["type"], short(v["value"], 400), v["writer"])
            for v in self.variables
        ]
        gate = html.items(f"{s.phase}: {s.title or s.node}" for s in self.inspection.sessions)
        return html.card(
            f"{self.name}: {self.kind}, {self.kernel}",
            changes,
            html.table(("variable", "type", "value", "by"), rows) if rows else None,
            gate,
        ).markup


@dataclass(frozen=True, repr=False)
class Exported:
    """A file that was written."""

    result: ExportResult

    @property
    def path(self) -> Path:
        return Path(self.result.path)

    @property
    def format(self) -> str:
        return self.result.format

    @property
    def size(self) -> int:
        """Bytes."""
        return self.result.size

    @property
    def secrets(self) -> bool:
        """Whether the bytes may hold environment variables or tokens, readable."""
        return self.result.secrets

    @property
    def notes(self) -> tuple[str, ...]:
        return self.result.notes

    def __repr__(self) -> str:
        lines = [f"{self.path}  {self.format}  {self.size} bytes", *(f"  note: {n}" for n in self.notes)]
        return "\n".join(safe_line(line) for line in lines)
