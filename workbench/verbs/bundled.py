"""The apps that come with the package: the examples of the tours, and small ones that lessons use."""

from __future__ import annotations

from pathlib import Path

import workbench
from workbench.verbs.story import example_file


def bundled() -> dict[str, Path]:
    """The folder of every bundled app by its name, the examples first.

    Raises:
        WorkbenchError: they are missing (a broken installation).
    """
    package = Path(workbench.__file__).resolve().parent
    folders = [example_file().parents[1]]
    for apps in (package / "_fixtures", package.parent / "fixtures"):
        if (apps / "shapes").is_dir():
            folders += [apps / "shapes", apps / "odd", apps / "containers"]
            break
    found: dict[str, Path] = {}
    for folder in folders:
        for file in sorted(folder.glob("*/app.yml")):
            found.setdefault(file.parent.name, file.parent)
    return found
