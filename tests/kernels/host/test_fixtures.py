"""Every fixture on every engine kernel: its scenarios end as `expected.yml` says, chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.kernels.host.driver import FIXTURES, Host, Outcome, fixture

pytestmark = pytest.mark.kernel
NAMES = sorted(str(path.parent.relative_to(FIXTURES)) for path in FIXTURES.glob("*/*/expected.yml"))


@pytest.mark.parametrize("name", NAMES)
def test_scenarios(host: Host, name: str) -> None:
    given = fixture(name)
    kernel = f"graphon-{host.generation}"
    if kernel not in given.kernels:
        pytest.skip(f"{name} is not for {kernel}")
    for scenario in given.scenarios:
        last: Outcome | None = None
        for step in scenario["steps"]:
            last = _do(host, given, step, last)
            expect = {**step["expect"], **step.get("expect_on", {}).get(kernel, {})}
            _compare(last, expect, f"{name}, {scenario['name']}")


def _do(host: Host, given: Any, step: Mapping[str, Any], last: Outcome | None) -> Outcome:
    if "run" in step:
        how = step["run"]
        query = how.get("query", "Hello")
        return host.run(given.app, query, script=given.script, given=how.get("inputs", {}))
    how = step["resume"]
    assert last is not None
    node = how.get("node") or last.pause["reasons"][0]["node_id"]
    forms = {node: {"action": how["action"], "fields": how.get("fields", {})}}
    return host.resume(given.app, last.pause, how["gate"], forms=forms, script=given.script)


def _compare(outcome: Outcome, expect: Mapping[str, Any], where: str) -> None:
    assert outcome.status == expect["status"], (where, outcome.end["error"])
    if "chunks" in expect:
        assert outcome.chunks == expect["chunks"], where
    if "streamed" in expect:
        assert "".join(outcome.chunks) == expect["streamed"], where
    if "answer" in expect:
        assert outcome.answer == expect["answer"], where
    if "error" in expect:
        assert expect["error"] in outcome.end["error"], where
    for name, value in expect.get("outputs", {}).items():
        assert outcome.end["outputs"][name] == value, where
