"""What an import found, printed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from workbench.cli.output import print_json, say, tell
from workbench.cli.style import Style
from workbench.cli.words import short
from workbench.verbs.results import ImportedFile
from workbench.views.safe import safe_line
from workbench.views.shapes import imported_json


def print_imported(files: Sequence[ImportedFile], *, as_json: bool) -> int:
    """Print what became of each file; 1 when one could not be read."""
    if as_json:
        print_json(imported_json(files))
    else:
        for each in files:
            _print(each)
    return 1 if any(each.id is None for each in files) else 0


def _print(each: ImportedFile) -> None:
    if each.id is None:
        reason = safe_line(each.error or "It is nothing the workbench knows.")
        named = "" if each.file in (each.error or "") else f"{safe_line(each.file)}: "
        tell(f"{Style(sys.stderr).bad('error:')} {named}{reason}")
        return
    detail = f"  {safe_line(each.detail, 200)}" if each.detail else ""
    say(f"{short(each.id)}  {each.kind}  {safe_line(each.file)}{detail}")
