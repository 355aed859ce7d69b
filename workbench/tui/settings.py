"""What the TUI remembers between two starts, in `tui.json` of the workbench's folder.

A user may edit the file: `keys` maps the id of an action (shown by `?`) to its keys. What can't be read is
left aside and said; it never keeps the TUI from starting.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

FILE = "tui.json"
LARGEST = 1_000_000
"""Bytes of a settings file that are read at most."""


@dataclass(frozen=True)
class Settings:
    """The remembered values.

    Attributes:
        theme: name of a theme.
        graph_share, gate_share: percent of the debugger's height and width.
        hidden: ids of panels that are not shown.
        tab: the tab of the debugger that was open last.
        zoom: zoom level of the graph, "" fits it to its panel.
        tidy, follow: how the graph is drawn.
        keys: action id to keys, joined by commas.
    """

    theme: str = "workbench-dark"
    graph_share: int = 55
    gate_share: int = 40
    hidden: tuple[str, ...] = ()
    tab: str = "stream"
    zoom: str = ""
    tidy: bool = False
    follow: bool = True
    keys: dict[str, str] = field(default_factory=dict)

    def changed(self, **values: Any) -> Settings:
        """The same with other values."""
        return replace(self, **values)


def _fits(value: Any, like: Any) -> bool:
    if isinstance(like, dict):
        return isinstance(value, dict) and all(
            isinstance(k, str) and isinstance(v, str) for k, v in value.items()
        )
    if isinstance(like, tuple):
        return isinstance(value, list) and all(isinstance(v, str) for v in value)
    if isinstance(like, int) and not isinstance(like, bool):
        return type(value) is int and 10 <= value <= 90
    return type(value) is type(like)


def load(home: Path) -> tuple[Settings, str | None]:
    """The settings, and what is wrong with the file, if anything is."""
    path = home / FILE
    defaults = Settings()
    try:
        if not path.exists():
            return defaults, None
        if path.stat().st_size > LARGEST:
            return defaults, f"{path} is too large and was left aside."
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return defaults, f"{path} can't be read and was left aside: {error}"
    if not isinstance(data, dict):
        return defaults, f"{path} holds no settings and was left aside."
    good: dict[str, Any] = {}
    bad = []
    for each in fields(Settings):
        if each.name not in data:
            continue
        value = data[each.name]
        if _fits(value, getattr(defaults, each.name)):
            good[each.name] = tuple(value) if isinstance(value, list) else value
        else:
            bad.append(each.name)
    note = f"{path}: {', '.join(bad)} can't be used and was left aside." if bad else None
    return Settings(**good), note


def save(home: Path, settings: Settings) -> None:
    """Write the settings; a folder that can't be written to loses them, nothing else."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = home / f"{FILE}.{os.getpid()}"
        draft.write_text(json.dumps(asdict(settings), indent=2) + "\n", "utf-8")
        draft.replace(home / FILE)
    except OSError:
        return
