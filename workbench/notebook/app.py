"""An exported app: what is in it, run it, check it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.core.secrets import Mask, mask_for
from workbench.notebook import html
from workbench.notebook.tables import Column, Table
from workbench.notebook.words import count, short
from workbench.records.app import App as AppRecord
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench
    from workbench.notebook.findings import Findings
    from workbench.notebook.fixed import Fixed
    from workbench.notebook.run import Run


@dataclass(frozen=True, repr=False)
class App:
    """An app as it was read.

    Attributes:
        record: the app itself (`workbench.records.app.App`), unmasked.
    """

    bench: Workbench = field(repr=False, compare=False)
    record: AppRecord = field(repr=False)

    @cached_property
    def id(self) -> str:
        """Its id in the store; an app that is not there yet is put there."""
        return self.bench.ctx.store.put_app(self.record)

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def mode(self) -> str:
        """ "advanced-chat" (a chatflow) or "workflow"."""
        return self.record.mode

    @property
    def notes(self) -> tuple[str, ...]:
        """What was normalised or is missing."""
        return self.record.notes

    @cached_property
    def graph(self) -> Graph:
        """The graph (`workbench.core.graph.Graph`)."""
        return graph_of(self.record.graph, self.record.root)

    @cached_property
    def mask(self) -> Mask:
        return mask_for(self.record.environment_variables, unmask=self.bench.unmask)

    @property
    def nodes(self) -> Table:
        """Its nodes: node_id, title, type, container_id."""
        columns = (Column("node_id"), Column("title"), Column("type"), Column("container_id"))
        rows = [(n.id, n.title, n.type, n.parent) for n in self.graph.nodes.values()]
        return Table("nodes", columns, tuple(rows))

    @property
    def edges(self) -> Table:
        """Its edges: edge_id, source, handle, target, container_id."""
        names = ("edge_id", "source", "handle", "target", "container_id")
        rows = [(e.id, e.source, e.handle, e.target, e.parent) for e in self.graph.edges.values()]
        return Table("edges", tuple(map(Column, names)), tuple(rows))

    @property
    def inputs(self) -> Table:
        """The fields of its start form: name, type, label, required, default."""
        columns = (
            Column("name"),
            Column("type"),
            Column("label"),
            Column("required", "bool"),
            Column("default", "any"),
        )
        rows = [(f.name, f.type, f.label, f.required, f.default) for f in self.record.inputs]
        return Table("inputs", columns, tuple(rows))

    def run(self, query: str | None = None, **arguments: Any) -> Run:
        """Run it; arguments as `Workbench.run`."""
        return self.bench.run(self, query=query, **arguments)

    def check(self, dify: str | None = None) -> Findings:
        """What it would do wrong, told before it runs; see `Workbench.check`."""
        return self.bench.check(self, dify=dify)

    def fix(self, dify: str | None = None, **arguments: Any) -> Fixed:
        """A copy with the changes that `check` advises, proved on the real engine; see `Workbench.fix`."""
        return self.bench.fix(self, dify=dify, **arguments)

    def export(self, path: Path | str) -> Any:
        """Write the export, byte for byte."""
        return self.bench.export(self, path, "original")

    def __repr__(self) -> str:
        lines = [
            self._headline(),
            *(f"  {each.type:<18} {each.title or each.id}" for each in self.graph.nodes.values()),
        ]
        if self.record.inputs:
            lines.append(f"  inputs: {', '.join(f.name for f in self.record.inputs)}")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(safe_line(self.mask.text(line)) for line in lines)

    def _repr_html_(self) -> str:
        rows = [(each.title or each.id, each.type, html.code(each.id)) for each in self.graph.nodes.values()]
        fields = [(f.name, f.type, f.label, short(f.default)) for f in self.record.inputs]
        return html.card(
            self.mask.text(self._headline()),
            html.table(("node", "type", "id"), rows),
            html.table(("input", "type", "label", "default"), fields) if fields else None,
            html.items(self.mask.text(note) for note in self.notes),
        ).markup

    def _headline(self) -> str:
        nodes = count(len(self.graph.nodes), "node")
        return f"{self.name}: {self.mode}, {nodes}, {count(len(self.graph.edges), 'edge')}"
