"""Commands on a large saved pause, each as a whole process."""

from __future__ import annotations

import os
import sys

from tests.bench.bench_edit import large_pause
from tests.bench.frame import Place, Row, bench, in_turns, ms, process
from tests.bench.samples import ROOT

APP = ROOT / "fixtures" / "shapes" / "t1-if-else" / "app.yml"


@bench
def commands_on_a_large_pause(place: Place) -> list[Row]:
    """`why`, `show`, `diff`, `edit` and `heal` on a pause of 5 MB in under 1 s each."""
    text = large_pause(5)
    first, second = place.folder / "first.json", place.folder / "second.json"
    first.write_text(text)
    second.write_text(text.replace("line 100 with", "line X with"))
    with_app = ("--app", str(APP))
    commands = {
        "why": ("why", str(first), *with_app),
        "show": ("show", str(first), *with_app),
        "diff": ("diff", str(first), str(second)),
        "edit": ("edit", str(first), "n20.v7=changed", *with_app),
        "heal": ("heal", str(first), *with_app, "-o", str(place.folder / "healed.json")),
    }
    env = {**os.environ, "WORKBENCH_HOME": str(place.folder / "home")}
    bare = process(sys.executable, "-c", "pass")
    *taken, theirs = in_turns(
        *(
            process(sys.executable, "-m", "workbench.cli", *c, codes=(0, 1, 4), env=env)
            for c in commands.values()
        ),
        bare,
        rounds=5,
    )
    return [
        Row(
            f"workbench {name}, a pause of {len(text) / 1e6:.1f} MB",
            ms(ours),
            f"python -c pass: {ms(theirs)}",
            ours / theirs,
            "1 s",
            ours < 1,
        )
        for name, ours in zip(commands, taken, strict=True)
    ]
