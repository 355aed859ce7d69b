"""The simulated memory against the real nodes: what they ask for, and what they send to the model.

One app with a node of every kind that has memory runs over generated conversations; the host's questions are
answered by `workbench.core.memory`, and compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kernels.host.driver import Host, Outcome
from workbench.core.memory.nodes import memory_nodes
from workbench.core.memory.prompt import final_list, history_text
from workbench.core.memory.settings import Settings, budget, row_limit
from workbench.core.memory.simulation import Simulation, simulate
from workbench.core.tokens import counter
from workbench.records.app import App
from workbench.records.conversation import NIL, Row

CALLERS = {"chat": "llm", "completion": "llm-completion", "classify": "classifier", "extract": "extractor"}
QUERY = "And now?"


def model(mode: str, max_tokens: int | None) -> dict[str, Any]:
    parameters = {} if max_tokens is None else {"max_tokens": max_tokens}
    return {"provider": "openai", "name": "gpt-4", "mode": mode, "completion_params": parameters}


def app(enabled: bool, size: int | None, max_tokens: int | None, template: str) -> dict[str, Any]:
    """start -> chat -> completion -> extract -> classify -> answer."""
    memory = {
        "window": {"enabled": enabled, "size": size},
        "query_prompt_template": template,
        "role_prefix": {"user": "Me", "assistant": "You"},
    }
    query = ["sys", "query"]
    data: dict[str, dict[str, Any]] = {
        "start": {"type": "start", "variables": []},
        "chat": {
            "type": "llm",
            "model": model("chat", max_tokens),
            "prompt_template": [{"role": "system", "text": "Be kind."}, {"role": "user", "text": "Listen."}],
            "context": {"enabled": False, "variable_selector": []},
            "vision": {"enabled": False},
            "memory": memory,
        },
        "completion": {
            "type": "llm",
            "model": model("completion", max_tokens),
            "prompt_template": {"text": "So far {{#histories#}} go on", "edition_type": "basic"},
            "context": {"enabled": False, "variable_selector": []},
            "vision": {"enabled": False},
            "memory": memory,
        },
        "extract": {
            "type": "parameter-extractor",
            "model": model("chat", max_tokens),
            "query": query,
            "parameters": [{"name": "city", "type": "string", "description": "a city", "required": False}],
            "reasoning_mode": "prompt",
            "instruction": "Find it.",
            "vision": {"enabled": False},
            "memory": memory,
        },
        "classify": {
            "type": "question-classifier",
            "model": model("chat", max_tokens),
            "query_variable_selector": query,
            "classes": [{"id": "1", "name": "one"}, {"id": "2", "name": "two"}],
            "instruction": "Choose.",
            "vision": {"enabled": False},
            "memory": memory,
        },
        "answer": {"type": "answer", "answer": "{{#chat.text#}}"},
    }
    names = list(data)
    edges = [
        {"id": f"{a}-{b}", "source": a, "target": b, "sourceHandle": "1" if a == "classify" else "source"}
        for a, b in pairwise(names)
    ]
    nodes = [{"id": name, "data": {"title": name, **each}} for name, each in data.items()]
    return {"nodes": nodes, "edges": edges}


SCRIPT = {
    "nodes": {
        "chat": {"chunks": ["fine"]},
        "completion": {"chunks": ["fine"]},
        "extract": {"chunks": ['{"city": "Rome"}']},
        "classify": {"chunks": ['{"category_id": "1", "category_name": "one"}']},
    }
}


@st.composite
def conversations(draw: st.DrawFn) -> list[Row]:
    rows: list[Row] = []
    for number in range(draw(st.integers(0, 8))):
        parents = [NIL, *([rows[-1].id] * 5 if rows else [None]), *(row.id for row in rows)]
        answer = draw(
            st.sampled_from(["", "Yes.", "A long answer with many words in it.", "{{#sys.query#}}"])
        )
        rows.append(
            Row(
                f"m{number}",
                draw(st.sampled_from(["Why?", "", "Tell me about it, please."])),
                answer,
                float(number),
                draw(st.sampled_from(parents)),
                5 if answer else 0,
            )
        )
    return [*rows, Row("now", QUERY, "", 99.0, rows[-1].id if rows else None, 0)]


class Workbench:
    """Answers the host's questions, and compares each with the simulation."""

    def __init__(self, rows: list[Row], base: Mapping[str, Settings]) -> None:
        self.rows, self.base = rows, base
        self.seen: dict[str, Simulation] = {}
        self._own: dict[str, list[tuple[str, str]]] = {}

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        node = str(question["node"])
        rule = self.base[node].counter
        if question["what"] == "tokens":
            messages = [(role, text) for role, text in question["messages"]]
            self._own.setdefault(node, messages)
            return {"tokens": rule.total(messages)}
        wanted = Settings(**{**vars(self.base[node]), "own": tuple(self._own.get(node, ()))})
        assert question["max_tokens"] == budget(wanted).limit, node
        assert question["rows"] == row_limit(wanted), node
        result = self.seen[node] = simulate(self.rows, wanted)
        return {"messages": [[m.role, m.text] for m in result.left]}


def play(host: Host, graph: Mapping[str, Any], rows: list[Row], context: int | None, name: str) -> None:
    payload = {"graph": graph, "root": "start", "environment_variables": [], "conversation_variables": []}
    by_id = {node.id: node for node in memory_nodes(graph)}
    base = {
        node: Settings(
            caller=caller,  # type: ignore[arg-type]
            window_enabled=by_id[node].window_enabled,
            window_size=by_id[node].window_size,
            context=context,
            max_tokens=by_id[node].max_tokens,
            counter=counter(name),
            prefixes=("Me", "You") if caller == "llm-completion" else ("Human", "Assistant"),
        )
        for node, caller in CALLERS.items()
    }
    assert {node: by_id[node].caller for node in CALLERS} == CALLERS
    workbench = Workbench(rows, base)
    host.send(
        cmd="run",
        run_id="run-1",
        app=payload,
        script=SCRIPT,
        limits={},
        options={"memory": {"context": context}},
        inputs={},
        system={"query": QUERY, "files": [], "conversation_id": "c1", "user_id": "u", "app_id": "a"},
    )
    outcome = Outcome()
    while True:
        host.until("ask", "end", "error", into=outcome)
        if outcome.messages[-1]["msg"] != "ask":
            break
        question = outcome.messages[-1]
        host.send(cmd="answer", ask=question["ask"], **workbench.answer(question))
    assert outcome.status == "succeeded", outcome.end
    assert set(workbench.seen) == set(CALLERS), "every node with memory asked for it"
    prompts = {
        e["node"]: e["process_data"]["prompts"]
        for e in outcome.kinds("NodeRunSucceeded")
        if e["node"] in CALLERS
    }
    for node in ("chat", "completion"):
        expected = final_list(workbench.seen[node], by_id[node], QUERY)
        assert [(p["role"], p["text"]) for p in prompts[node]] == [(p.role, p.text) for p in expected], node
    for node in ("classify", "extract"):
        text = history_text(
            [m for m in workbench.seen[node].history if m.stage == "kept"], base[node].prefixes
        ).replace("{{#sys.query#}}", QUERY)
        assert text in prompts[node][0]["text"], node


@pytest.mark.kernel
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=conversations(),
    enabled=st.booleans(),
    size=st.sampled_from([None, 1, 2, 4, 50]),
    max_tokens=st.sampled_from([None, 20, 200]),
    template=st.sampled_from(["", "{{#sys.query#}}", "Asked: {{#sys.query#}}"]),
    context=st.sampled_from([None, 60, 300, 1300, 8000]),
    name=st.sampled_from(["dify-default", "openai-compatible", "chars"]),
)
def test_the_real_nodes_ask_for_and_send_what_the_simulation_says(
    host: Host,
    rows: list[Row],
    enabled: bool,
    size: int | None,
    max_tokens: int | None,
    template: str,
    context: int | None,
    name: str,
) -> None:
    play(host, app(enabled, size, max_tokens, template), rows, context, name)


@pytest.mark.kernel
def test_without_the_option_nodes_have_no_memory(host: Host) -> None:
    payload = {"graph": app(False, 5, None, ""), "root": "start"}
    outcome = host.run(payload, script=SCRIPT, system={"query": QUERY, "files": []})
    assert outcome.status == "succeeded"
    assert not outcome.of("ask")


@pytest.mark.kernel
def test_an_answer_that_is_an_error_fails_the_node_with_its_words(host: Host) -> None:
    payload = {"graph": app(False, 5, None, ""), "root": "start"}
    host.send(
        **host.order(payload, options={"memory": {"context": 100}}, inputs={}, system={"query": QUERY}),
        cmd="run",
    )
    question = host.until("ask").messages[-1]
    host.send(cmd="answer", ask=question["ask"], error="Workflow run not found: r1")
    outcome = host.until()
    assert outcome.status == "failed"
    assert "Workflow run not found: r1" in outcome.end["error"]


@pytest.mark.kernel
def test_an_abort_ends_a_node_that_waits_for_its_memory(host: Host) -> None:
    payload = {"graph": app(False, 5, None, ""), "root": "start"}
    host.send(
        **host.order(payload, options={"memory": {"context": 100}}, inputs={}, system={"query": QUERY}),
        cmd="run",
    )
    host.until("ask")
    host.send(cmd="abort", reason="enough")
    assert host.until().status == "stopped"
    host.send(cmd="answer", ask=1, tokens=5)


def test_the_app_is_readable() -> None:
    """The same nodes as an exported app: what `workbench memory --app` reads."""
    nodes = memory_nodes(App(b"", "x", "advanced-chat", None, app(True, 3, 20, ""), "start").graph)
    assert [(node.id, node.window_size, node.max_tokens) for node in nodes] == [
        ("chat", 3, 20),
        ("completion", 3, 20),
        ("extract", 3, 20),
        ("classify", 3, 20),
    ]
