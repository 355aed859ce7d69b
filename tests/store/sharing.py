"""One of several processes on one store: it records runs and lists them, and measures how long it waits."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from tests.store.making import PAUSED, STARTED, Ended, begin, node, resume, say
from workbench.store import Store


def main(path: str, name: str, seconds: str, least: str) -> None:
    store = Store(Path(path))
    end = time.monotonic() + float(seconds)
    waits: dict[str, list[float]] = {
        "begin": [],
        "pause": [],
        "resume": [],
        "finish": [],
        "list": [],
        "search": [],
    }
    runs: list[str] = []

    def timed(what: str, began: float) -> None:
        waits[what].append(time.monotonic() - began)

    while time.monotonic() < end or len(runs) < int(least):
        run_id = f"{name}-{len(runs)}"
        began = time.monotonic()
        made = begin(store, run_id, app_name=f"App of {name}")
        timed("begin", began)
        say(made, [STARTED, *(event for n in range(10) for event in node(f"n{n}"))])
        began = time.monotonic()
        pause_id = made.finish(PAUSED)
        timed("pause", began)
        made.close()
        began = time.monotonic()
        made = resume(store, str(pause_id), run_id)
        timed("resume", began)
        say(made, node("answer"))
        began = time.monotonic()
        made.finish(Ended())
        timed("finish", began)
        made.close()
        runs.append(run_id)
        began = time.monotonic()
        mine = [row for row in store.runs(limit=1000, app=f"App of {name}") if row.status == "succeeded"]
        timed("list", began)
        assert len(mine) == min(len(runs), 1000)
        began = time.monotonic()
        assert store.runs(search=run_id)
        timed("search", began)
    json.dump({"runs": runs, "waits": waits}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
