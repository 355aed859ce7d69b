"""What strangers may send: every verb that looks at it says what is wrong, and nothing else happens."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.conftest import CACHE, REPOSITORY
from tests.verbs.hostile import damaged_app, damaged_state
from workbench.cli.findings import why_lines
from workbench.cli.style import Style
from workbench.cli.words_state import shown_lines
from workbench.errors import WorkbenchError
from workbench.verbs.check import check
from workbench.verbs.context import Context
from workbench.verbs.exporting import export_bytes
from workbench.verbs.fixing import fix
from workbench.verbs.importing import import_file
from workbench.verbs.results import WhyResult
from workbench.verbs.show import Shown, show
from workbench.verbs.why import why
from workbench.views.secrets import mask_for
from workbench.views.shapes import why_json
from workbench.views.states import shown_json

STATES = sorted((REPOSITORY / "fixtures" / "states").glob("[A-E]/*.json"))
APPS = sorted(REPOSITORY.glob("fixtures/*/*/app.yml"))
OWN = {
    "t2-second-pause": "shapes/t2-two-pauses",
    "every-type": "states/every-type",
    "iteration-pause": "containers/iteration-pause",
    "loop-pause": "containers/loop-pause",
}
DAMAGED = 60
SECONDS = 2


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", CACHE)


def app_of(state: Path) -> Path:
    return REPOSITORY / "fixtures" / OWN.get(state.stem, f"shapes/{state.stem}") / "app.yml"


def painted(result: WhyResult | Shown) -> str:
    """As text and as JSON, the way both are printed."""
    mask, style = mask_for(result.environment, unmask=False), Style(io.StringIO())
    if isinstance(result, WhyResult):
        json.dumps(why_json(result, mask))
        return "\n".join(why_lines(result, mask, style))
    json.dumps(shown_json(result, mask))
    return "\n".join(shown_lines(result, mask, style))


def survives(look: Callable[[], WhyResult | Shown | None]) -> None:
    """It gives a result that can be printed, or an error that a user reads; soon, and without escapes."""
    began = time.monotonic()
    try:
        result = look()
        text = "" if result is None else painted(result)
    except WorkbenchError:
        return
    assert "\x1b" not in text
    assert "\x00" not in text
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("seed", range(DAMAGED))
def test_damaged_states(seed: int, ctx: Context, tmp_path: Path) -> None:
    draw = Random(seed)
    source = draw.choice(STATES)
    state, app = tmp_path / "state.json", app_of(source)
    state.write_bytes(damaged_state(source.read_text(), draw))
    for dify in (None, "1.14.2", "1.15.0", "main"):
        survives(lambda dify=dify: why(ctx, state, app=app, dify=dify))
        survives(lambda dify=dify: why(ctx, state, dify=dify))
    survives(lambda: show(ctx, state, app=app))
    survives(lambda: show(ctx, state))


@pytest.mark.parametrize("seed", range(DAMAGED))
def test_damaged_apps(seed: int, ctx: Context, tmp_path: Path) -> None:
    draw = Random(seed)
    app = tmp_path / "app.json"
    app.write_bytes(damaged_app(yaml.safe_load(draw.choice(APPS).read_text()), draw))
    survives(lambda: check(ctx, app))
    survives(lambda: check(ctx, app, dify="1.15.0"))

    def fixed() -> None:
        fix(ctx, app, play=False)

    survives(fixed)


@pytest.mark.parametrize("seed", range(10))
def test_what_can_be_read_keeps_its_bytes(seed: int, ctx: Context, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    data = damaged_state(Random(seed).choice(STATES).read_text(), Random(seed))
    state.write_bytes(data)
    kept = import_file(ctx, state)
    if kept.id is not None:
        assert export_bytes(ctx, kept.id).data == data


def state_with(pool: dict[str, Any] | None = None, **changes: Any) -> bytes:
    source = REPOSITORY / "fixtures" / "states" / "E" / "t1-if-else.json"
    context = json.loads(source.read_text())
    runtime = json.loads(context["serialized_graph_runtime_state"])
    runtime["variable_pool"]["variable_dictionary"].update(pool or {})
    runtime.update(changes)
    context["serialized_graph_runtime_state"] = json.dumps(runtime)
    return json.dumps(context).encode("utf-8", "surrogatepass")


def variable(name: str, value: Any) -> dict[str, Any]:
    return {
        "id": "",
        "name": name,
        "description": "",
        "selector": ["many", name],
        "value_type": "string",
        "value": value,
    }


def test_a_hundred_thousand_variables(ctx: Context, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_bytes(
        state_with({"many": {f"v{n}": variable(f"v{n}", f"value {n}") for n in range(100_000)}})
    )
    app = app_of(Path("t1-if-else"))
    began = time.monotonic()
    assert len(why(ctx, state, app=app).answers) == 3
    shown = show(ctx, state, app=app)
    assert len(shown.state.variables["many"]) == 100_000
    assert len(show(ctx, state).state.variables["many"]) == 100_000
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("\x1b[2J\x07bell", "\\u001b[2J"),
        ("[bold red]x[/]", "[bold red]x[/]"),
        ("\ud800 lone", "<U+D800>"),
        ("\u202eevil", "<U+202E>"),
    ],
)
def test_text_from_a_state_is_never_a_command_to_the_terminal(
    value: str, shown: str, ctx: Context, tmp_path: Path
) -> None:
    state = tmp_path / "state.json"
    state.write_bytes(state_with({"many": {"v": variable("v", value)}}))
    for result in (show(ctx, state), show(ctx, state, app=app_of(Path("t1-if-else")))):
        text = painted(result)
        assert value not in text or value.isascii()
        assert "\x1b" not in text
        assert shown in text.replace("\\\\", "\\")


def test_edges_out_of_range_are_told(ctx: Context, tmp_path: Path) -> None:
    source = REPOSITORY / "fixtures" / "states" / "C" / "t1-if-else.json"
    context = json.loads(source.read_text())
    runtime = json.loads(context["serialized_graph_runtime_state"])
    runtime["graph_state"]["edges"] = {"edge_99999": "taken", "edge_-1": "skipped", "edge_1e9": "unknown"}
    context["serialized_graph_runtime_state"] = json.dumps(runtime)
    state = tmp_path / "state.json"
    state.write_text(json.dumps(context))
    codes = {finding.code for finding in why(ctx, state, app=app_of(source)).findings}
    assert "graph-changed-while-paused" in codes
    assert show(ctx, state).state.edges["edge_99999"] == "taken"
