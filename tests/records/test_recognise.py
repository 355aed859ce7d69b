"""Files are told apart by their content: real shapes, odd pastes, and what they are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.records.saved import ALL, gate_text, name, runtime_text, text
from workbench.records.recognise import recognise

ROOT = Path(__file__).parents[2]
APPS = sorted(ROOT.glob("fixtures/**/app.yml"))
CORPUS = ROOT.parent / "shared" / "corpus"

EVENT = '{"event": "node_started", "workflow_run_id": "r", "data": {"node_id": "1", "title": "A"}}'
END = '{"event": "workflow_finished", "data": {"status": "succeeded", "outputs": {"answer": "x"}}}'
PRETTY = json.dumps(json.loads(EVENT), indent=2)


def kind(data: str | bytes, file: str = "file") -> tuple[str, str]:
    found = recognise(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"), file)
    assert found.error is None, found.error
    return found.kind, found.detail


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.parent.name)
def test_apps(path: Path) -> None:
    found, detail = kind(path.read_bytes(), "state.json")  # the name says nothing
    assert found == "app"
    assert "DSL 0." in detail


@pytest.mark.parametrize("path", ALL, ids=name)
def test_saved_pauses_and_their_parts(path: Path) -> None:
    era, case = path.parent.name, path.stem
    found, detail = kind(path.read_bytes(), "app.yml")
    assert found == "resumption-context"
    assert detail.startswith("saved by Dify 1.1" if era != "E" else "saved by Dify after 1.17")
    assert "; waits at Ask " in detail
    found, detail = kind(runtime_text(era, case))
    assert found == "runtime-state"
    assert "; waits at Ask " in detail
    if era != "B":
        assert kind(gate_text(era, case))[0] == "stream-filter"


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (f"data: {EVENT}\n\nevent: ping\n\ndata: {END}\n\n", "2 events, ends with workflow_finished"),
        (f"event: ping\n\ndata: {PRETTY}\n\n", "1 event, ends with node_started"),
        (f"data: {EVENT} data: {END} ", "2 events, ends with workflow_finished"),
        (
            f"{EVENT} | 11:59:16.487 |  \n-- | --\n{END} | 11:59:17 | ",
            "2 events, ends with workflow_finished",
        ),
        (EVENT[1:] + " | 11:59:16.487 |", "1 event, ends with node_started"),  # begun in the middle
        (f"id: 3-0\nevent: node_started\ndata: {EVENT}\n\n", "1 event, ends with node_started"),
        ('event: node_started\ndata: {"task_id": "x"}\n\n', "1 event, ends with node_started"),
        (f"[{EVENT}, {END}]", "2 events, ends with workflow_finished"),
        (EVENT, "1 event, ends with node_started"),
        (f"{EVENT}\n{END}\n", "2 events, ends with workflow_finished"),
        (
            'data: {"event": "workflow_started"}\n\n' * 2 + f"data: {END}",
            "3 events, 2 starts, ends with workflow_finished",
        ),
        ('data: {"event": "message", "answer": "a\nb"}\n', "1 event, ends with message"),  # raw line break
    ],
)
def test_recorded_streams_and_odd_pastes(data: str, detail: str) -> None:
    assert kind(data) == ("sse-capture", detail)
    assert kind("\ufeff" + data.replace("\n", "\r\n")) == ("sse-capture", detail)


def test_a_recording_that_is_cut_off_is_one_and_its_fault_is_told() -> None:
    data = f"curl -X POST 'http://x/v1' -d '{{}}'\n\ndata: {EVENT[:60]}"
    found = recognise(data.encode(), "file")
    assert (found.kind, found.detail) == ("sse-capture", "1 event, ends with node_started")
    assert found.error is not None
    assert found.error.startswith("Line 3: this node_started is cut off")


def test_the_name_of_an_event_alone_is_no_recording() -> None:
    assert recognise(b'data: he wrote "event": "message" to me', "file").kind == "unknown"


ROW = {"id": "1", "query": "hi", "answer": "hello", "created_at": 1}
SESSION = {
    "schema_version": 1,
    "layers": [
        {"name": "llm", "lifecycle_state": "suspended", "runtime_state": {}},
        {"name": "history", "lifecycle_state": "suspended", "runtime_state": {"messages": [1, 2]}},
    ],
}


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (json.dumps({"limit": 20, "has_more": False, "data": [ROW, ROW]}), "2 messages"),
        (json.dumps({"has_more": True, "data": [ROW]}), "1 message, the list goes on (has_more)"),
        (json.dumps([ROW]), "1 message"),
        (json.dumps(ROW), "1 message"),
        ("\n".join([json.dumps(ROW)] * 3) + "\n\n", "3 messages"),
        ("\n".join([json.dumps(ROW)] * 500), "500 lines of messages"),
        (json.dumps([{"role": "user", "content": "a"}]), "1 message by role"),
        (json.dumps({"messages": [{"role": "user", "content": "a"}]}), "1 message by role"),
    ],
)
def test_conversations(data: str, detail: str) -> None:
    assert kind(data) == ("conversation", detail)


def test_agent_sessions() -> None:
    found = ("agent-session", "layers llm, history; 2 messages")
    assert kind(json.dumps(SESSION)) == found
    assert kind(json.dumps({"id": "b", "session_snapshot": json.dumps(SESSION)})) == found
    early = json.dumps(SESSION).replace('"runtime_state"', '"state"')
    assert kind(early) == found


def test_bundles() -> None:
    head = '{"workbench_bundle": 1, "subject": "r", "masked": null}'
    assert kind(head + '\n{"record":"run"}\n') == ("bundle", "version 1, 1 run, nothing masked")
    newer = recognise(head.replace("1", "9", 1).encode(), "b.jsonl")
    assert newer.kind == "bundle"
    assert newer.error is not None
    assert "b.jsonl is a bundle of version 9" in newer.error


def test_an_app_as_json_or_without_a_head() -> None:
    graph = {"nodes": [{"id": "1"}], "edges": []}
    assert (
        kind(json.dumps({"kind": "app", "app": {"mode": "workflow"}, "workflow": {"graph": graph}}))[0]
        == "app"
    )
    assert kind("graph:\n  nodes:\n  - id: '1'\n  edges: []\n") == ("app", "exported app")
    assert kind("kind: app\nversion: 0.1.5\napp:\n  mode: chat\n") == ("app", "chat, DSL 0.1.5")


def test_an_app_that_speaks_of_events_is_an_app() -> None:
    app = "app:\n  mode: workflow\nkind: app\nworkflow:\n  graph:\n    nodes:\n    - data: {type: code}\n"
    assert (
        kind(app + '      code: |\n        x = \'data: {"event": "message"}\'\n    edges: []\n')[0] == "app"
    )


def test_faults_inside_are_told_beside_the_kind() -> None:
    broken = json.dumps(
        json.loads(text("E", "t1-if-else")) | {"serialized_response_stream_filter_state": "{"}
    )
    found = recognise(broken.encode(), "x")
    assert found.kind == "resumption-context"
    assert found.error is not None
    assert "cut off" in found.error


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"Dear all, the app is attached.", "no app, state or recording"),
        (b'{"a": 1}', "JSON of no known kind (a)"),
        (b"[1, 2]", "JSON of no known kind"),
        (b'"text"', "a text in quotes"),
        (json.dumps(runtime_text("E", "t1-if-else")).encode(), "holds a runtime state; take the quotes off"),
        (text("E", "t1-if-else")[:500].encode(), "cut off"),
        (text("E", "t1-if-else")[:1000].encode(), "It looks like a saved pause."),
        (runtime_text("E", "t1-if-else")[600:].encode(), "It seems to be a part of a runtime state."),
        (b'{"serialized_graph_runtime_state": {}}', "not a text"),
        (b"\x80\x81binary", "not UTF-8 text"),
        (b"PK\x03\x04....", "a ZIP archive"),
        ('{"a": 1}'.encode("utf-16-le"), "NUL bytes"),
        (b"[" * 100_000, "nested too deeply"),
        (b"5", "no app, state or recording"),
    ],
)
def test_says_why_a_file_is_nothing(data: bytes, words: str) -> None:
    found = recognise(data, "file.json")
    assert found.kind == "unknown"
    assert found.error is not None
    assert words in found.error
    assert "\n" not in found.error


@pytest.mark.skipif(not CORPUS.exists(), reason="the public corpus is not on this machine")
def test_everything_in_the_public_corpus() -> None:
    wanted = {"dsl": "app", "sse": "sse-capture"}
    for folder, expected in wanted.items():
        for path in (CORPUS / folder).rglob("*"):
            if path.is_file():
                assert recognise(path.read_bytes(), path.name).kind == expected, path
    kinds = {path.name: recognise(path.read_bytes(), "x").kind for path in (CORPUS / "states").iterdir()}
    assert set(kinds.values()) == {"runtime-state", "stream-filter"}
