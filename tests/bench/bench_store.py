"""A store with 100,000 runs and 2,000,000 events: lists, searches, ids, and a run more. Whole calls."""

from __future__ import annotations

from pathlib import Path

from tests.bench.frame import Place, Row, bench, in_turns, ms
from tests.store.making import STARTED, Ended, begin, finished_run, node, say
from workbench.store import Store
from workbench.store.lease import lease

RUNS = 100_000
EVENTS = 20
TARGET = 0.2


def fill(path: Path, runs: int = RUNS) -> None:
    """Runs as the recorder writes them, made by SQL: names, queries and answers differ, ids are random."""
    with lease(path, "bench", write=True) as held:
        held.run(_RUNS.format(text="repeat(md5(i::VARCHAR) || ' ', 12)", events=EVENTS, runs=runs))
        held.run(
            "INSERT INTO forks SELECT i * 10 + 1, 'x', 'parent', 3, NULL"
            f" FROM range({min(1000, runs // 10)}) AS t(i)"
        )
        held.run(
            "INSERT INTO run_segments BY NAME SELECT i + 1 AS run, 0 AS segment, 'graphon-0.8' AS kernel,"
            f" 1 AS first_step, {EVENTS} AS last_step, 'fresh' AS gate_mode, '{{}}' AS forms,"
            f" 'succeeded' AS status FROM range({runs}) AS t(i)"
        )
        held.run(_EVENTS.format(events=EVENTS, total=runs * EVENTS))


_RUNS = """
INSERT INTO workflow_runs BY NAME SELECT
    i + 1 AS seq, uuid()::VARCHAR AS id, md5((i % 37)::VARCHAR) AS app_id, 'App ' || (i % 37) AS app_name,
    'advanced-chat' AS type, 'workbench' AS triggered_from,
    ['succeeded', 'failed', 'paused'][1 + i % 3] AS status, FALSE AS interrupted, 'graphon-0.8' AS kernel,
    '{{"name":"someone"}}' AS inputs, '{{"query":"what about order ' || i || '?"}}' AS system,
    '{{}}' AS script, '{{}}' AS options, '{{"answer":"' || {text} || '"}}' AS outputs, {text} AS answer,
    0.5 AS elapsed_time, 10 AS total_tokens, 5 AS total_steps, 0 AS exceptions_count, {events} AS steps,
    1 AS segments, make_timestamp(1790000000000000 + i * 1000000) AS created_at,
    make_timestamp(1790000000500000 + i * 1000000) AS finished_at,
    'app ' || (i % 37) || ' graphon-0.8 someone what about order ' || i || '? ' || {text} AS search
FROM range({runs}) AS t(i)
"""
_EVENTS = """
INSERT INTO run_events SELECT i // {events} + 1, i % {events} + 1, 1790000000.0 + i, 'NodeRunStreamChunk',
    'llm',
    '{{"kind":"NodeRunStreamChunk","node":"llm","xid":"' || uuid() || '","text":"word ' || i || '"}}'
FROM range({total}) AS t(i)
"""


@bench
def lists(place: Place) -> list[Row]:
    """What the runs screen and the command line ask for."""
    store = Store(place.folder / "store.duckdb")
    finished_run(store, "the-first")
    fill(store.path)
    run_id = store.runs(limit=1, search="4711?")[0].run_id
    numbers = iter(range(1_000_000))

    def record() -> None:
        recorder = begin(store, f"new-{next(numbers)}")
        say(recorder, [STARTED, *(event for n in range(10) for event in node(f"n{n}"))])
        recorder.finish(Ended())
        recorder.close()

    asked = {
        "the newest 200": lambda: store.runs(limit=200),
        "search, one hit": lambda: store.runs(search="order 4711?", limit=200),
        "search, 200 of all": lambda: store.runs(search="order", limit=200),
        "search, no hit": lambda: store.runs(search="zzz", limit=200),
        "by status and app": lambda: store.runs(status="paused", app="App 3", limit=200),
        "one run": lambda: store.run(run_id),
        "its events": lambda: store.events(run_id),
        "an id by its beginning": lambda: store.resolve(run_id[:8]),
        "an id that is none": lambda: _refused(store),
        "all of them": lambda: store.runs(),
        "recording one more": record,
    }
    times = in_turns(*asked.values(), rounds=5)
    unpromised = {"all of them", "recording one more"}
    return [
        Row(f"{RUNS:,} runs: {what}", ms(seconds))
        if what in unpromised
        else Row(f"{RUNS:,} runs: {what}", ms(seconds), target="200 ms", kept=seconds < TARGET)
        for what, seconds in zip(asked, times, strict=True)
    ]


def _refused(store: Store) -> None:
    from workbench.errors import NotFoundError

    try:
        store.resolve("deadbeef-0")
    except NotFoundError:
        return
    raise AssertionError
