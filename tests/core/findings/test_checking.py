"""Findings about apps, before any run."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.bench.bench_core import diamonds
from tests.core.little_engine import BRANCH, HUMAN, START, graph, node
from workbench.core.finding import Finding
from workbench.core.findings import check
from workbench.core.graph import Graph, Node

LLM = node("llm")
ANSWER = node("answer", "response", text="{{#llm.text#}}")


def told(app: Graph, dify: str | None = None) -> dict[str, Finding]:
    return {finding.code: finding for finding in check(app, dify)[0]}


def test_a_sound_app_has_nothing_to_say() -> None:
    findings, answers = check(graph([START, LLM, ANSWER], "start>llm", "llm>answer"))
    assert findings == ()
    assert [(answer.node_id, answer.state) for answer in answers] == [("answer", "active")]


def test_answers_when_a_run_begins() -> None:
    app = graph(
        [START, BRANCH, node("yes", "response", text="y"), node("a", "response"), node("b", "response")],
        "start>branch",
        "branch:true>yes",
        "start>a",
        "start>b",
    )
    states = {answer.node_id: answer for answer in check(app)[1]}
    assert (states["a"].state, states["b"].state) == ("active", "queued")
    assert (states["yes"].state, states["yes"].blocking) == ("locked", ("branch:true>yes",))


def test_a_thousand_diamonds_within_a_second_and_a_number_that_can_be_read() -> None:
    app = diamonds(1000)
    began = time.process_time()
    findings = {finding.code: finding for finding in check(app)[0]}
    assert time.process_time() - began < 2
    finding = findings["paths-explode"]
    assert finding.severity == "error"
    assert finding.message.startswith("About 10^301 paths lead to ")


def test_a_number_that_can_not_be_written() -> None:
    finding = told(diamonds(15_000))["paths-explode"]
    assert "About 10^4515 paths" in finding.message


@pytest.mark.parametrize(("count", "severity"), [(12, None), (13, "warning"), (20, "error")])
def test_how_grave_many_paths_are(count: int, severity: str | None) -> None:
    finding = told(diamonds(count)).get("paths-explode")
    assert (finding.severity if finding else None) == severity


def test_a_search_in_vain_counts_too() -> None:
    """The diamonds lie behind the Answer; graphon walks them all for nothing."""
    app = diamonds(20)
    ends = {**app.nodes, "answer": node("answer"), "early": node("early", "response", text="x")}
    first = next(edge for edge in app.edges.values() if edge.source == "start")
    edges = {**app.edges, "early": type(first)("early", "start", "early")}
    finding = told(Graph(ends, edges, "start"))["paths-explode"]
    assert finding.node_id is None
    assert finding.severity == "error"


def test_the_same_streamed_variable_twice() -> None:
    twice = node("answer", "response", text="{{#llm.text#}}/{{#llm.text#}}")
    assert (
        told(graph([START, LLM, twice], "start>llm", "llm>answer"))["same-variable-twice"].severity
        == "warning"
    )
    again = node("again", "response", text="{{#llm.text#}}")
    in_a_row = graph([START, LLM, ANSWER, again], "start>llm", "llm>answer", "answer>again")
    assert "same-variable-twice" in told(in_a_row)
    on_two_branches = graph(
        [START, LLM, BRANCH, ANSWER, again],
        "start>llm",
        "llm>branch",
        "branch:true>answer",
        "branch:false>again",
    )
    assert told(on_two_branches) == {}
    template = node("t", node_type="template-transform")
    held = node("answer", "response", text="{{#t.output#}}{{#t.output#}}")
    assert told(graph([START, template, held], "start>t", "t>answer")) == {}


def test_parallel_answers() -> None:
    app = graph(
        [START, node("one"), node("two"), node("a", "response", text="a"), node("b", "response", text="b")],
        "start>one",
        "start>two",
        "one>a",
        "two>b",
    )
    assert told(app)["parallel-answers-order"].severity == "info"


LOOP = node("loop", "container", "loop")


def test_answers_in_containers_and_streams_out_of_them() -> None:
    inner = node("inner", "response", text="x", parent="loop")
    assert told(graph([START, LOOP, inner], "start>loop"))["answer-in-container"].severity == "warning"
    app = graph([START, LOOP, node("llm", parent="loop"), ANSWER], "start>loop", "loop>answer")
    finding = told(app)["stream-closed-twice"]
    assert (finding.node_id, finding.severity) == ("answer", "warning")


@pytest.mark.parametrize(
    ("text", "severity", "words"),
    [
        ("{{#my-llm.text#}}", "warning", "not made of letters, digits and _"),
        ("{{#gone.text#}}", "error", "no node 'gone'"),
        ("{{#llm.answer#}}", "error", "no such output"),
        ("{{#inside.output#}}", "warning", "stands inside"),
        ("{{#env.missing#}}", "error", "no env variable"),
    ],
)
def test_broken_references_in_an_answer(text: str, severity: str, words: str) -> None:
    nodes = [
        START,
        LLM,
        node("my-llm"),
        LOOP,
        node("inside", node_type="template-transform", parent="loop"),
        node("answer", "response", text=text),
    ]
    findings, _ = check(graph(nodes, "start>llm", "llm>answer"), declared={"env": ["known"]})
    (finding,) = [finding for finding in findings if finding.code == "variable-reference-broken"]
    assert finding.severity == severity
    assert words in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "{{#llm.text#}}",
        "{{#llm.error_message#}}",
        "{{#sys.query#}}",
        "{{#env.known#}}",
        "{{#tool.anything#}}",
        "{{#context#}}",
    ],
)
def test_sound_references(text: str) -> None:
    nodes = [START, LLM, node("tool", node_type="tool"), node("answer", "response", text=text)]
    findings, _ = check(graph(nodes, "start>llm", "llm>answer"), declared={"env": ["known"]})
    assert findings == ()


@pytest.mark.parametrize(
    ("data", "broken"),
    [
        ({"prompt_template": [{"text": "{{#gone.text#}}"}]}, True),
        ({"variables": [{"variable": "x", "value_selector": ["gone", "text"]}]}, True),
        ({"context": {"enabled": False, "variable_selector": ["gone", "result"]}}, False),
        ({"memory": {"query_prompt_template": "{{#sys.query#}}"}}, False),
        ({"variables": [{"variable": "x", "value_selector": []}]}, False),
        ({"code": "selector = ['gone', 'text']"}, False),
        ({"prompt_template": [{"text": "{{#my-llm.text#}}"}]}, True),
        ({"code": "{{#my-llm.text#}}"}, False),
    ],
)
def test_references_in_other_nodes(data: dict[str, object], broken: bool) -> None:
    other: Node = node("other", node_type="llm", data=data)
    findings = told(
        graph(
            [START, other, node("my-llm"), node("answer", "response", text="x")],
            "start>other",
            "other>answer",
        )
    )
    assert ("variable-reference-broken" in findings) == broken


def pausing() -> Graph:
    return graph(
        [
            START,
            node("first", "response", text="First. "),
            HUMAN,
            node("answer", "response", text="{{#human.note#}}"),
        ],
        "start>first",
        "first>human",
        "human:ok>answer",
    )


def test_what_dify_1_15_loses_at_a_pause() -> None:
    finding = told(pausing(), "1.15.0")["gate-state-missing"]
    assert (finding.severity, finding.node_id, finding.edges) == ("warning", "human", ("first>human",))
    assert '"The answer" (answer) stays silent' in finding.message
    assert '"The first" (first) is streamed twice' in finding.message
    assert told(pausing())["gate-state-missing"].severity == "info"
    for keeps in ("1.14.2", "1.16.0", "main"):
        assert "gate-state-missing" not in told(pausing(), keeps)


def test_a_pause_with_nothing_before_it_loses_nothing() -> None:
    app = graph(
        [START, HUMAN, node("answer", "response", text="{{#human.note#}}")], "start>human", "human:ok>answer"
    )
    assert told(app, "1.15.0") == {}


def test_many_forms_are_played_through_within_a_budget() -> None:
    """Twenty forms in a row, an Answer behind each: the ways are as many as the buttons allow."""
    buttons = {"user_actions": [{"id": "ok"}, {"id": "no"}]}
    nodes, edges, last = [START], [], "start"
    for count in range(20):
        form = Node(f"f{count}", "human-input", f"f{count}", "branch", data=buttons)
        nodes += [form, *(node(f"t{count}x{n}", node_type="template-transform") for n in range(15))]
        nodes.append(node(f"a{count}", "response", text=f"{count} "))
        steps = [f"f{count}", *(f"t{count}x{n}" for n in range(15)), f"a{count}"]
        edges += [f"{last}>f{count}", f"f{count}:ok>t{count}x0"]
        edges += [f"{one}>{other}" for one, other in pairwise(steps[1:])]
        last = f"a{count}"
    began = time.perf_counter()
    findings = [f for f in check(graph(nodes, *edges), "1.15.0")[0] if f.code == "gate-state-missing"]
    assert len(findings) >= 15
    assert time.perf_counter() - began < 20


def test_more_answers_than_are_paired_are_told_of() -> None:
    from workbench.core.findings.checking import MOST_PAIRED

    def app(count: int) -> Graph:
        answers = [node(f"a{i}", "response", text="x") for i in range(count)]
        return graph([START, *answers], *(f"start>a{i}" for i in range(count)))

    assert "were" not in told(app(2))["parallel-answers-order"].message
    many = told(app(MOST_PAIRED + 1))["parallel-answers-order"]
    assert (many.severity, many.node_id) == ("info", None)
    assert "The app has 401 Answers; up to 400 are looked at two by two." in many.message


def test_forms_behind_more_pauses_than_are_played_are_told_of() -> None:
    from workbench.core.findings.foretelling.walk import MOST_PAUSES

    def app(count: int) -> Graph:
        forms = [replace(HUMAN, id=f"hum{i}", title=f"hum{i}") for i in range(count)]
        chain = ["start", *(each.id for each in forms)]
        edges = [f"{a}>{b}" if a == "start" else f"{a}:approve>{b}" for a, b in pairwise(chain)]
        last = node("answer", "response", text="x")
        return graph([START, *forms, last], *edges, f"{chain[-1]}:approve>answer")

    def unjudged(count: int) -> list[str]:
        return [each.message for each in check(app(count))[0] if "was not judged" in each.message]

    assert unjudged(MOST_PAUSES) == []
    assert len(unjudged(MOST_PAUSES + 6)) == 1
    assert f'for 6 forms, the first of them "hum{MOST_PAUSES}".' in unjudged(MOST_PAUSES + 6)[0]
    assert f'for 1 form "hum{MOST_PAUSES}".' in unjudged(MOST_PAUSES + 1)[0]
