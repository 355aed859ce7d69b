"""`show` of a run and of its pause tells who wrote each variable, and at which step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli, fixture

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]


def test_who_wrote_what(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    app = fixture("shapes/t4-assigned-variable")
    cli("run", app, "-q", "--store", store, "--run-id", "one")
    run = cli("show", "one", "--json", "--store", store).json
    by = run["written"]["conversation"]["c"]
    assert by["by"] == "Remember"
    event = cli("show", "one", "--json", "--step", str(by["step"]), "--store", store).json["event"]
    assert (event["kind"], event["node"]) == ("NodeRunVariableUpdated", "assign")
    early = cli("show", "one", "--json", "--step", str(by["step"] - 1), "--store", store).json
    assert early["written"]["conversation"]["c"] == {"by": "the conversation before this run", "step": None}
    assert f"conversation.c = NEW  by Remember, step {by['step']}" in cli("show", "one", "--store", store).out
    pause = run_pause(store)
    held = {(v["node"], v["name"]): v for v in pause["pause"]["variables"]}
    assert (held["conversation", "c"]["writer"], held["conversation", "c"]["step"]) == (
        "Remember",
        by["step"],
    )
    assert pause["written"]["conversation"]["c"] == by


def run_pause(store: Path) -> dict[str, dict[str, object]]:
    from workbench.store import Store

    pause = Store(store).pauses("one")[-1]
    found: dict[str, dict[str, object]] = cli("show", pause.pause_id, "--json", "--store", store).json
    return found
