"""Human input on both of graphon's APIs: what a pause asks, what an answer becomes, which form it belongs
to.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.conftest import Hosts
from tests.kernels.host.driver import Host

pytestmark = pytest.mark.kernel

FIELDS = (
    {"type": "paragraph", "output_variable_name": "note", "default": {"type": "constant", "value": "none"}},
    {
        "type": "paragraph",
        "output_variable_name": "who",
        "default": {"type": "variable", "selector": ["sys", "query"], "value": ""},
    },
    {
        "type": "select",
        "output_variable_name": "colour",
        "option_source": {"type": "constant", "selector": [], "value": ["red", "blue"]},
    },
)
CONTENT = "Dear {{#sys.query#}},\n{{#$output.note#}} and {{#$output.colour#}}"


def asking(**data: Any) -> dict[str, Any]:
    return apps.app(
        [
            apps.human("ask", fields=FIELDS, form_content=CONTENT, **data),
            apps.answer("yes", "{{#ask.note#}}|{{#ask.who#}}|{{#ask.colour#}}|{{#ask.__action_value#}}"),
            apps.answer("no", "no"),
            apps.answer("late", "late:{{#ask.__action_id#}}:"),
        ],
        [
            apps.edge("start", "ask"),
            apps.edge("ask", "yes", "approve"),
            apps.edge("ask", "no", "reject"),
            apps.edge("ask", "late", "__timeout"),
        ],
    )


def test_a_pause_says_all_that_the_form_needs(host: Host) -> None:
    outcome = host.run(asking(), "Ada")
    (reason,) = outcome.pause["reasons"]
    assert reason["type"] == "human_input_required"
    assert (reason["node_id"], reason["node_title"]) == ("ask", "Ask")
    assert reason["content"] == "Dear Ada,\n{{#$output.note#}} and {{#$output.colour#}}"
    assert reason["actions"] == [
        {"id": "approve", "title": "Approve", "style": "primary"},
        {"id": "reject", "title": "Reject", "style": "default"},
    ]
    assert reason["fields"] == [
        {"name": "note", "type": "paragraph", "default": "none"},
        {"name": "who", "type": "paragraph", "default": "Ada"},
        {"name": "colour", "type": "select", "default": None, "options": ["red", "blue"]},
    ]
    assert reason["timeout"] == {"value": 3, "unit": "day"}
    # The same in the events, and no graphon spelling of it.
    assert outcome.kinds("NodeRunPauseRequested")[0]["reason"] == reason
    assert outcome.kinds("GraphRunPaused")[0]["reasons"] == [reason]


def test_an_answer_becomes_difys_outputs(host: Host) -> None:
    given = asking()
    pause = host.run(given, "Ada").pause
    fields = {"note": "fine", "colour": "blue"}
    outcome = host.resume(given, pause, forms={"ask": {"action": "approve", "fields": fields}})
    assert outcome.answer == "fine|Ada|blue|Approve"
    (done,) = [event for event in outcome.kinds("NodeRunSucceeded") if event["node"] == "ask"]
    assert done["handle"] == "approve"
    assert done["inputs"] == {"note": "fine", "who": "Ada", "colour": "blue"}
    assert done["outputs"] == {
        "note": "fine",
        "who": "Ada",
        "colour": "blue",
        "__action_id": "approve",
        "__action_value": "Approve",
        "__rendered_content": "Dear Ada,\nfine and blue",
    }
    (filled,) = outcome.kinds("NodeRunHumanInputFormFilled")
    assert filled["fields"] == done["inputs"]
    assert (filled["action"], filled["action_text"]) == ("approve", "Approve")
    assert filled["content"] == "Dear Ada,\nfine and blue"
    kinds = [event["kind"] for event in outcome.events if event.get("node") == "ask"]
    assert kinds == ["NodeRunStarted", "NodeRunHumanInputFormFilled", "NodeRunSucceeded"]


def test_a_form_times_out(host: Host) -> None:
    given = asking()
    pause = host.run(given, "Ada").pause
    outcome = host.resume(given, pause, forms={"ask": {"action": "__timeout"}})
    assert outcome.answer == "late::"
    assert outcome.kinds("NodeRunHumanInputFormTimeout")[0]["node"] == "ask"
    (done,) = [event for event in outcome.kinds("NodeRunSucceeded") if event["node"] == "ask"]
    assert done["handle"] == "__timeout"
    assert set(done["outputs"]) == {"__action_id", "__action_value", "__rendered_content"}


@pytest.mark.parametrize(
    ("forms", "title", "cause"),
    [
        ({"ask": {"action": "maybe"}}, "Ask has no action 'maybe'", "approve, reject, __timeout"),
        (
            {"ask": {"action": "approve", "fields": {"nota": ""}}},
            "Ask has no field 'nota'",
            "note, who, colour",
        ),
        ({"yes": {"action": "approve"}}, "No form is called 'yes'", "ask"),
        ({"ask": "approve"}, "Ask has no action None", "approve, reject"),
        ({"ask": {"action": "approve", "fields": "note"}}, "Ask has no field 'fields'", "note"),
    ],
)
def test_a_wrong_answer_is_refused_with_the_valid_names(
    host: Host, forms: dict[str, Any], title: str, cause: str
) -> None:
    given = asking()
    error = host.resume(given, host.run(given).pause, forms=forms).error
    assert error["title"] == title
    assert cause in error["cause"]


def test_form_ids_stay_through_resumes_and_are_their_own_in_a_fork(host: Host) -> None:
    given = parallel()
    first = host.run(given, run_id="run-7").pause
    ids = {reason["node_id"]: reason["form_id"] for reason in first["reasons"]}
    assert len(set(ids.values())) == 2
    again = host.run(given, run_id="run-7").pause
    assert {reason["node_id"]: reason["form_id"] for reason in again["reasons"]} == ids
    answered = {"left": {"action": "approve", "fields": {"note": "L"}}}
    rest = host.resume(given, first, forms=answered, run_id="run-7").pause["reasons"]
    assert [(reason["node_id"], reason["form_id"]) for reason in rest] == [("right", ids["right"])]
    forked = host.resume(given, first, forms=answered, run_id="fork-1").pause["reasons"]
    assert forked[0]["form_id"] != ids["right"]


def parallel() -> dict[str, Any]:
    return apps.app(
        [
            apps.human("left", fields=[apps.note()]),
            apps.human("right", fields=[apps.note()]),
            apps.answer("answer", "{{#left.note#}}+{{#right.note#}}"),
        ],
        [
            apps.edge("start", "left"),
            apps.edge("start", "right"),
            apps.edge("left", "answer", "approve"),
            apps.edge("right", "answer", "approve"),
        ],
    )


@pytest.mark.parametrize("by", ["node_id", "form_id"])
@pytest.mark.parametrize("run_id", ["run-1", "fork-1"])
def test_parallel_forms_are_answered_one_by_one_or_together(host: Host, by: str, run_id: str) -> None:
    given = parallel()
    pause = host.run(given).pause
    names = {reason["node_id"]: reason[by] for reason in pause["reasons"]}
    right = {names["right"]: {"action": "approve", "fields": {"note": "R"}}}
    left = {names["left"]: {"action": "approve", "fields": {"note": "L"}}}
    both = host.resume(given, pause, forms=left | right, run_id=run_id)
    assert both.answer == "L+R"
    one = host.resume(given, pause, forms=right)
    assert [reason["node_id"] for reason in one.pause["reasons"]] == ["left"]
    assert host.resume(given, one.pause, forms=left).answer == "L+R"


def test_a_resume_without_an_answer_pauses_again_on_the_same_form(host: Host) -> None:
    given = asking()
    pause = host.run(given).pause
    again = host.resume(given, pause)
    assert again.status == "paused"
    assert again.pause["reasons"] == pause["reasons"]


def looped() -> dict[str, Any]:
    return apps.app(
        [
            apps.loop("loop", "ask", count=3),
            apps.human("ask", "loop", fields=[apps.note()]),
            apps.template("keep", "{{ x }}", "loop", x=["ask", "note"]),
            apps.answer("answer", "rounds {{#loop.loop_round#}}"),
        ],
        [
            apps.edge("start", "loop"),
            apps.edge("loop_start", "ask"),
            apps.edge("ask", "keep", "approve"),
            apps.edge("loop", "answer"),
        ],
    )


@pytest.mark.parametrize("name", ["0.8", "0.7"])
def test_each_round_of_a_loop_has_its_own_form(hosts: Hosts, name: str) -> None:
    given, ids, rounds = looped(), [], []
    host = hosts[name]
    outcome = host.run(given)
    while outcome.status == "paused":
        (reason,) = outcome.pause["reasons"]
        ids.append(reason["form_id"])
        rounds += [event["index"] for event in outcome.kinds("NodeRunPauseRequested")]
        form = {"action": "approve", "fields": {"note": "x"}}
        outcome = host.resume(given, outcome.pause, forms={reason["form_id"]: form})
    assert (outcome.answer, len(set(ids)), rounds) == ("rounds 3", 3, [0, 1, 2])
    # By node id only the waiting form is answered, never the next round's.
    second = host.resume(given, host.run(given).pause, forms={"ask": {"action": "approve"}})
    assert second.status == "paused"


@pytest.mark.parametrize("name", ["0.8", "0.7"])
def test_forms_of_a_parallel_iteration_are_told_apart(hosts: Hosts, name: str) -> None:
    given = apps.app(
        [
            apps.code("list", items="array[string]"),
            apps.iteration("each", ["list", "items"], ["ask", "note"], is_parallel=True),
            apps.human("ask", "each", fields=[apps.note()], form_content="Item {{#each.item#}}"),
            apps.template("all", "{{ x|join(',') }}", x=["each", "output"]),
            apps.answer("answer", "{{#all.output#}}"),
        ],
        [
            apps.edge("start", "list"),
            apps.edge("list", "each"),
            apps.edge("each_start", "ask"),
            apps.edge("each", "all"),
            apps.edge("all", "answer"),
        ],
    )
    script = {"nodes": {"list": {"outputs": {"items": ["a", "b", "c"]}}}}
    host = hosts[name]
    pause = host.run(given, script=script).pause
    asked = {reason["content"]: reason["form_id"] for reason in pause["reasons"]}
    assert set(asked) == {"Item a", "Item b", "Item c"}
    assert len(set(asked.values())) == 3
    forms = {asked[f"Item {name}"]: {"action": "approve", "fields": {"note": name.upper()}} for name in "cab"}
    assert host.resume(given, pause, forms=forms, script=script).answer == "A,B,C"
    # The same in a fork, whose own forms have other ids.
    forked = host.resume(given, pause, forms=forms, script=script, run_id="fork-9")
    assert forked.answer == "A,B,C"
    one = host.resume(
        given,
        pause,
        forms={asked["Item b"]: {"action": "approve", "fields": {"note": "B"}}},
        script=script,
    )
    assert {reason["content"] for reason in one.pause["reasons"]} == {"Item a", "Item c"}


@pytest.mark.parametrize("name", ["0.6", "0.5"])
def test_a_form_in_a_container_is_refused_where_graphon_cannot_pause_there(hosts: Hosts, name: str) -> None:
    host = hosts[name]
    outcome = host.run(looped())
    assert outcome.status == "failed"
    assert f"graphon {name} does not pause inside loop 'loop'" in outcome.end["error"]
    assert "'ask'" in outcome.end["error"]
    submitted = {"nodes": {"ask": {"submit": {"action": "approve", "fields": {"note": "x"}}}}}
    assert host.run(looped(), script=submitted).answer == "rounds 3"


def test_a_scripted_submission_that_does_not_fit_fails_the_node(host: Host) -> None:
    script = {"nodes": {"ask": {"submit": {"action": "maybe"}}}}
    outcome = host.run(asking(), script=script)
    assert outcome.status == "failed"
    assert "maybe" in outcome.end["error"]


def test_file_fields_take_files(host: Host) -> None:
    fields = [
        {
            "type": "file",
            "output_variable_name": "paper",
            "allowed_file_types": ["document"],
            "allowed_file_extensions": [],
            "allowed_file_upload_methods": ["remote_url"],
        },
        {
            "type": "file-list",
            "output_variable_name": "more",
            "allowed_file_types": ["image"],
            "allowed_file_extensions": [],
            "allowed_file_upload_methods": ["remote_url"],
            "number_limits": 3,
        },
    ]
    given = apps.chain(
        apps.human("ask", fields=fields, form_content="{{#$output.paper#}} {{#$output.more#}}"),
        apps.answer("answer", "{{#ask.__rendered_content#}}"),
    )
    paper = {"type": "document", "transfer_method": "remote_url", "url": "https://x.test/a.pdf"}
    form = {"action": "approve", "fields": {"paper": paper, "more": [{**paper, "type": "image"}]}}
    outcome = host.resume(given, host.run(given).pause, forms={"ask": form})
    assert outcome.answer == "[file] [1 files]"
    (done,) = [event for event in outcome.kinds("NodeRunSucceeded") if event["node"] == "ask"]
    assert done["outputs"]["paper"]["remote_url"] == "https://x.test/a.pdf"
    assert done["outputs"]["more"][0]["type"] == "image"
