"""The tree of a saved pause: whole, each place where its target says, and the same after edits as anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from workbench.core.edits import MISSING, Document, Edit, Editing, Given, open_document, parse, plan
from workbench.errors import UsageError
from workbench.views.secrets import mask_for
from workbench.views.statefields import edit_of, field_of, given_of
from workbench.views.statetree import Spot, Tree, rows

STATES = sorted((REPOSITORY / "fixtures" / "states").glob("?/*.json"))
KERNELS = {"A": "graphon-0.5", "B": "graphon-0.5", "C": "graphon-0.6", "D": "graphon-0.7", "E": "graphon-0.8"}
NO_MASK = mask_for((), unmask=True)


def opened(path: Path) -> Document:
    return open_document(path.read_text("utf-8"), "resumption-context", kernel=KERNELS[path.parent.name])


def walk(tree: Tree, spots: tuple[Spot, ...]) -> Iterator[Spot]:
    for spot in spots:
        yield spot
        if tree.opens(spot):
            yield from walk(tree, tree.children(spot))


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", STATES, ids=named)
def test_every_place_has_a_key_and_an_edit_that_changes_it_and_nothing_else(path: Path) -> None:
    doc = opened(path)
    tree = Tree(doc)
    seen: set[Any] = set()
    edited = 0
    for spot in walk(tree, tree.roots()):
        assert spot.key not in seen
        seen.add(spot.key)
        value = tree.value(spot)
        if not spot.target or value is MISSING or spot.kind == "taken":
            continue
        field = field_of(tree, spot, NO_MASK)
        given = given_of(field, field.text)
        made = plan(doc, edit_of(tree, spot, given, field.type if field.typed else None))
        assert made.before == made.after
        assert type(made.before) is type(made.after)
        if spot.path is not None:
            assert all(
                step.path[: len(spot.path)] == spot.path or spot.target.startswith(("input:", "query"))
                for step in made.steps
            )
        edited += 1
    assert edited > 100


@pytest.mark.parametrize("path", STATES, ids=named)
def test_all_that_is_saved_is_in_the_tree(path: Path) -> None:
    """Each value of the file, texts that hold JSON opened, is a line under "the whole file"."""
    from workbench.core.compare import opened as all_opened
    from workbench.records.reading import parse_json

    doc = opened(path)
    tree = Tree(doc)

    def leaves(value: Any, at: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        if isinstance(value, dict | list) and value:
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                yield from leaves(item, (*at, key))
        else:
            yield at, value

    wanted = dict(leaves(all_opened(parse_json(path.read_text("utf-8"), "x")), ()))
    section = next(spot for spot in tree.roots() if spot.key == ("raw",))
    found = {
        spot.key[1:]: tree.value(spot) for spot in walk(tree, tree.children(section)) if not tree.opens(spot)
    }
    assert {key: value for key, value in wanted.items() if key not in found} == {}
    assert all(found[key] == value for key, value in wanted.items() if not isinstance(value, dict | list))


EDITS = (
    "start.sys.query=other", "start.sys.query:integer=3", "start.new:object={\"a\": [1]}",
    "start.new.a[0]:=2", "start.new.a[1]:={}", "start.new=", "sys.fresh:string=x", "node:start=skipped",
    "query=hello",
    "gate:answer=active", "gate:answer=done", "gate:buffer.llm.text:=[\"a\"]", "run:paused=false",
    "state:outputs.more:=[1]", "tasks:ready=start", "entity:user_id=me", "nobody.here:string=x",
)  # fmt: skip


@pytest.mark.parametrize("path", STATES, ids=named)
def test_a_tree_that_follows_edits_is_the_tree_read_anew(path: Path) -> None:
    editing = Editing(opened(path))
    tree = Tree(editing.document)
    everything = {spot.key for spot in walk(tree, tree.roots())}
    rows(tree, everything)
    edits = [*(Edit("start.new", None) if text == "start.new=" else parse(text) for text in EDITS)]
    done = 0
    for edit in edits:
        try:
            editing = editing.apply(edit)
        except UsageError:
            continue  # this state has no such place
        done += 1
        tree = tree.after(editing.document, editing.plans[-1:])
        fresh = Tree(editing.document)
        keys = {spot.key for spot in walk(fresh, fresh.roots())}
        assert rows(tree, keys) == rows(fresh, keys)
        assert [tree.value(spot) for spot in rows(tree, keys)] == [
            fresh.value(spot) for spot in rows(fresh, keys)
        ]
    assert done >= 8
    while editing.edits:
        last = editing.plans[-1:]
        editing = editing.undo()
        tree = tree.after(editing.document, last)
        fresh = Tree(editing.document)
        keys = {spot.key for spot in walk(fresh, fresh.roots())}
        assert rows(tree, keys) == rows(fresh, keys)
    assert {spot.key for spot in walk(tree, tree.roots())} == everything


def test_hidden_text_is_never_kept_for_the_secret() -> None:
    tree = Tree(opened(REPOSITORY / "fixtures" / "states" / "E" / "every-type.json"))
    mask = mask_for(())
    secret = next(spot for spot in walk(tree, tree.roots()) if spot.target == "env.key")
    field = field_of(tree, secret, mask)
    assert field.text == ""
    with pytest.raises(UsageError, match="hidden text"):
        given_of(field, "••••••")
    assert given_of(field, "new") == Given("new")
    whole = next(spot for spot in walk(tree, tree.roots()) if spot.label == "serialized_graph_runtime_state")
    assert field_of(tree, whole, mask).form == "locked"
