"""HTML for notebooks, made of escaped parts only: text from files can't become markup.

Colours are inherited, so that it fits light and dark themes; there are no scripts and no links from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from workbench.views.safe import safe_text

LINE = "1px solid color-mix(in srgb, currentColor 25%, transparent)"
CELL = f"text-align:left;vertical-align:top;padding:.15em .6em;border-bottom:{LINE};white-space:pre-wrap"

UNBROKEN = 36
"""Characters up to which a cell keeps to one line: a run's id, a time, a name."""


@dataclass(frozen=True, slots=True)
class Html:
    """Markup that this module made. Everything else is text and gets escaped."""

    markup: str


Part = Html | str | None


def tag(name: str, *parts: Part, style: str = "", **attributes: str) -> Html:
    """An element; texts inside are escaped, control characters shown as signs."""
    given = {**({"style": style} if style else {}), **attributes}
    inside = "".join(f' {key}="{escape(safe_text(value), quote=True)}"' for key, value in given.items())
    return Html(f"<{name}{inside}>{join(parts).markup}</{name}>")


def join(parts: Iterable[Part]) -> Html:
    """Parts after each other; None is nothing."""
    return Html("".join(_markup(part) for part in parts if part is not None))


def _markup(part: Html | str) -> str:
    return part.markup if isinstance(part, Html) else escape(safe_text(part), quote=True)


def faint(text: str) -> Html:
    """Text that steps back."""
    return tag("span", text, style="opacity:.7")


def code(text: str) -> Html:
    """A name of the app, the engine or the API."""
    return tag("code", text)


def table(head: Sequence[str], rows: Iterable[Sequence[Part]], caption: Part = None) -> Html:
    """A table."""
    top = tag("tr", *(tag("th", each, style=CELL) for each in head))
    body = [tag("tr", *(tag("td", cell, style=_style(cell)) for cell in row)) for row in rows]
    title = None if caption is None else tag("caption", caption, style="text-align:left;caption-side:top")
    return tag("table", title, tag("thead", top), tag("tbody", *body), style="border-collapse:collapse")


def _style(cell: Part) -> str:
    """Ids and times are not broken."""
    return f"{CELL};white-space:pre" if isinstance(cell, str) and len(cell) <= UNBROKEN else CELL


def facts(pairs: Iterable[tuple[str, Part]]) -> Html:
    """Names and values below each other; a pair without a value is left out."""
    rows = [
        tag(
            "tr", tag("th", name, style=f"{CELL};font-weight:normal;opacity:.7"), tag("td", value, style=CELL)
        )
        for name, value in pairs
        if value is not None
    ]
    return tag("table", tag("tbody", *rows), style="border-collapse:collapse")


def card(title: Part, *parts: Part) -> Html:
    """A titled block: what an object of the workbench looks like in a notebook."""
    return tag(
        "div",
        tag("div", title, style="font-weight:600;margin-bottom:.3em"),
        *parts,
        style=f"border:{LINE};border-radius:4px;padding:.5em .8em;max-width:70em;overflow-x:auto",
    )


def items(lines: Iterable[Part]) -> Html | None:
    """A list; None where there is nothing in it."""
    found = [tag("li", each) for each in lines]
    return tag("ul", *found, style="margin:.3em 0;padding-left:1.4em") if found else None
