"""Charts of a run, drawn with Altair (extra `notebook`) as SVG: no script, no network, readable anywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.notebook.tables import extra
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.run import Run

GREY = "#888888"
"""Readable on white and on black."""
COLOURS = {
    "succeeded": "#3a9d5d",
    "failed": "#d1495b",
    "exception": "#d98e04",
    "paused": "#4a7fd4",
    "running": "#8a63d2",
    "retry": "#d98e04",
    "stopped": GREY,
}
NEEDS = "A chart is drawn"


@dataclass(frozen=True, repr=False)
class Picture:
    """A chart. In a notebook it is an SVG; `chart` is the Altair chart, to change and show as you like."""

    chart: Any = field(repr=False)
    title: str

    @property
    def svg(self) -> str:
        """The picture as SVG.

        Raises:
            UsageError: vl-convert-python is not installed.
        """
        convert = extra("vl_convert", NEEDS)
        drawn: str = convert.vegalite_to_svg(self.chart.to_dict(), vl_version=_version())
        return drawn

    def save(self, path: Path | str) -> Path:
        """Write it as .svg or .png."""
        self.chart.save(str(path))
        return Path(path)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return self.title


def timeline_chart(run: Run) -> Picture:
    """When each node ran, a bar a node execution, coloured by its status; time in seconds."""
    altair = extra("altair", NEEDS)
    rows = [
        {
            "node": safe_line(each["title"] or each["node_id"], 40),
            "order": each["index"],
            "start": each["started"],
            "end": each["started"] + (each["elapsed"] or 0.0),
            "status": each["status"],
        }
        for each in run.nodes
    ]
    title = f"Timeline of run {run.id}"
    chart = (
        altair.Chart(altair.Data(values=rows), title=altair.TitleParams(title, color=GREY))
        .mark_bar(height={"band": 0.7}, minBandSize=2)
        .encode(
            x=altair.X("start:Q", title="seconds since the first event"),
            x2="end:Q",
            y=altair.Y("node:N", sort=altair.EncodingSortField("order", op="min"), title=None),
            color=_by_status(altair, rows),
        )
    )
    return Picture(_themed(chart), title)


def tokens_chart(run: Run) -> Picture:
    """Tokens of each node that used any, over all its executions."""
    altair = extra("altair", NEEDS)
    spent: dict[str, int] = {}
    for each in run.nodes:
        if each["tokens"]:
            name = safe_line(each["title"] or each["node_id"], 40)
            spent[name] = spent.get(name, 0) + each["tokens"]
    title = f"Tokens of run {run.id}" + ("" if spent else ": none were used")
    rows = [{"node": name, "tokens": count} for name, count in spent.items()]
    chart = (
        altair.Chart(altair.Data(values=rows), title=altair.TitleParams(title, color=GREY))
        .mark_bar(color=COLOURS["paused"])
        .encode(x=altair.X("tokens:Q", title="tokens"), y=altair.Y("node:N", sort=None, title=None))
    )
    return Picture(_themed(chart), title)


def _by_status(altair: Any, rows: list[dict[str, Any]]) -> Any:
    used = list(dict.fromkeys(row["status"] for row in rows))
    scale = altair.Scale(domain=used, range=[COLOURS.get(each, GREY) for each in used])
    return altair.Color("status:N", scale=scale, title=None)


def _themed(chart: Any) -> Any:
    """Transparent, with lines and words that can be read on white and on black."""
    lines = {"domainColor": GREY, "tickColor": GREY, "gridColor": GREY, "gridOpacity": 0.25}
    return (
        chart.properties(width=520, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(labelColor=GREY, titleColor=GREY, **lines)
        .configure_legend(labelColor=GREY, titleColor=GREY)
    )


def _version() -> str:
    """The Vega-Lite that Altair writes, as vl-convert names it ("v6.1")."""
    altair = extra("altair", NEEDS)
    major, minor, *_ = str(altair.SCHEMA_VERSION).lstrip("v").split(".")
    return f"{major}.{minor}"
