"""Events in the protocol's one spelling, wherever they come from."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.conftest import Hosts
from tests.kernels.host.driver import GENERATIONS, Host, fixture

pytestmark = pytest.mark.kernel


def brief(event: dict[str, Any]) -> tuple[Any, ...]:
    place = (event["container"], event["index"]) if "container" in event else ()
    what = event.get("node") or event.get("edge") or event.get("reason")
    return (event["kind"].removeprefix("NodeRun").removeprefix("Graph"), what, *place)


def test_messages_are_numbered_and_in_order(host: Host) -> None:
    outcome = host.run(fixture("nodes/llm").app, script=fixture("nodes/llm").script)
    kinds = [message["msg"] for message in outcome.messages]
    assert kinds[:2] == ["graph", "pool"]
    assert kinds[-1] == "end"
    numbers = [message["n"] for message in outcome.of("event")]
    assert numbers == list(range(1, len(numbers) + 1))
    moments = [message["at"] for message in outcome.of("event")]
    assert moments == sorted(moments)
    last = 0
    for message in outcome.messages:
        if message["msg"] == "stream":
            assert message["n"] == last
        last = message.get("n", last)


def test_a_whole_run(host: Host) -> None:
    given = apps.chain(apps.llm("llm"), apps.answer("answer", "It says {{#llm.text#}}."))
    script = {"nodes": {"llm": {"chunks": ["a", "b"]}}}
    outcome = host.run(given, script=script)
    assert [brief(event) for event in outcome.events] == [
        ("RunStarted", "initial"),
        ("Started", "start"),
        ("EdgeTaken", "start-source-llm"),
        ("Succeeded", "start"),
        ("Started", "llm"),
        ("StreamChunk", "llm"),
        ("StreamChunk", "llm"),
        ("StreamChunk", "llm"),
        ("EdgeTaken", "llm-source-answer"),
        ("Succeeded", "llm"),
        ("Started", "answer"),
        ("Succeeded", "answer"),
        ("RunSucceeded", None),
    ]
    assert outcome.chunks == ["It says ", "a", "b", "", "."]
    (done,) = [event for event in outcome.kinds("NodeRunSucceeded") if event["node"] == "llm"]
    assert done["outputs"]["text"] == "ab"
    assert done["usage"]["total_tokens"] == outcome.end["total_tokens"] > 0
    assert outcome.end["node_run_steps"] == 3


def nested() -> dict[str, Any]:
    """A loop of two rounds in an iteration over two items."""
    return apps.app(
        [
            apps.code("list", items="array[string]"),
            apps.iteration("each", ["list", "items"], ["inner", "loop_round"]),
            apps.loop("inner", "say", count=2, parent="each"),
            apps.template("say", "x", "inner"),
            apps.answer("answer", "done"),
        ],
        [
            apps.edge("start", "list"),
            apps.edge("list", "each"),
            apps.edge("each_start", "inner"),
            apps.edge("inner_start", "say"),
            apps.edge("each", "answer"),
        ],
    )


ROUNDS = {"nodes": {"list": {"outputs": {"items": ["p", "q"]}}}}


def test_events_of_nested_containers_tell_their_place(host: Host) -> None:
    outcome = host.run(nested(), script=ROUNDS)
    assert outcome.answer == "done"
    starts = [brief(event) for event in outcome.kinds("NodeRunStarted") if "container" in event]
    one = [("Started", "say", "inner", 0), ("Started", "say", "inner", 1)]
    assert starts == [("Started", "inner", "each", 0), *one, ("Started", "inner", "each", 1), *one]
    edges = [brief(event) for event in outcome.kinds("GraphEdgeTaken") if "container" in event]
    one = [("EdgeTaken", "inner_start-source-say", "inner", index) for index in (0, 1)]
    outer = [("EdgeTaken", "each_start-source-inner", "each", index) for index in (0, 1)]
    assert edges == [outer[0], *one, outer[1], *one]
    rounds = [(event["node"], event["round"]) for event in outcome.events if event["kind"].endswith("Next")]
    assert [entry for entry in rounds if entry[0] == "each"] == [("each", 0), ("each", 1)]


def test_all_generations_tell_the_same_of_a_nested_run(hosts: Hosts) -> None:
    """But for the one round more that 0.5 and 0.6 announce at the end of a loop."""
    told = []
    for name in GENERATIONS:
        host = hosts[name]
        events = [brief(event) for event in host.run(nested(), script=ROUNDS).events]
        told.append([event for event in events if event[0] != "LoopNext"])
    assert told[1:] == told[:1] * 3


def test_failures_tell_what_and_where(host: Host) -> None:
    given = apps.chain(apps.llm("llm"), apps.answer("answer", "{{#llm.text#}}"))
    script = {"nodes": {"llm": {"chunks": ["a"], "fail": {"attempts": [1], "error": "the model is away"}}}}
    outcome = host.run(given, script=script)
    assert outcome.status == "failed"
    assert "the model is away" in outcome.end["error"]
    (failed,) = outcome.kinds("NodeRunFailed")
    assert failed["node"] == "llm"
    assert "the model is away" in failed["error"]
    assert failed["error_type"]
    assert outcome.events[-1]["kind"] == "GraphRunFailed"
    assert outcome.end["exceptions_count"] == 1


def test_default_values_and_fail_branches_are_exceptions(host: Host) -> None:
    value = [{"key": "text", "type": "string", "value": "DEF"}]
    given = apps.chain(
        apps.llm("llm", error_strategy="default-value", default_value=value),
        apps.answer("answer", "{{#llm.text#}}"),
    )
    script = {"nodes": {"llm": {"fail": {"attempts": [1], "after_chunks": 0, "error": "no"}}}}
    outcome = host.run(given, script=script)
    assert (outcome.status, outcome.answer) == ("partial-succeeded", "DEF")
    (exception,) = outcome.kinds("NodeRunException")
    assert exception["outputs"]["text"] == "DEF"
    assert exception["outputs"]["error_message"]


def test_a_variable_update_tells_its_value_and_type(host: Host) -> None:
    given = fixture("shapes/t4-assigned-variable")
    outcome = host.run(given.app)
    (updated,) = outcome.kinds("NodeRunVariableUpdated")
    assert (updated["selector"], updated["value"], updated["type"]) == (
        ["conversation", "c"],
        "NEW",
        "string",
    )


def test_the_pool_tells_types(host: Host) -> None:
    given = apps.chain(
        apps.answer("answer", "{{#env.key#}}{{#conversation.seen#}}"),
        environment_variables=[
            {"id": "1", "name": "key", "value_type": "secret", "value": "s3"},
            {"id": "2", "name": "limit", "value_type": "number", "value": "7"},
        ],
        conversation_variables=[
            {"id": "3", "name": "seen", "value_type": "array[string]", "value": []},
            {"id": "4", "name": "odd", "value_type": "object", "value": "not an object"},
            {"id": "5", "name": "gone", "value_type": "array[object]", "value": None},
        ],
    )
    paper = {"type": "document", "transfer_method": "remote_url", "url": "https://x.test/a.pdf"}
    outcome = host.run(given, inputs={"paper": paper, "n": 1.5}, system={"query": "q", "files": [paper]})
    pool = outcome.of("pool")[0]["variables"]
    assert pool["env"] == {
        "key": {"type": "secret", "value": "s3"},
        "limit": {"type": "integer", "value": 7},
    }
    assert pool["conversation"]["seen"] == {"type": "array[string]", "value": []}
    assert pool["conversation"]["odd"] == {"type": "string", "value": "not an object"}
    assert pool["conversation"]["gone"] == {"type": "array[object]", "value": []}
    assert pool["start"]["n"] == {"type": "float", "value": 1.5}
    assert pool["start"]["paper"]["type"] == "file"
    assert pool["start"]["paper"]["value"]["filename"] == "a.pdf"
    assert pool["sys"]["files"]["type"] == "array[file]"
    assert pool["sys"]["workflow_run_id"] == {"type": "string", "value": "run-1"}
    assert outcome.answer is not None
    assert outcome.answer.startswith("s3")


def test_a_fork_carries_its_own_run_id(host: Host) -> None:
    given = apps.chain(apps.human("ask"), apps.answer("answer", "{{#sys.workflow_run_id#}}"))
    pause = host.run(given).pause
    outcome = host.resume(given, pause, forms={"ask": {"action": "approve"}}, run_id="fork-2")
    assert outcome.answer == "fork-2"


def test_a_broken_stream_does_not_end_the_run(hosts: Hosts) -> None:
    """A loop's LLM, named by an Answer outside: the second round writes a closed stream, and the filter
    raises.
    """
    given = fixture("odd/stream-closed-twice")
    for name in GENERATIONS:
        host = hosts[name]
        outcome = host.run(given.app, script=given.script)
        (broken,) = [message for message in outcome.of("stream") if "error" in message]
        assert "already closed" in broken["error"]
        assert outcome.status == "succeeded"
        after = [message for message in outcome.of("stream") if message["n"] > broken["n"]]
        assert after == []


def test_a_run_without_the_filter_streams_nothing(host: Host) -> None:
    given = fixture("shapes/t1-if-else").app
    outcome = host.run(given, options={"filter": False})
    assert outcome.status == "paused"
    assert outcome.pause["gate"] is None
    assert outcome.of("stream") == []
    resumed = host.resume(
        given, outcome.pause, "fresh", forms={"hum": {"action": "approve"}}, options={"filter": False}
    )
    assert (resumed.chunks, resumed.status) == ([], "succeeded")


def test_gates_after_every_event(host: Host) -> None:
    outcome = host.run(fixture("shapes/t1-if-else").app, options={"gate_every_event": True})
    assert [message["n"] for message in outcome.of("gate")] == [
        message["n"] for message in outcome.of("event")
    ]
    assert outcome.of("gate")[-1]["state"] == outcome.pause["gate"]


def test_as_fast_as_dify(host: Host) -> None:
    given = fixture("odd/parallel-answers")
    outcome = host.run(given.app, script=given.script, options={"lockstep": False})
    assert outcome.status == "succeeded"
    assert sorted(outcome.answer or "") == sorted("A:abc;B:xy;")
    numbers = [message["n"] for message in outcome.of("event")]
    assert numbers == list(range(1, len(numbers) + 1))
    paused = host.run(fixture("shapes/t1-if-else").app, options={"lockstep": False})
    forms = {"hum": {"action": "approve", "fields": {"note": "x"}}}
    fast = {"lockstep": False}
    resumed = host.resume(fixture("shapes/t1-if-else").app, paused.pause, forms=forms, options=fast)
    assert "".join(resumed.chunks) == "Hello x!"
