"""Comparing what is large: two runs of 10,000 events, two saved pauses of 5 MB."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.bench.bench_edit import STATE, large_pause
from tests.bench.frame import Place, Row, bench, in_turns, ms
from tests.bench.samples import llm_app
from tests.store.making import Ended
from tests.tui import journals, recorded
from workbench.core.graph_of import graph_of
from workbench.verbs.context import Context
from workbench.verbs.diff import compare

WORDS = 10_000


def long_run(ctx: Context, run_id: str, word: str) -> None:
    """A run whose model says `WORDS` words, in a store."""
    app = llm_app()
    graph = graph_of(app.graph, app.root)
    by_type = {node.type: node.id for node in graph.nodes.values()}
    start, llm, answer = by_type["start"], by_type["llm"], by_type["answer"]
    leaving = {edge.source: edge.id for edge in graph.edges.values()}
    said = [f"{word}{at} " for at in range(WORDS)]
    events = [
        {"kind": "GraphRunStarted", "reason": "initial"},
        journals.started(start),
        journals.edge(graph, leaving[start]),
        journals.succeeded(start),
        journals.started(llm),
        *(journals.chunk(llm, each) for each in said),
        journals.chunk(llm, "", final=True),
        journals.edge(graph, leaving[llm]),
        journals.succeeded(llm, {"text": "".join(said)}),
        journals.started(answer),
        journals.succeeded(answer, {"answer": "".join(said)}),
        {"kind": "GraphRunSucceeded", "outputs": {"answer": "".join(said)}},
    ]
    recorded.record(ctx, run_id, events, Ended(outputs={"answer": "".join(said)}), app=app)


@bench
def compare_what_is_large(place: Place) -> Iterator[Row]:
    """All facts of both sides aligned: read, compared, and put into rows."""
    ctx = recorded.context(place.folder)
    long_run(ctx, "first", "word")
    long_run(ctx, "second", "wort")
    (runs,) = in_turns(lambda: compare(ctx, "first", "second").rows, rounds=3)
    yield Row(f"compare two runs of {WORDS:,} events", ms(runs), target="1 s", kept=runs < 1)
    text = large_pause(5)
    files = [place.folder / "first.json", place.folder / "second.json"]
    files[0].write_text(text)
    files[1].write_text(text.replace("line 1000 ", "line one thousand "))
    app = STATE.parents[2] / "shapes" / "t1-if-else" / "app.yml"
    first, second = map(str, files)

    def parsed() -> None:
        for _ in files:
            json.loads(json.loads(text)["serialized_graph_runtime_state"])

    alone, known, plain = in_turns(
        lambda: compare(ctx, first, second).rows,
        lambda: compare(ctx, first, second, app=app).rows,
        parsed,
        rounds=3,
    )
    against = f"json.loads of both, twice: {ms(plain)}"
    size = f"two saved pauses of {len(text) / 1e6:.1f} MB"
    yield Row(f"compare {size}", ms(alone), against, alone / plain, "1 s", alone < 1)
    yield Row(f"compare {size} with their app", ms(known), against, known / plain, "1 s", known < 1)
