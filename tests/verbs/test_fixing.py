"""`check --fix`: a copy of the app in which the advised change is made, and nothing else differs."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest

from tests.conftest import CACHE, REPOSITORY
from tests.heal.random_apps import random_app
from workbench.core.findings.dify import gate_fate
from workbench.errors import UsageError
from workbench.records.app import read_app
from workbench.verbs.check import check
from workbench.verbs.context import Context
from workbench.verbs.fixing import fix

SHAPES = ["shapes/t1-if-else", "shapes/t2-two-pauses", "shapes/t3-answer-before", "examples/refund-approval"]
LOCKING = "gate-state-missing"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", CACHE)


def app_of(name: str) -> Path:
    return REPOSITORY / "fixtures" / name / "app.yml"


@pytest.mark.kernel
@pytest.mark.parametrize("name", SHAPES)
def test_a_fixed_app_has_no_finding_and_streams_everything_on_the_engine_that_loses(
    name: str, ctx: Context, tmp_path: Path
) -> None:
    assert LOCKING in {finding.code for finding in check(ctx, app_of(name), dify="1.15.0").findings}
    result = fix(ctx, app_of(name), dify="1.15.0")
    assert result.changed
    assert result.proof is not None
    assert result.proof.holds
    assert result.proof.resumes >= 2
    assert result.proof.harmed >= 1
    written = tmp_path / "fixed.yml"
    written.write_bytes(result.data)
    assert LOCKING not in {finding.code for finding in check(ctx, written, dify="1.15.0").findings}
    again = fix(ctx, written, dify="1.15.0")
    assert (again.changed, again.proof) == (False, None)
    assert again.reason is not None
    assert "does harm" in again.reason


@pytest.mark.parametrize("name", [*SHAPES, "shapes/t4-assigned-variable"])
def test_only_the_changed_places_differ(name: str, ctx: Context) -> None:
    """Comments, order and spelling of all else stay, in YAML with Windows line ends, too."""
    plain = app_of(name).read_bytes()
    for data in (b"# my app\n" + plain + b"# end\n", b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")):
        source = ctx.store_file.parent / "app.yml"
        source.write_bytes(data)
        result = fix(ctx, source, play=False)
        assert result.faithful
        lines = [each.decode().splitlines(keepends=True) for each in (data, result.data)]
        removed = [line for line in difflib.unified_diff(*lines, n=0) if line.startswith("-")][1:]
        assert len(removed) <= 12 * sum(len(one.removed) for one in result.fixes)
        before, after = read_app(data), read_app(result.data)
        assert after.graph["nodes"][: len(before.graph["nodes"])] == before.graph["nodes"]
        kept = [edge for edge in before.graph["edges"] if edge["id"] not in result.fixes[0].removed]
        assert after.graph["edges"][: len(kept)] == kept
        assert source.read_bytes() == data


def test_nothing_to_change_is_said(ctx: Context) -> None:
    sound = fix(ctx, app_of("shapes/c0-control"), dify="1.15")
    assert (sound.changed, sound.reason) == (False, "No form of C0 nothing upstream does harm on Dify 1.15.")
    keeps = fix(ctx, app_of("shapes/t1-if-else"), dify="main")
    assert gate_fate("main") == "kept"
    assert (keeps.changed, keeps.data) == (False, app_of("shapes/t1-if-else").read_bytes())
    assert keeps.reason == "Dify main keeps the gate's state at a pause: no form does harm there."


def test_one_change_of_several(ctx: Context, tmp_path: Path) -> None:
    seed = next(seed for seed in range(300) if len(_changes(ctx, tmp_path, seed)) > 1)
    app = tmp_path / f"{seed}.json"
    listed = fix(ctx, app, play=False).fixes
    result = fix(ctx, app, choose=["2"], play=False)
    assert [one.applied for one in result.fixes][:2] == [False, True]
    by_name = fix(ctx, app, choose=[str(listed[1].finding.node_id)], play=False)
    assert by_name.data == result.data
    with pytest.raises(UsageError, match="There is no change 'nope'"):
        fix(ctx, app, choose=["nope"], play=False)


def _changes(ctx: Context, folder: Path, seed: int) -> list[str]:
    app = folder / f"{seed}.json"
    app.write_bytes(random_app(seed)[0])
    return [one.words for one in fix(ctx, app, play=False).fixes]


@pytest.mark.kernel
@pytest.mark.timeout(300)
def test_random_apps_are_proved(ctx: Context, tmp_path: Path) -> None:
    """`fix` itself refuses what runs on the real engine contradict."""
    changed = resumes = 0
    for seed in range(25):
        data, script = random_app(seed)
        app = tmp_path / f"{seed}.json"
        app.write_bytes(data)
        result = fix(ctx, app, script=script)
        changed += result.changed
        assert json.loads(result.data)
        if result.proof is not None:
            assert result.proof.problem is None, seed
            resumes += result.proof.resumes
    assert changed > 5
    assert resumes > 10
