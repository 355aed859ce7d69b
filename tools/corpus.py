"""How many exported apps run end to end with default scripts, and why the others do not.

    python tools/corpus.py [FOLDER] [--kernel graphon-0.8] [--limit SECONDS] [--json]

FOLDER holds exported apps (.yml, .yaml, .json), at any depth; the default is ../shared/corpus/dsl beside the
repository. Nothing is stored and nothing reaches the network. Exit code 1 when fewer than 95 % of the apps
with a graph end succeeded, partial-succeeded or paused.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workbench.engine.client import Client, KernelDiedError
from workbench.engine.kernels import DEFAULT_KERNEL, KERNELS, Kernel, ensure
from workbench.errors import WorkbenchError
from workbench.home import home
from workbench.records.app import App, read_app
from workbench.records.inputs import fill_inputs, system_variables
from workbench.records.reading import read_file, shorten

DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "dsl"
WELL = ("succeeded", "partial-succeeded", "paused")
TARGET = 0.95
QUERY = "Hello, what can you do?"
NOON = 1_767_268_800
"""1 January 2026, 12:00 UTC: the figure must not depend on the day."""


@dataclass(frozen=True)
class Outcome:
    """How one file ended: the run's status, or "no graph", "refused" (by graphon), "hung", "died"."""

    file: str
    status: str
    reason: str = ""
    seconds: float = 0.0
    nodes: int = 0


class Runner:
    """Runs apps one after another on one engine kernel; starts another child when one hung or died."""

    def __init__(self, kernel: Kernel, limit: float) -> None:
        self.kernel, self.limit = kernel, limit
        self.client: Client | None = None

    def run(self, app: App) -> tuple[str, str]:
        """(status, reason)."""
        command = {
            "cmd": "run",
            "run_id": "corpus",
            "app": app.payload(),
            "inputs": fill_inputs(app, {}),
            "system": system_variables(app, query=QUERY, run_id="corpus", timestamp=NOON),
            "script": {},
            "limits": {"max_seconds": self.limit},
            "options": {},
        }
        client = self.client = self.client or Client(self.kernel)
        killer = threading.Timer(self.limit + 10, client.kill, ["it hung"])
        killer.start()
        try:
            client.send(command)
            return self._end(client)
        except KernelDiedError as error:
            self.close()
            hung = "it hung" in str(error)
            return ("hung", "no end within the limit") if hung else ("died", shorten(error.cause, 120))
        finally:
            killer.cancel()

    def _end(self, client: Client) -> tuple[str, str]:
        failed: dict[str, Any] = {}
        for message in client.messages():
            if message["msg"] == "event" and message["event"]["kind"] == "NodeRunFailed":
                failed = failed or message["event"]
            if message["msg"] == "error":
                where = f"node {message['node_id']}: " if message.get("node_id") else ""
                return "refused", shorten(f"{where}{message['title']} {message['cause']}", 200)
            if message["msg"] == "end":
                node = f"{failed['type']} {failed['node']}: " if failed else ""
                return message["status"], shorten(node + (message.get("error") or ""), 200)
        raise AssertionError("messages() has no end")

    def close(self) -> None:
        if self.client is not None:
            self.client.close()
        self.client = None


def outcomes(folder: Path, kernel: Kernel, limit: float) -> Iterator[Outcome]:
    """One outcome a file, in the order of their names."""
    runner = Runner(kernel, limit)
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".yml", ".yaml", ".json"))
    try:
        for path in files:
            name, began = str(path.relative_to(folder)), time.monotonic()
            try:
                app = read_app(read_file(path), path.name)
            except WorkbenchError as error:
                title = error.title.removeprefix(f"{path.name} ")
                yield Outcome(name, "no graph", shorten(f"{title}: {error.cause}", 200))
                continue
            status, reason = runner.run(app)
            seconds = round(time.monotonic() - began, 3)
            yield Outcome(name, status, "" if status in WELL else reason, seconds, len(app.graph["nodes"]))
    finally:
        runner.close()


def report(found: list[Outcome], kernel: str) -> str:
    """The figure, and the list of the rest with their reasons."""
    runs = [outcome for outcome in found if outcome.status != "no graph"]
    well = [outcome for outcome in runs if outcome.status in WELL]
    counts = Counter(outcome.status for outcome in runs)
    share = f"{len(well) / len(runs):.1%}" if runs else "none"
    lines = [
        f"{len(found)} files, {len(runs)} with a graph: {len(well)} run well on {kernel} ({share}).",
        ", ".join(f"{count} {status}" for status, count in counts.most_common()) + ".",
    ]
    if runs:
        slowest = max(runs, key=lambda outcome: outcome.seconds)
        total = sum(outcome.seconds for outcome in runs)
        lines.append(f"{total:.1f} s in all; the longest took {slowest.seconds:.1f} s ({slowest.file}).")
    rest = [outcome for outcome in found if outcome.status not in WELL]
    lines += [f"  {outcome.status:9} {outcome.file}: {outcome.reason}" for outcome in rest]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--kernel", choices=KERNELS, default=DEFAULT_KERNEL)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds a run may take")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of text")
    given = parser.parse_args(arguments)
    if not given.folder.is_dir():
        print(f"There is no corpus at {given.folder}.", file=sys.stderr)
        print("Give a folder of exported apps: python tools/corpus.py FOLDER", file=sys.stderr)
        return 1
    try:
        kernel = ensure(given.kernel, home(), lambda line: print(line, file=sys.stderr))
        found = list(outcomes(given.folder, kernel, given.limit))
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 1
    runs = [outcome for outcome in found if outcome.status != "no graph"]
    if given.json:
        print(json.dumps({"kernel": given.kernel, "files": [asdict(outcome) for outcome in found]}, indent=1))
    else:
        print(report(found, given.kernel))
    well = sum(outcome.status in WELL for outcome in runs)
    return 0 if runs and well / len(runs) >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
