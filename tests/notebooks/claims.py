"""What the lessons say, as code that is run after each in its own names."""

from __future__ import annotations

CLAIMS: dict[str, str] = {
    "index": """
assert (run.status, run.pause.actions) == ("paused", ("approve", "reject"))
""",
    "01-a-run-and-its-events": """
texts = run.events.column("text")
edge, done, text = 7, 8, 12
assert run.events[edge - 1]["kind"] == "GraphEdgeTaken"
assert run.events[done - 1]["text"] == "Worth asking? succeeded"
assert (run.at(text - 1).streamed, run.at(text).streamed) == ("", "Hello you!")
assert texts.index("Answer starts") + 1 > text
assert run.answer == run.streamed == "Hello you!"
assert check("first-text", next(step.step for step in other.steps if step.streamed))
""",
    "02-how-an-answer-unlocks": """
assert run.at(1).gate.paths_map["answer"] == [["check-true-hum-target", "hum-approve-answer-target"]]
assert run.gate.blocking["answer"] == ("hum-approve-answer-target",)
assert run.gate.blocking["rejected"] == ("hum-reject-rejected-target",)
assert list(run.journey.gate_steps) == [7]
assert done.gate.paths_map["answer"] == [[]] and done.streamed == "Hello you!"
assert check("blocking-edges", run.at(1).gate.blocking["rejected"])
assert not check("blocking-edges", run.gate.blocking["rejected"])
""",
    "03-several-answers": """
assert [row["state"] for row in run.at(1).gate.table] == ["active", "queued"]
assert run.at(1).streamed == "A:"
assert (run.at(9).streamed, run.at(10).streamed) == ("A:abc", "A:abc;B:")
assert "closes" in run.at(10).text and not {"answer", "second"} & set(run.at(10).status)
assert run.streamed == run.answer == "A:abc;B:xy;"
assert waiting.streamed == "llm said a draft; note "
assert waiting.gate.table[0]["state"] == "active" and waiting.gate.queue == ("answer",)
assert done.segment_streamed == "now" and done.streamed == "llm said a draft; note now"
assert check("queued", run.at(1).gate.table[1]["state"])
""",
    "04-pause-and-resume": """
assert {"variable_pool", "graph_edge_states", "graph_node_states", "ready_queue"} <= set(state)
assert not {"stream_positions", "paths_map"} & set(state)
assert gate["paths_map"]["answer"] == [["hum-approve-answer-target"]]
assert (done.streamed, done.segment_streamed) == ("First. Hello you!", "Hello you!")
assert done.id == run.id and fork.id != run.id and fork.segment_streamed == "Hello someone else!"
assert wb.run_of(run.id).streamed == "First. Hello you!"
pause.export("context.json", "dify")
assert wb.load("context.json", app=run.app).kind == "resumption-context"
assert check("gate-key", next(key for key, value in gate.items() if value == gate["paths_map"]))
""",
    "05-the-lost-gate": """
assert run.kernel == lost.kernel == "graphon-0.5"
assert run.gate.paths_map["answer"] == [["approval-approve-answer-target"]]
said = "Your refund of 250 is approved. On its way."
assert (lost.status, lost.answer, lost.streamed) == ("succeeded", said, "")
assert lost.why().codes[0] == "answer-locked-before-pause"
assert lost.at(run.pause.step + 1).gate.blocking["answer"] == (
    "large-true-approval-target", "approval-approve-answer-target")
assert kept.streamed == said
assert set(each.path[0] for each in lost.diff(kept)) == {"streamed", "chunks"}
assert app.check(dify="1.15.0").codes == ("gate-state-missing",) and app.check(dify="1.16.0").codes == ()
proved = app.fix(dify="1.15.0")
assert proved.proof.all_shown and not proved.app.check(dify="1.15.0").troubled
assert check("lost-edge", lost.why()[0].edges)
""",
    "06-said-twice": """
def bad(run):
    return [each.code for each in run.why() if each.severity != "info"]


assert run.streamed == again.segment_streamed == "First. " and again.answer == "First. Hello you!"
assert bad(again) == ["answer-locked-before-pause", "answer-replayed"]
right = {name for name, each in resumed.items() if each.streamed == each.answer}
assert right == {"c0-control", "t4b-llm-before"} == {name for name, each in resumed.items() if not bad(each)}
beside = resumed["t5-parallel-llm"]
assert beside.streamed == "llm said a draft; note " + beside.answer and bad(beside) == ["answer-replayed"]
assert all(each.answer for each in resumed.values())
locked = [name for name, each in resumed.items() if "answer-locked-before-pause" in bad(each)]
assert check("locked-apps", locked)
""",
    "07-healing": """
import json

with open("saved-by-dify.json") as file:
    assert not json.load(file).get("response_stream_filter_state")
assert run.kernel == "graphon-0.5"
assert {"answer-replayed", "answer-locked-before-pause"} <= set(saved.why(dify="1.15.0").codes)
assert (healed.how, healed.shown, healed.doubts) == ("rebuilt", "First. ", ())
assert (done.segment_streamed, done.answer) == ("Hello you!", "First. Hello you!")
assert len(saved.heal(message="Something else").doubts) == 1
ada = wb.load("healed.json", app=app).resume(action="approve", fields={"note": "Ada"}, kernel="graphon-0.8")
assert check("owed", ada.segment_streamed)
""",
    "08-failures-and-retries": """
assert (run.streamed, run.answer, run.status) == ("ababc", "abc", "partial-succeeded")
assert run.why().codes == ("stream-differs-from-answer",)
assert (silenced.streamed, silenced.answer) == ("ab", "DEF second")
assert silenced.why().codes[0] == "queue-head-starved"
assert early.streamed == early.answer == "DEF second" and not early.why().troubled
breaks_off["nodes"]["llm"]["fail"]["after_chunks"] = 1
assert check("read-after-retry", wb.example("retry-repeats").run("hi", script=breaks_off).streamed)
""",
    "09-loops": """
inner = [row for row in run.nodes if row["node_id"] == "inner"]
assert [row["round"] for row in inner] == [0, 1] and {row["container_id"] for row in inner} == {"loop"}
assert (run.streamed, run.answer) == ("done", "inner;inner;done")
assert len([mark for mark in closed.journey.marks if "closes" in mark.text]) == 2
assert (closed.status, closed.streamed, closed.answer) == ("succeeded", "", "llm.text")
assert right.streamed == right.answer and not right.why().troubled
assert check("rounds", sum(row["node_id"] == "llm" for row in closed.nodes))
""",
    "10-paths-that-explode": """
assert len(few.at(1).gate.paths_map["answer"]) == 8
assert found.codes == ("paths-explode",) and f"{2**40:,} paths" in found[0].message
assert (many.status, many.streamed, many.at(1).gate.paths_map) == ("succeeded", "done", None)
ten = wb.run(diamonds(10), "hi")
assert check("paths", len(ten.at(1).gate.paths_map["answer"]))
""",
    "11-memory-windows-and-budgets": """
assert memory.kept == ("m1", "m2", "m3", "m4", "m5")
assert memory.with_(window=3).kept == ("m4", "m5")
unpruned = memory.with_(budget=10)
assert unpruned.kept == memory.kept and unpruned.codes == ("counting-off",)
assert len(counted.messages) == 3 and counted.matrix[-1] == "---\\u2584\\u2588\\u25b8"
assert counted.table[2]["tokens"] == 34
assert "4096 (context) - 512 (max_tokens)" in memory.with_(
    counter="openai-compatible", context=4096, max_tokens=512).formula
for window, holds in ((smallest.window - 1, False), (smallest.window, True)):
    assert ("m2" in memory.with_(window=window).kept) is holds
assert check("window", smallest.window)
""",
    "12-why-the-llm-forgets": """
assert [text for _, text in prompts(second, "sort")] == [
    "Name the kind of the question.", "It is broken", "We are sorry.", "And now?"]
assert [text for _, text in prompts(second, "say")][1:] == ["It is broken", "We are sorry.", "And now?"]
assert first.variables["sort"]["text"] == "COMPLAINT" and first.answer == "We are sorry."
assert branch.kept == ("a", "b", "c") and branch.with_(window=4).kept == ("b", "c")
assert check("branch-window", next(n for n in range(1, 9) if "a" in branch.with_(window=n).kept))
""",
    "13-agents-old-and-new": """
assert len(llm.kept) == 7 and agent.budget == 2000 and agent.binding == "budget"
assert 0 < len(agent.kept) < 7
assert session.target is None and session.growth == (250,) * 8
cleared = [row["turn"] for row in small.table if row["fate"] == "cleared"]
assert cleared == [1, 2, 3, 4, 5] and small.after_clearing <= small.target
assert {row["what"] for row in small.table if row["fate"] == "cleared"} == {"tool-return look_up"}
fates = [row["fate"] for row in tiny.table]
assert fates[0] == "stays" and fates[1] == "summarised" and "summarised" not in fates[-20:]
def touched(context):
    table = wb.memory_agent("session.json", context=context).table
    return any(row["fate"] != "stays" for row in table)
assert touched(2499) and not touched(2500)
assert check("agent-context", 2500)
""",
}
