"""Edits of saved pauses of every era: what they change, what they leave, what they refuse."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.core.edits.states import document, state_files
from workbench.core.edits import MISSING, Edit, Editing, Given, open_document, parse, places, refusals
from workbench.errors import UsageError
from workbench.records.resumption_context import read_resumption_context

NAMES = [f"{path.parent.name}/{path.stem}" for path in state_files()]


def edited(name: str, *edits: str, app: bool = True) -> Editing:
    editing = Editing(document(name, app=app))
    for text in edits:
        editing = editing.apply(parse(text))
    return editing


def variables(editing: Editing) -> Any:
    return read_resumption_context(editing.text()).runtime_state.variables


@pytest.mark.parametrize("name", NAMES)
def test_every_target_set_to_what_it_is_changes_nothing_but_spelling(name: str) -> None:
    doc = document(name)
    for place in places(doc):
        if place.value is MISSING or place.target in ("gate:taken",):
            continue
        editing = Editing(doc).apply(Edit(place.target, Given(place.value)))
        assert json.loads(editing.text()) == json.loads(doc.text()) or place.target.startswith("gate:"), (
            place.target
        )
        assert editing.undo().text() == doc.text()


@pytest.mark.parametrize("name", NAMES)
def test_one_edit_changes_only_its_bytes_and_undo_gives_all_back(name: str) -> None:
    doc = document(name)
    before = doc.text()
    editing = edited(name, "sys.query=Where is it?")
    after = editing.text()
    head = next(i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    tail = len(after) - len("Where is it?") - head
    assert after[head:].startswith("Where is it?")
    assert before[head:] == f"hi{after[head + len('Where is it?') :]}"
    assert tail >= 0
    assert editing.undo().text() == before
    assert editing.undo().redo().text() == after


@pytest.mark.parametrize(
    ("edit", "node", "name", "value", "kind"),
    [
        ("conversation.note=hello", "conversation", "note", "hello", "string"),
        ("conversation.count=3.5", "conversation", "count", 3.5, "float"),
        ("sys.dialogue_count=7", "sys", "dialogue_count", 7, "integer"),
        ("sys.dialogue_count=7.5", "sys", "dialogue_count", 7.5, "float"),
        ("conversation.flag=true", "conversation", "flag", True, "boolean"),
        ('conversation.thing:={"a": []}', "conversation", "thing", {"a": []}, "object"),
        ("conversation.thing.a[1].b=5", "conversation", "thing", {"a": [1, {"b": 5}]}, "object"),
        ("conversation.words[0]=z", "conversation", "words", ["z", "y"], "array[string]"),
        ('conversation.words:=["only"]', "conversation", "words", ["only"], "array[string]"),
        ("conversation.numbers:=[1.5]", "conversation", "numbers", [1.5], "array[number]"),
        ('conversation.things:=[{"x": null}]', "conversation", "things", [{"x": None}], "array[object]"),
        ("conversation.flags:=[false]", "conversation", "flags", [False], "array[boolean]"),
        ("env.key=another secret", "env", "key", "another secret", "secret"),
        ("code.n:string=three", "code", "n", "three", "string"),
        ("code.new:string=made", "code", "new", "made", "string"),
        ("code.many:=[1, 2]", "code", "many", [1, 2], "array[number]"),
        ("start.sys.query=again", "start", "sys.query", "again", "string"),
    ],
)
@pytest.mark.parametrize("era", "ABCDE")
def test_typed_variables(era: str, edit: str, node: str, name: str, value: Any, kind: str) -> None:
    editing = edited(f"{era}/every-type", edit)
    state = read_resumption_context(editing.text()).runtime_state
    assert state.variables[node][name] == value
    assert state.variable_types[node][name] == kind
    assert not refusals(editing.document)


def test_a_file_from_its_address_and_a_place_in_a_file() -> None:
    editing = edited(
        "E/every-type", "start.paper=https://files.example/new.png", "start.pictures[0].filename=b.png"
    )
    held = variables(editing)["start"]
    assert (held["paper"]["type"], held["paper"]["remote_url"]) == ("image", "https://files.example/new.png")
    assert held["pictures"][0]["filename"] == "b.png"


@pytest.mark.parametrize("era", ["A", "B", "C", "D", "E"])
@pytest.mark.parametrize(
    "edit",
    [
        "start.pictures=https://files.example/new.png",
        'start.pictures=["https://files.example/new.png"]',
        'input:pictures=["https://files.example/new.png"]',
        "start.pictures[0]=https://files.example/new.png",
        'start.pictures:=["https://files.example/new.png"]',
    ],
)
def test_files_from_their_addresses(era: str, edit: str) -> None:
    editing = edited(f"{era}/every-type", edit)
    (held,) = variables(editing)["start"]["pictures"]
    assert (held["type"], held["transfer_method"]) == ("image", "remote_url")
    assert held["remote_url"] == "https://files.example/new.png"
    assert not refusals(editing.document)


@pytest.mark.parametrize("name", NAMES)
def test_a_list_is_typed_as_it_is_shown(name: str) -> None:
    """What `--targets` shows of tasks, paths, taken edges and buffers can be given back as a text."""
    doc = document(name)
    lists = [
        place
        for place in places(doc)
        if isinstance(place.value, list)
        and (
            place.target.startswith(("tasks:", "gate:buffer", "gate:taken"))
            or place.target.endswith(".paths")
        )
    ]
    assert lists
    for place in lists:
        before = Editing(doc).document
        after = edited(name, f"{place.target}={json.dumps(place.value)}").document
        assert [each.value for each in places(after)] == [each.value for each in places(before)], place.target


def test_a_name_that_is_twice_is_offered_once() -> None:
    with pytest.raises(UsageError) as raised:
        edited("C/t1-if-else", "gate:taken=+zzzzzzzz")
    names = raised.value.cause.removeprefix("It has: ").rstrip(".").split(", ")
    assert len(names) == len(set(names)) > 3


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("sys.dialogue_count=many", "integer"),
        ("conversation.flag=maybe", "boolean"),
        ("conversation.words:=[1]", "not a text"),
        ("start.paper:={}", "file of the type"),
        ("start.paper.transfer_method=carrier", "transfer_method"),
        ("sys.querry=x", "query"),
        ("sis.query=x", "sys"),
        ("conversation.thing.a[9]=1", "2 items"),
        ("conversation.thing.a.b=1", "2 items|no key|Nothing"),
        ("gate:anser=active", "answer"),
        ("gate:answer=open", "locked, queued, active, done"),
        ("gate:answer.index=9", "3 parts"),
        ("node:cod=taken", "code"),
        ("node:code=maybe", "unknown, taken, skipped"),
        ("edge:code->hum=maybe", "unknown, taken, skipped"),
        ("edge:start->hum=taken", "edge"),
        ("tasks:ready=cod", "code"),
        ("form:hum.note=x", "field"),
        ("input:nam=x", "name"),
        ("run:steps=-1", "0 or more"),
        ("entity:user.id=x", "user_id"),
        ("nodes:code=taken", "node:code"),
        ("hello", "TARGET=VALUE"),
        ("conversation.count:=[", "JSON"),
    ],
)
def test_wrong_edits_say_what_would_be_right(edit: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        edited("E/every-type", edit)
    assert re.search(says, str(caught.value)), str(caught.value)


def test_the_gate_by_phases_index_and_taken_edges() -> None:
    editing = edited(
        "E/t1-if-else", "gate:answer=active", "gate:answer.index=2", "gate:taken=+hum-approve-answer-target"
    )
    gate = read_resumption_context(editing.text()).gate
    assert gate is not None
    assert gate.data["active_session"] == {"node_id": "answer", "index": 2}
    assert [session["node_id"] for session in gate.data["pending_sessions"]] == ["other", "rejected"]
    assert gate.data["paths_map"]["answer"] == [[]]
    done = read_resumption_context(edited("E/t1-if-else", "gate:answer=done").text()).gate
    assert done is not None
    assert "answer" not in {session["node_id"] for session in done.data["pending_sessions"]}


def test_edges_of_older_states_go_by_their_dsl_ids_and_by_their_ends() -> None:
    state = read_resumption_context(
        edited("C/t1-if-else", "edge:hum:approve->answer=taken").text()
    ).runtime_state
    other = read_resumption_context(
        edited("C/t1-if-else", "edge:hum-approve-answer-target=taken").text()
    ).runtime_state
    assert state.edge_states == other.edge_states
    assert sum(found == "taken" for found in state.edge_states.values()) == 3
    gate = read_resumption_context(edited("C/t1-if-else", "gate:taken=auto").text()).gate
    assert gate is not None
    assert gate.data["paths_map"]["answer"] == [["edge_3"]] or gate.data["paths_map"]["answer"][0][
        0
    ].startswith("edge_")


def test_streams_keep_the_events_that_stay() -> None:
    before = document("E/t5-parallel-llm").gate() or {}
    editing = edited(
        "E/t5-parallel-llm",
        'gate:buffer.llm.text:=["one ", "zwei "]',
        "gate:position.llm.text=1",
        "gate:closed.llm.text=false",
    )
    gate = read_resumption_context(editing.text()).gate
    assert gate is not None
    events = gate.data["stream_buffers"][0]["events"]
    assert events[0] == before["stream_buffers"][0]["events"][0]
    assert [event["chunk"] for event in events] == ["one ", "zwei "]
    assert gate.data["stream_positions"][0]["position"] == 1
    assert gate.data["closed_streams"] == []


def test_query_and_inputs_change_in_the_entity_and_in_the_pool() -> None:
    context = read_resumption_context(edited("E/every-type", "query=new", "input:name=Ann").text())
    assert context.entity["query"] == "new"
    assert context.entity["inputs"]["name"] == "Ann"
    held = context.runtime_state.variables
    assert (held["sys"]["query"], held["start"]["sys.query"], held["start"]["name"]) == ("new", "new", "Ann")


def test_form_defaults_of_dify_1_15_and_before() -> None:
    for era in "AB":
        state = read_resumption_context(edited(f"{era}/every-type", "form:hum.note=ok").text()).runtime_state
        assert state.pause_reasons[0]["resolved_default_values"] == {"note": "ok"}


def test_tasks_frames_and_raw_places() -> None:
    editing = edited(
        "E/iteration-pause", "tasks:ready=list", "frame:0/node:ask=taken", "state:outputs.extra:=1"
    )
    state = read_resumption_context(editing.text()).runtime_state
    assert [task.node for task in state.ready] == ["list"]
    assert state.container_frames[0]["runtime_data"]["graph_node_states"]["ask"] == "taken"
    assert state.outputs == {"extra": 1}
    deep = edited("E/t1-if-else", "context:serialized_graph_runtime_state.graph_execution.exceptions_count=2")
    assert read_resumption_context(deep.text()).runtime_state.execution.exceptions_count == 2


def test_a_list_of_edits_is_kept_undone_and_replayed_elsewhere() -> None:
    first = edited("E/t1-if-else", "sys.query=a", "gate:answer=active").named("try it")
    assert first.name == "try it"
    for name in ("B/t1-if-else", "C/t1-if-else"):
        other = Editing(document(name))
        if name[0] == "B":
            with pytest.raises(UsageError, match="Edit 2 of 2"):
                other.replay(first.edits)
        else:
            assert variables(other.replay(first.edits))["sys"]["query"] == "a"
    with pytest.raises(UsageError):
        first.undo().undo().undo()
    again = first.undo().apply(parse("sys.query=b"))
    assert not again.undone
    assert variables(again)["sys"]["query"] == "b"
    many = Editing(document("E/t1-if-else"))
    for number in range(20):
        many = many.apply(parse(f"sys.query=text {number}"))
    for _ in range(20):
        many = many.undo()
    assert many.text() == document("E/t1-if-else").text()


def hostile(pool: Any, **more: Any) -> str:
    """A runtime state with right shapes outside and wrong types inside."""
    state = {"version": "3.0", "variable_pool": pool, "ready_queue": "{}", "graph_execution": "{}", **more}
    return json.dumps(state)


def variable(**held: Any) -> Any:
    return {"variable_dictionary": {"\x1b[31m": {"\ud800": {"name": "[red]", **held}}}}


@pytest.mark.parametrize(
    "text",
    [
        hostile(3, ready_queue=[], graph_execution="x"),
        hostile({"variable_dictionary": {"a": [], "b": {"c": 4}}}, graph_execution="[]"),
        hostile(variable(value_type="string", value=5), ready_queue='{"items": 3}', version="2.0"),
        hostile(variable(value_type="file", value=[]), graph_execution='{"pause_reasons": [1, null]}'),
        hostile(variable(value_type="none"), container_frames=[1, {"runtime_data": 5}], graph_node_states=[]),
        hostile(variable(value_type="integer", value=1), version="1.0").replace(
            '"value": 1', '"value": 1e400'
        ),
        hostile(
            variable(value_type="array[number]", value=[10**4000, "\udfff"]),
            graph_state={"edges": {"edge_9": 1}},
        ),
    ],
)
def test_hostile_states_are_told_and_keep_their_bytes(text: str) -> None:
    for kernel in ("graphon-0.5", "graphon-0.7", "graphon-0.8"):
        doc = open_document(text, "runtime-state", kernel=kernel, graph=document("E/t1-if-else").graph)
        assert refusals(doc)
        for place in places(doc):
            assert place.target
        assert doc.text() == text


def test_a_hundred_thousand_variables() -> None:
    held = {f"v{j}": {"value_type": "string", "value": "x", "name": f"v{j}"} for j in range(100)}
    text = hostile({"variable_dictionary": {f"n{i}": held for i in range(1000)}})
    editing = Editing(open_document(text, "runtime-state", kernel="graphon-0.8")).apply(parse("n999.v99=y"))
    assert editing.text() == text[::-1].replace('"x"'[::-1], '"y"'[::-1], 1)[::-1]


@pytest.mark.parametrize("name", NAMES)
def test_places_of_a_beginning_are_those_of_all_that_begin_so(name: str) -> None:
    doc = document(name)
    every = list(places(doc))
    for prefix in ("gate:", "node:", "no", "sys.", "start.", "query", "q", "entity:user", "edge:", "input:"):
        assert list(places(doc, prefix)) == [each for each in every if each.target.startswith(prefix)]
