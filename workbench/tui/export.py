"""The screen as text or picture."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual.geometry import Region

if TYPE_CHECKING:
    from textual.app import App


def screen_text(app: App[None], region: Region | None = None) -> str:
    """What is shown, row by row, of the whole screen or of a part."""
    rows = ["".join(segment.text for segment in row) for row in app.screen._compositor.render_strips()]
    if region is None:
        return "\n".join(row.rstrip() for row in rows)
    part = rows[region.y : region.bottom]
    return "\n".join(row[region.x : region.right].rstrip() for row in part)


def export_screen(app: App[None], home: Path) -> tuple[Path, Path]:
    """Write the screen as SVG and as text; gives both paths.

    Raises:
        OSError: the folder can't be written to.
    """
    folder = home / "screens"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stem = folder / time.strftime("screen-%Y%m%d-%H%M%S")
    svg, text = stem.with_suffix(".svg"), stem.with_suffix(".txt")
    svg.write_text(app.export_screenshot(title=app.TITLE), "utf-8", errors="replace")
    text.write_text(screen_text(app) + "\n", "utf-8", errors="replace")
    return svg, text
