"""A large saved pause in hand: opened, edited, written back."""

from __future__ import annotations

import json
from time import perf_counter

from tests.bench.frame import Place, Row, bench, in_turns, ms
from tests.bench.samples import ROOT
from workbench.core.edits import Editing, open_document, parse
from workbench.core.inspect import inspect

STATE = ROOT / "fixtures" / "states" / "E" / "t1-if-else.json"


def large_pause(megabytes: float) -> str:
    """A saved pause with that much text, in variables of 1 kB each."""
    context = json.loads(STATE.read_text())
    state = json.loads(context["serialized_graph_runtime_state"])
    pool = state["variable_pool"]["variable_dictionary"]
    for index in range(int(megabytes * 1000 / 1.4)):
        node, name = f"n{index // 50}", f"v{index % 50}"
        value = f'line {index} with "quotes"\n' * 45
        pool.setdefault(node, {})[name] = {
            "value_type": "string", "value": value, "id": f"{index:036}", "name": name, "description": "",
            "selector": [node, name],
        }  # fmt: skip
    context["serialized_graph_runtime_state"] = json.dumps(state)
    return json.dumps(context)


@bench
def edit_a_large_pause(_: Place) -> list[Row]:
    """A 5 MB pause opens (all of it laid open) in under 1 s; an edit shows in under 100 ms."""
    text = large_pause(5)
    megabytes = len(text) / 1e6

    def opened() -> None:
        inspect(open_document(text, "resumption-context", kernel="graphon-0.8"))

    editing = Editing(open_document(text, "resumption-context", kernel="graphon-0.8"))
    numbers = iter(range(1_000_000))

    def edited() -> None:
        editing.apply(parse(f"n20.v7=changed {next(numbers)}"))

    first, change, parsed = in_turns(
        opened, edited, lambda: json.loads(json.loads(text)["serialized_graph_runtime_state"])
    )
    began = perf_counter()
    editing.apply(parse("n20.v7=x")).text()
    written = perf_counter() - began
    plain = f"json.loads twice: {ms(parsed)}"
    return [
        Row(f"open a pause of {megabytes:.1f} MB", ms(first), plain, first / parsed, "1 s", first < 1),
        Row("one edit in it", ms(change), plain, change / parsed, "100 ms", change < 0.1),
        Row("one edit, written back", ms(written), plain, written / parsed, "1 s", written < 1),
    ]
