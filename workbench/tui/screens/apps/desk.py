"""What the apps screen asks of the workbench. All functions block; call them in a worker."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.verbs.context import Context

if TYPE_CHECKING:
    from workbench.core.graph import Graph
    from workbench.verbs.results import WhyResult

VERSIONS = (None, "1.15.0", "1.16.0", "main")
"""The Difys that can be asked about; None is all of them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An app in the list.

    Attributes:
        target: its id, or the path of an example.
        runs: how many of the newest runs are of it.
    """

    target: str
    name: str
    mode: str
    dsl: str
    imported: str
    runs: int = 0
    example: bool = False


@dataclass(frozen=True)
class Checked:
    """What `check` found about an app, with its graph."""

    target: str
    dify: str | None
    result: WhyResult
    graph: Graph

    def count(self, severity: str) -> int:
        """Findings of a severity."""
        return sum(finding.severity == severity for finding in self.result.findings)


def entries(ctx: Context, search: str) -> tuple[Entry, ...]:
    """The imported apps, the newest first, then the examples; each word of `search` must occur."""
    from workbench.verbs.story import example_file

    used = Counter(row.app_id for row in ctx.store.runs(limit=2_000))
    found = [
        Entry(
            row.app_id,
            row.name,
            row.mode,
            row.dsl_version or "",
            time.strftime("%m-%d %H:%M", time.localtime(row.imported_at)),
            used[row.app_id],
        )
        for row in sorted(ctx.store.apps(), key=lambda row: -row.imported_at)
    ]
    for file in sorted(example_file().parents[1].glob("*/app.yml")):
        found.append(Entry(str(file), file.parent.name.replace("-", " "), "example", "", "", example=True))
    words = search.casefold().split()
    return tuple(e for e in found if all(w in f"{e.name} {e.mode} {e.target}".casefold() for w in words))


def checked(ctx: Context, target: str, dify: str | None) -> Checked:
    """The findings of an app, for a Dify or for all."""
    from workbench.core.graph_of import graph_of
    from workbench.verbs.check import check
    from workbench.verbs.target import find_app

    app = find_app(ctx, target)
    return Checked(target, dify, check(ctx, target, dify=dify), graph_of(app.graph, app.root))


def write_app(ctx: Context, target: str, path: Path) -> int:
    """Write an app's bytes to a file that is not there yet; how many.

    Raises:
        UsageError: there is such a file.
    """
    from workbench.errors import UsageError
    from workbench.verbs.target import find_app

    data = find_app(ctx, target).data
    try:
        with path.open("xb") as file:
            return file.write(data)
    except FileExistsError as error:
        raise UsageError(f"{path} is there already.", "", "Give another name.") from error


def fixed(ctx: Context, target: str, dify: str | None, path: Path) -> Sequence[str]:
    """Write the app with the changes that `check` advises, and prove them; what was done, in words.

    Raises:
        UsageError: there is such a file, or nothing to change.
        WorkbenchError: the changed app is not what it should be; nothing is written.
    """
    from workbench.errors import UsageError
    from workbench.verbs.fixing import fix
    from workbench.verbs.writing import write_private
    from workbench.views.fixing import fixed_lines
    from workbench.views.secrets import mask_for

    if path.exists():
        raise UsageError(f"{path} is there already.", "", "Give another name.")
    result = fix(ctx, target, dify=dify)
    if not result.changed:
        raise UsageError("There is nothing to change.", result.reason or "", "Look at the findings.")
    write_private(path, result.data)
    return list(fixed_lines(result, str(path), mask_for(result.environment)))
