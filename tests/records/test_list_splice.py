"""Lists of a file change, and nothing else in it does."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
import yaml

from tests.conftest import REPOSITORY
from workbench.errors import WorkbenchError
from workbench.records.list_splice import ListChange, change_lists
from workbench.records.yaml_reading import read_yaml

EDGES = ("workflow", "graph", "edges")
NEW = {"id": "new", "data": {"text": "{{ äöü }}: #\n- x"}, "type": "custom"}
BLOCK = """\
# an app 😀 with comments
workflow:
  graph:
    edges:   # the edges
    # first
    - id: a   # why
      text: |
        - id: not-an-item

    # second
    -
      id: b
      'quoted': "yes"   # trailing

    # third
    - {id: c, x: [1, 2]}
    # the end of the edges
    nodes: []
app: {name: "x"}   # last
"""


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    told = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [line[2:] for line in told if line[0] == "-"], [line[2:] for line in told if line[0] == "+"]


def test_adding_keeps_every_line() -> None:
    made, faithful = change_lists(BLOCK, "app", [ListChange(EDGES, add=(NEW,))])
    removed, added = changed_lines(BLOCK, made)
    assert (faithful, removed) == (True, [])
    assert added[0] == "    - id: new"
    assert made.index("id: c") < made.index("id: new") < made.index("# the end of the edges")


@pytest.mark.parametrize(
    ("place", "gone"),
    [
        (0, ["    - id: a   # why", "      text: |", "        - id: not-an-item", ""]),
        (1, ["    -", "      id: b", "      'quoted': \"yes\"   # trailing"]),
        (2, ["    - {id: c, x: [1, 2]}"]),
    ],
)
def test_taking_one_away_takes_its_lines_and_no_comment_of_others(place: int, gone: list[str]) -> None:
    made, faithful = change_lists(BLOCK, "app", [ListChange(EDGES, remove=(place,))])
    assert (faithful, changed_lines(BLOCK, made)) == (True, (gone, []))


def test_all_go_and_a_new_one_comes() -> None:
    made, faithful = change_lists(BLOCK, "app", [ListChange(EDGES, (0, 1, 2), (NEW,))])
    assert faithful
    assert read_yaml(made, "app").value["workflow"]["graph"]["edges"] == [NEW]
    assert "# third" in made


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_list_ends_the_file(newline: str, end: str) -> None:
    text = "workflow:\n  graph:\n    edges:\n      - id: a\n      - id: b" + end
    text = text.replace("\n", newline)
    made, faithful = change_lists(text, "app", [ListChange(EDGES, (0,), (NEW,))])
    assert faithful
    assert made.startswith(
        newline.join(["workflow:", "  graph:", "    edges:", "      - id: b", "      - id: new"])
    )
    assert (newline == "\n") == ("\r" not in made)


@pytest.mark.parametrize(
    "text",
    [
        '{"workflow": {"graph": {"edges": [{"id": "a"}, {"id":"b"}], "x": 1.50}}, "b": "\\u00e4"}',
        "workflow: {graph: {edges: [{id: a}, {id: b}], x: 1.50}} # why\nb: ä\n",
        "workflow:\n  graph:\n    edges: [{id: a},\n      {id: b}] # why\n",
    ],
)
def test_flow_lists_and_json(text: str) -> None:
    for change in (
        ListChange(EDGES, add=(NEW,)),
        ListChange(EDGES, (0,), (NEW,)),
        ListChange(EDGES, (0, 1), (NEW,)),
    ):
        made, faithful = change_lists(text, "app", [change])
        assert faithful
        assert text.split("edges")[0] == made.split("edges")[0]
        assert text.rsplit("]", 1)[1] == made.rsplit("]", 1)[1]


def test_an_empty_flow_list() -> None:
    made, faithful = change_lists(
        "workflow: {graph: {edges: []}}\n", "app", [ListChange(EDGES, add=({"id": "a"},))]
    )
    assert (made, faithful) == ('workflow: {graph: {edges: [{"id": "a"}]}}\n', True)


@pytest.mark.parametrize(
    "text",
    [
        "e: &e [{id: a}]\nworkflow: {graph: {edges: *e}}\n",
        "workflow:\n  graph:\n    edges:\n    - &one {id: a}\n    - {id: b}\nagain: *one\n",
        "base: &base {edges: [{id: a}]}\nworkflow:\n  graph:\n    <<: *base\n",
    ],
)
def test_what_can_not_be_spliced_is_written_anew_and_told(text: str) -> None:
    made, faithful = change_lists(text, "app", [ListChange(EDGES, (0,), (NEW,))])
    value = read_yaml(made, "app").value
    assert not faithful
    assert value["workflow"]["graph"]["edges"][-1] == NEW


FIXTURES = sorted(REPOSITORY.glob("fixtures/*/*/app.yml"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
def test_every_fixture_keeps_its_other_lines(path: Path) -> None:
    text = path.read_text()
    edges = yaml.safe_load(text)["workflow"]["graph"]["edges"]
    if not edges:
        pytest.skip("no edges")
    nodes = ListChange(("workflow", "graph", "nodes"), add=(NEW,))
    made, faithful = change_lists(text, path.name, [nodes, ListChange(EDGES, (0,), (NEW,))])
    removed, added = changed_lines(text, made)
    assert faithful
    assert 0 < len(added) <= 2 * len(yaml.safe_dump([NEW], allow_unicode=True, width=1000).splitlines())
    assert 0 < len(removed) <= 16


CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "dsl"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real exports is not here")
def test_real_exports_are_spliced() -> None:
    spliced = 0
    for path in sorted(CORPUS.rglob("*.yml")):
        try:
            text = path.read_bytes().decode("utf-8-sig")
            edges = read_yaml(text, path.name).value["workflow"]["graph"]["edges"]
        except (WorkbenchError, UnicodeDecodeError, KeyError, TypeError):
            continue
        if not edges:
            continue
        gone = tuple(sorted({0, len(edges) - 1}))
        made, faithful = change_lists(text, path.name, [ListChange(EDGES, gone, (NEW,))])
        assert faithful, path.name
        spliced += 1
        removed, _ = changed_lines(text, made) if len(text) < 20_000 else ([], [])
        assert len(removed) < 80, path.name
    assert spliced > 150
