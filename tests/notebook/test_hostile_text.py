"""Text from strangers in a notebook stays text, and secrets stay masked."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
import yaml

from tests.notebook.hostile import ATTACK, EXAMPLE, assert_harmless, hostile_app
from workbench import Workbench
from workbench.core.secrets import MASK

SECRET = "correct-horse-battery"


@pytest.mark.kernel
def test_every_object_shows_hostile_text_as_text(wb: Workbench, tmp_path: Path) -> None:
    app = wb.load(hostile_app(tmp_path))
    run = app.run(ATTACK)
    edited = run.pause.edit({"sys.query": ATTACK * 2})
    done = run.pause.resume(action="approve", fields={"note": ATTACK}, gate="fresh")
    forked = run.pause.resume(action="approve", fields={"note": ATTACK})
    shown = [
        app, app.nodes, app.edges, app.check(), wb.apps(), wb.runs(), wb.import_(hostile_app(tmp_path)),
        run, run.pause, run.pause.heal(), run.at(5), run.at(-1).gate, run.at(-1).variables_table, run.steps,
        run.nodes, edited, edited.targets(), done, done.why(), forked, forked.at(-1).gate, done.diff(forked),
    ]  # fmt: skip
    for each in shown:
        assert_harmless(each._repr_html_())
        told = repr(each)
        assert "\x1b" not in told
        assert "\u202e" not in told
    assert "<script>alert(1)</script>" in unescape(run._repr_html_())
    assert "&lt;script&gt;" in forked._repr_html_()


@pytest.mark.kernel
def test_the_charts_draw_hostile_titles_as_text(wb: Workbench, tmp_path: Path) -> None:
    drawn = wb.load(hostile_app(tmp_path)).run("x").timeline_chart().svg
    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "&lt;script&gt;" in drawn


@pytest.fixture
def secret_app(tmp_path: Path) -> Path:
    app = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    secret = {"id": "1", "name": "KEY", "value": SECRET, "value_type": "secret", "selector": ["env", "KEY"]}
    app["workflow"]["environment_variables"] = [secret]
    path = tmp_path / "secret.yml"
    path.write_text(yaml.safe_dump(app), encoding="utf-8")
    return path


@pytest.mark.kernel
def test_secrets_are_masked_in_what_is_shown_and_in_what_is_returned(wb: Workbench, secret_app: Path) -> None:
    run = wb.load(secret_app).run(f"it is {SECRET}")
    assert run.pause is not None
    edited = run.pause.edit({"sys.query": f"still {SECRET}"})
    objects = (run, run.pause, run.at(-1), run.why(), edited, run.events, run.nodes, run.app)
    told = [
        *(show(each) for each in objects for show in (repr, _html)),
        str([run.variables, run.at(-1).event, run.at(-1).gate.raw, run.query, run.pause.reasons]),
        str([edited.told, edited.targets()[:].rows, run.diff(run.at(3).fork()).table.rows]),
        run.events.to_pandas().to_csv(),
        str(run.nodes.to_arrow().to_pylist()),
    ]
    assert not [text for text in told if SECRET in text]
    assert run.variables["env"]["KEY"] == MASK
    assert run.query == f"it is {MASK}"

    open_bench = Workbench(wb.store, unmask=True, progress=False)
    assert open_bench.load(run.id).variables["env"]["KEY"] == SECRET
    assert SECRET in repr(open_bench.load(edited.id or ""))


def _html(shown: object) -> str:
    return str(shown._repr_html_())  # type: ignore[attr-defined]
