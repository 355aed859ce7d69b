"""A store with 100,000 runs: listing and searching it, lease included."""

from __future__ import annotations

from tests.bench.frame import Place, Row, bench, in_turns, ms
from workbench.store import Store
from workbench.store.lease import lease

RUNS = 100_000
FILL = """
INSERT INTO workflow_runs BY NAME
SELECT i AS seq, printf('%08x-0000-4000-8000-%012d', hash(i) % 4294967296, i) AS id, md5('app') AS app_id,
    'Refunds ' || (i % 50) AS app_name, 'chat' AS type, 'debugging' AS triggered_from,
    ['succeeded', 'failed', 'paused', 'partial-succeeded'][i % 4 + 1] AS status, false AS interrupted,
    'graphon-0.8' AS kernel, '{}' AS inputs, '{}' AS system, '{}' AS script, '{}' AS options,
    '{"answer": "Refund ' || i || ' is approved, thank you for waiting."}' AS outputs, 1.5 AS elapsed_time,
    12 AS total_tokens, 5 AS total_steps, 0 AS exceptions_count, 40 AS steps, 1 AS segments,
    to_timestamp(1790000000 + i)::TIMESTAMP AS created_at,
    to_timestamp(1790000001 + i)::TIMESTAMP AS finished_at,
    printf('%08x refunds %d refund %d is approved, thank you for waiting.', hash(i) % 4294967296, i % 50, i)
        AS search
FROM range(1, ?) AS numbers(i)
"""


@bench
def many_runs(place: Place) -> list[Row]:
    """The first page, a search that finds one run, a search that finds thousands, by status."""
    path = place.folder / "store.duckdb"
    with lease(path, "fill", write=True) as held:
        held.run(FILL, RUNS + 1)
    store = Store(path)
    assert len(store.runs(search="refund 77777 is")) >= 1
    actions = {
        "listed, newest 200": lambda: store.runs(limit=200),
        "searched for one run's text": lambda: store.runs(search="refund 77777", limit=200),
        "searched, 25,000 found, 200 shown": lambda: store.runs(
            search="approved", status="paused", limit=200
        ),
        "searched in vain": lambda: store.runs(search="nowhere", limit=200),
    }
    times = in_turns(*actions.values())
    return [
        Row(f"store of {RUNS:,} runs: {what}", ms(seconds), target="200 ms", kept=seconds < 0.2)
        for what, seconds in zip(actions, times, strict=True)
    ]
