"""The oracle at the command line: every fixture on every engine kernel gives what its expected.yml says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.driver import FIXTURES, cli

KERNELS = ("graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5")
EXIT_CODES = {"paused": 3, "failed": 1, "stopped": 1}


def cases() -> list[Any]:
    """(folder, scenario, kernel) of all fixtures."""
    found = []
    for file in sorted(FIXTURES.glob("*/*/expected.yml")):
        expected = yaml.safe_load(file.read_text())
        for kernel in expected.get("kernels", KERNELS):
            for scenario in expected["scenarios"]:
                name = f"{file.parent.parent.name}/{file.parent.name}-{scenario['name']}-{kernel}"
                found.append(pytest.param(file.parent, scenario, kernel, id=name.replace(" ", "_")))
    return found


@pytest.mark.kernel
@pytest.mark.usefixtures("warm_kernels")
@pytest.mark.parametrize(("folder", "scenario", "kernel"), cases())
def test_a_fixture_gives_what_it_expects(
    folder: Path, scenario: dict[str, Any], kernel: str, home: Path
) -> None:
    run_id = ""
    for step in scenario["steps"]:
        given = step.get("run") or step.get("resume") or {}
        order = ["run", folder / "app.yml"] if "run" in step else ["resume", run_id]
        done = cli(*order, "--kernel", kernel, "--json", "--quiet", *options(given), *script(folder))
        expect = step["expect"] | step.get("expect_on", {}).get(kernel, {})
        assert done.code == EXIT_CODES.get(expect["status"], 0), done.err
        result = done.json
        run_id = result["run_id"]
        compare(result, expect)
        if "problems" in expect:
            compare_why(run_id, expect)


def options(given: dict[str, Any]) -> list[str]:
    """A step's arguments as command-line options."""
    found = [f"--{key}={given[key]}" for key in ("query", "node", "action", "gate") if key in given]
    found += [f"--input={key}={text(value)}" for key, value in given.get("inputs", {}).items()]
    found += [f"--field={key}={text(value)}" for key, value in given.get("fields", {}).items()]
    return found


def text(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def script(folder: Path) -> list[str]:
    file = folder / "script.yml"
    return [f"--script={file}"] if file.exists() else []


def compare(result: dict[str, Any], expect: dict[str, Any]) -> None:
    assert result["status"] == expect["status"]
    assert result["streamed"] == "".join(result["chunks"])
    for key in ("chunks", "streamed", "answer"):
        if key in expect:
            assert result[key] == expect[key], key
    for key, value in expect.get("outputs", {}).items():
        assert result["outputs"][key] == value
    if "error" in expect:
        assert expect["error"] in result["error"]
    assert (result["pause"] is not None) == (result["status"] == "paused")


def compare_why(run_id: str, expect: dict[str, Any]) -> None:
    done = cli("why", run_id, "--json")
    troubles = [each for each in done.json["findings"] if each["severity"] in ("error", "warning")]
    assert sorted({each["code"] for each in troubles}) == sorted(expect["problems"])
    assert done.code == (4 if expect["problems"] else 0)
    if "lost_edges" in expect:
        assert sorted({edge for each in troubles for edge in each["edges"]}) == sorted(expect["lost_edges"])
