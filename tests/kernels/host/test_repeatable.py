"""Lock-step makes a run repeatable: the same events, chunks and pauses every time, ids and times aside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.driver import Host, Outcome, fixture

pytestmark = pytest.mark.kernel
TIMES = 8
RACY = [
    "odd/reassigned-variable",
    "odd/parallel-answers",
    "containers/iteration-parallel",
    "containers/parallel-forms",
    "containers/loop",
    "shapes/t5-parallel-llm",
]


def shape(outcome: Outcome) -> str:
    """What must be the same: everything but execution ids, clocks and what is counted in seconds."""
    told = []
    for message in outcome.messages:
        if message["msg"] == "event":
            told.append(_without(message["event"]))
        elif message["msg"] in ("stream", "graph", "pool", "note"):
            told.append(message)
        elif message["msg"] == "end":
            told.append({**message, "pause": message["pause"] and message["pause"]["reasons"]})
    return json.dumps(told, sort_keys=True)


def _without(event: Any) -> Any:
    if isinstance(event, dict):
        dropped = ("xid", "elapsed", "latency", "metadata", "usage", "process_data")
        return {key: _without(value) for key, value in event.items() if key not in dropped}
    return [_without(item) for item in event] if isinstance(event, list) else event


@pytest.mark.parametrize("name", RACY)
def test_twenty_runs_are_one(host: Host, name: str) -> None:
    given = fixture(name)
    query = given.scenarios[0]["steps"][0]["run"].get("query", "Hello")
    shapes = {shape(host.run(given.app, query, script=given.script)) for _ in range(TIMES)}
    assert len(shapes) == 1


def test_twenty_resumes_are_one(host: Host) -> None:
    """Two forms answered at once: graphon 0.5 and 0.6 keep what waits in a set, whose order changes."""
    given = fixture("containers/parallel-forms")
    shapes = set()
    for _ in range(TIMES):
        pause = host.run(given.app).pause
        forms = {name: {"action": "approve", "fields": {"note": name}} for name in ("left", "right")}
        shapes.add(shape(host.resume(given.app, pause, forms=forms)))
    assert len(shapes) == 1


def branches() -> dict[str, Any]:
    """Six forms and four slow branches, all ready at once; what waits behind a branch is for later."""
    forms = [apps.human(f"form{i}") for i in range(6)]
    models = [apps.llm(f"llm{i}") for i in range(4)]
    tails = [apps.template(f"tail{i}", "{{ x }}", x=[f"llm{i}", "text"]) for i in range(4)]
    ready = [node["id"] for pair in zip(forms, [*models, None, None], strict=True) for node in pair if node]
    text = "".join(f"{{{{#tail{i}.output#}}}}" for i in range(4))
    return apps.app(
        [*forms, *models, *tails, apps.answer("answer", text)],
        [apps.edge("start", name) for name in ready]
        + [apps.edge(f"llm{i}", f"tail{i}") for i in range(4)]
        + [apps.edge(f"tail{i}", "answer") for i in range(4)]
        + [apps.edge(f"form{i}", "answer", "approve") for i in range(6)],
    )


def test_what_a_pause_lets_run_is_always_the_same(host: Host) -> None:
    """graphon's workers and its dispatcher race for it."""
    script = {"nodes": {f"llm{i}": {"chunks": ["a", "b"]} for i in range(4)}}
    shapes = {shape(host.run(branches(), script=script)) for _ in range(TIMES)}
    assert len(shapes) == 1
    pause = host.run(branches(), script=script).pause
    answers = {reason["form_id"]: {"action": "approve"} for reason in pause["reasons"]}
    shapes = {shape(host.resume(branches(), pause, forms=answers, script=script)) for _ in range(TIMES)}
    assert len(shapes) == 1


def test_a_node_never_reads_what_its_neighbour_is_writing(host: Host) -> None:
    """No edge between the two: in the order of the edges the reader comes second, always."""
    write = apps.node(
        "write",
        "assigner",
        version="2",
        items=[
            {
                "variable_selector": ["conversation", "c"],
                "input_type": "constant",
                "operation": "over-write",
                "value": "NEW",
            }
        ],
    )
    given = apps.app(
        [
            write,
            apps.template("read", "{{ c }}", c=["conversation", "c"]),
            apps.answer("answer", "{{#read.output#}}"),
        ],
        [apps.edge("start", "write"), apps.edge("start", "read"), apps.edge("read", "answer")],
        conversation_variables=[{"id": "1", "name": "c", "value_type": "string", "value": "OLD"}],
    )
    assert {host.run(given).answer for _ in range(3 * TIMES)} == {"NEW"}


def test_resumes_in_other_processes_are_the_same(generation: str) -> None:
    """A set's order depends on the process's hash seed, too."""
    given = fixture("containers/parallel-forms")
    forms = {name: {"action": "approve", "fields": {"note": name}} for name in ("left", "right")}
    shapes = set()
    for _ in range(4):
        with Host(generation) as host:
            pause = host.run(given.app).pause
            shapes.add(shape(host.resume(given.app, pause, forms=forms)))
    assert len(shapes) == 1
