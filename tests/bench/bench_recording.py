"""What recording costs over graphon alone in lock-step: 10,000 streamed chunks, every event durable."""

from __future__ import annotations

import itertools
import statistics
import time

from tests.bench.bench_engine import CHUNKS, alone
from tests.bench.frame import Place, Row, bench
from tests.bench.samples import Nowhere, llm_app, llm_order
from workbench.engine import install
from workbench.engine.client import Client
from workbench.engine.session import pump
from workbench.store import Store


@bench
def recording(place: Place) -> list[Row]:
    """The same run in a running kernel, into nothing and into the store; graphon alone beside it."""
    kernel = install("graphon-0.8", place.home, lambda _: None)
    store = Store(place.folder / "store.duckdb")
    app = llm_app()
    app_id = store.put_app(app)
    names = (f"run-{number}" for number in itertools.count())
    plain, recorded, bare = [], [], []
    with Client(kernel) as client:

        def into_nothing() -> float:
            began = time.perf_counter()
            client.send(llm_order(CHUNKS).command())
            assert pump(client, Nowhere()).status == "succeeded"
            return time.perf_counter() - began

        def into_the_store() -> float:
            order = llm_order(CHUNKS, next(names))
            began = time.perf_counter()
            recorder = store.begin_run(
                run_id=order.run_id,
                app_id=app_id,
                app_name=app.name,
                mode=app.mode,
                kernel=order.kernel,
                inputs={},
                system=dict(order.system),
                script={},
                options={},
            )
            client.send(order.command())
            ended = pump(client, recorder)
            recorder.finish(ended)
            assert ended.status == "succeeded", ended.error
            seconds = time.perf_counter() - began
            recorder.close()
            return seconds

        into_nothing()
        for _ in range(5):
            plain.append(into_nothing())
            recorded.append(into_the_store())
            bare.append(alone(kernel.python, CHUNKS)["seconds"])
    lone, sent, kept = (statistics.median(times) for times in (bare, plain, recorded))
    against = f"graphon alone, lock-step: {lone:.2f} s"
    return [
        Row(f"{CHUNKS:,} chunks to the workbench", f"{sent:.2f} s", against, sent / lone),
        Row(
            f"{CHUNKS:,} chunks, recorded", f"{kept:.2f} s", against, kept / lone, "1.15", kept / lone <= 1.15
        ),
    ]
