"""A pause of ours as the Dify of its engine would have saved it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.driver import FIXTURES, cli, fixture
from workbench.engine import KERNELS

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]
APP = fixture("shapes/t1-if-else")
SAVERS = {
    "graphon-0.8": "saved by Dify after 1.17",
    "graphon-0.7": "saved by Dify 1.17",
    "graphon-0.6": "saved by Dify 1.16",
    "graphon-0.5": "saved by Dify 1.15",
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_pause_is_what_its_dify_saves(kernel: str, tmp_path: Path) -> None:
    paused = cli("run", APP, "--kernel", kernel, "--query", "hi", "--json").json["run_id"]
    file, state, gate = tmp_path / "context.json", tmp_path / "state.json", tmp_path / "gate.json"
    done = cli("export", paused, "--format", "dify", "-o", file)
    assert done.code == 0, done.err
    cli("export", paused, "--format", "runtime-state", "-o", state)
    cli("export", paused, "--format", "stream-filter", "-o", gate)
    context = json.loads(file.read_text())
    assert context["serialized_graph_runtime_state"] == state.read_text()
    kept = kernel != "graphon-0.5"
    assert context.get("serialized_response_stream_filter_state") == (gate.read_text() if kept else None)
    assert ("Dify 1.15 keeps no gate state" in done.err) is not kept
    imported = cli("import", file, "--json").json["files"][0]
    assert imported["kind"] == "resumption-context"
    assert SAVERS[kernel] in imported["detail"]
    again = cli("resume", file, "--app", APP, "--action", "approve", "--field", "note=n", "--json").json
    assert again["streamed"] == ("Hello n!" if kept else "")


@pytest.mark.parametrize(
    "path", sorted((FIXTURES / "states").rglob("*.json")), ids=lambda p: p.parent.name + p.stem
)
def test_what_was_imported_comes_out_byte_for_byte(path: Path, tmp_path: Path) -> None:
    imported = cli("import", path, "--json").json["files"][0]
    if imported["kind"] not in ("resumption-context", "runtime-state", "stream-filter"):
        pytest.skip(f"a {imported['kind']}")
    out = tmp_path / "out.json"
    form = "dify" if imported["kind"] == "resumption-context" else imported["kind"]
    for target in (imported["id"], path):
        assert cli("export", target, "--format", form, "-o", out).code == 0
        assert out.read_bytes() == path.read_bytes()
    assert cli("export", imported["id"], "-o", out).code == 0
    assert out.read_bytes() == path.read_bytes()
