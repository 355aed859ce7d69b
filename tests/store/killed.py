"""A recorder to be killed: it records one run after another and tells on its output what is saved."""

from __future__ import annotations

import itertools
import random
import sys
import time
from pathlib import Path

from tests.store.making import PAUSED, STARTED, Ended, begin, node, resume
from workbench.store import Recorder, Store, recorder


def tell(*words: object) -> None:
    print(*words, flush=True)


def events(made: Recorder, run_id: str, count: int) -> None:
    for number in range(count):
        for event in node(f"n{number}", outputs={"text": "x" * random.randrange(2_000)}):
            tell("event", run_id, made.event(0, time.time(), event))


def main(path: str, prefix: str, seed: str) -> None:
    random.seed(seed)
    recorder.BATCH_SECONDS = 0.005  # many commits, so that many of them are cut
    store = Store(Path(path))
    for number in itertools.count():
        run_id = f"{prefix}-{number}"
        made = begin(store, run_id)
        tell("begun", run_id)
        made.event(0, time.time(), STARTED)
        events(made, run_id, random.randrange(1, 80))
        pause_id = made.finish(PAUSED)
        tell("paused", run_id, pause_id)
        made.close()
        made = resume(store, str(pause_id), run_id)
        tell("resumed", run_id)
        events(made, run_id, random.randrange(1, 40))
        made.finish(Ended())
        tell("finished", run_id)
        made.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
