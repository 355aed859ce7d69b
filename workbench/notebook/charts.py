"""Charts of a run, drawn with Altair (extra `notebook`) as SVG: no script, no network, readable anywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.notebook.tables import extra
from workbench.views.safe import safe_line, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.notebook.run import Run
    from workbench.verbs.memory_sweep import Point

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
    """When each node ran, a bar a node execution, coloured by its status; pauses are left out and marked."""
    altair = extra("altair", NEEDS)
    clock = Clock.of(run)
    rows = [
        {
            "node": safe_line(each["title"] or each["node_id"], 40),
            "order": each["index"],
            "start": clock(each["started"]),
            "end": clock(clock.last if each["elapsed"] is None else each["started"] + each["elapsed"]),
            "status": each["status"],
        }
        for each in run.nodes
    ]
    title = f"Timeline of run {run.id}"
    bars = (
        altair.Chart(altair.Data(values=rows), title=altair.TitleParams(title, color=GREY))
        .mark_bar(height={"band": 0.7}, strokeWidth=1.5)
        .encode(
            x=altair.X("start:Q", title=clock.title),
            x2="end:Q",
            y=altair.Y(
                "node:N",
                sort=altair.EncodingSortField("order", op="min"),
                axis=_names(altair, [row["node"] for row in rows]),
            ),
            color=_by_status(altair, rows, "Color"),
            stroke=_by_status(altair, rows, "Stroke"),
        )
    )
    pauses = altair.Data(values=[{"pause": clock(at)} for at, _ in clock.pauses])
    lines = altair.Chart(pauses).mark_rule(strokeDash=[4, 3], color=COLOURS["paused"]).encode(x="pause:Q")
    return Picture(_themed(altair.layer(bars, lines) if clock.pauses else bars), title)


@dataclass(frozen=True)
class Clock:
    """The time axis of a run: its pauses are left out.

    Attributes:
        pauses: when each began and how long it took, in seconds since the first event.
        last: the time of the last event, the same way.
    """

    pauses: tuple[tuple[float, float], ...]
    last: float

    @staticmethod
    def of(run: Run) -> Clock:
        """The clock of a run."""
        seconds, kinds = run.events.column("seconds"), run.events.column("kind")
        gaps = [
            (before, after - before)
            for kind, before, after in zip(kinds, seconds, seconds[1:], strict=False)
            if kind == "GraphRunPaused"
        ]
        return Clock(tuple(gaps), seconds[-1] if seconds else 0.0)

    @property
    def scale(self) -> float:
        """What a second is on the axis: 1 s, or 1,000 ms where all takes less than two seconds."""
        return 1.0 if self._worked(self.last) >= 2 else 1000.0

    @property
    def title(self) -> str:
        """The axis in words."""
        unit = "seconds" if self.scale == 1.0 else "milliseconds"
        return f"{unit} since the first event" + (", pauses left out" if self.pauses else "")

    def __call__(self, seconds: float) -> float:
        """Where a time stands on the axis."""
        return round(self._worked(seconds) * self.scale, 3)

    def _worked(self, seconds: float) -> float:
        return seconds - sum(min(took, max(0.0, seconds - began)) for began, took in self.pauses)


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
        .encode(
            x=altair.X("tokens:Q", title="tokens"),
            y=altair.Y("node:N", sort=None, axis=_names(altair, list(spent))),
        )
    )
    return Picture(_themed(chart), title)


def settings_chart(points: Sequence[Point], fact: str, words: str) -> Picture:
    """A fact of each setting against its window, a line a budget; "off" stands at the right end."""
    altair = extra("altair", NEEDS)
    order = sorted({p.window for p in points}, key=lambda window: (window is None, window or 0))
    rows = [
        {
            "window": "off" if point.window is None else str(point.window),
            "budget": "formula" if point.budget is None else f"{point.budget:,}",
            "value": getattr(point, fact),
        }
        for point in points
    ]
    title = f"{words.capitalize()}, by memory window"
    windows = ["off" if window is None else str(window) for window in order]
    budgets = list(dict.fromkeys(row["budget"] for row in rows))
    chart = (
        altair.Chart(altair.Data(values=rows), title=altair.TitleParams(title, color=GREY))
        .mark_line(point=True)
        .encode(
            x=altair.X("window:N", sort=windows, title="window (rows)"),
            y=altair.Y("value:Q", title=words),
            color=altair.Color("budget:N", sort=budgets, title="budget (tokens)"),
        )
    )
    return Picture(_themed(chart), title)


def _names(altair: Any, names: list[str]) -> Any:
    """An axis with room for names in any font: a browser's may be wider than the one measured here."""
    widest = max((width(name) for name in names), default=0)
    return altair.Axis(title=None, labelLimit=400, minExtent=min(400, 8 * widest))


def _by_status(altair: Any, rows: list[dict[str, Any]], channel: str) -> Any:
    used = list(dict.fromkeys(row["status"] for row in rows))
    scale = altair.Scale(domain=used, range=[COLOURS.get(each, GREY) for each in used])
    return getattr(altair, channel)("status:N", scale=scale, title=None)


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
