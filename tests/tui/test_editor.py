"""The editor by key and by mouse, on a real store."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, OptionList, Select, SelectionList, TextArea

from tests.tui.editing import EVERY_TYPE, SHAPES, STATES, OpenEditor, opener
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.editor import EditorScreen
from workbench.tui.screens.editor.pages import SaveScreen
from workbench.tui.screens.editor.panels import AboutPanel, EditsPanel
from workbench.tui.screens.pages import PageScreen
from workbench.verbs.context import Context

T1 = "E/t1-if-else.json"
T1_APP = SHAPES / "t1-if-else" / "app.yml"
T2_APP = SHAPES / "t2-two-pauses" / "app.yml"


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenEditor:
    return opener(tmp_path, monkeypatch)


async def test_a_text_is_edited_undone_and_made_again(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        assert tui.verdict == "unchanged"
        await tui.write("where is it")
        assert 'variable start.sys.query: "hi" → "where is it"' in tui.verdict
        await tui.press("enter")
        assert tui.value("start.sys.query") == "where is it"
        assert "1 edit" in tui.of("#edit-list")
        assert "±" in tui.of("#edit-tree")
        await tui.press("u")
        assert tui.value("start.sys.query") == "hi"
        assert "undone: start.sys.query" in tui.of("#edit-list")
        await tui.press("U")
        assert tui.value("start.sys.query") == "where is it"
        await tui.press("u")
        await tui.press("u")
        assert "nothing to undo" in tui.text


async def test_what_does_not_fit_is_said_while_typing_and_not_kept(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.dialogue_count")
        await tui.press("enter")
        await tui.write("1x")
        assert "This is no number" in tui.verdict
        await tui.press("enter")
        assert tui.field.display
        assert tui.targets == []
        await tui.write("12")
        await tui.press("enter")
        assert tui.value("start.sys.dialogue_count") == 12


async def test_a_field_that_is_left_changes_nothing(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        await tui.write("zzz")
        await tui.press("escape")
        assert not tui.field.display
        assert tui.tree.has_focus
        assert tui.targets == []
        await tui.press("enter", "enter")
        assert tui.targets == []


async def test_json_errors_are_told_by_line_and_column(edit: OpenEditor) -> None:
    async with edit("E/every-type.json", EVERY_TYPE) as tui:
        await tui.go("start.sys.files")
        await tui.press("e")
        area = tui.field.query_one(TextArea)
        area.text = '[\n "a",\n]'
        await tui.settle()
        assert "This is no JSON yet: line 2, column" in tui.verdict or "line 3, column" in tui.verdict
        area.text = '{"a": 1}'
        await tui.settle()
        assert "not a list" in tui.verdict
        area.text = '["a", 1]'
        await tui.settle()
        await tui.press("ctrl+s")
        assert tui.value("start.sys.files") == ["a", 1]


async def test_a_long_text_has_lines_and_is_kept_by_the_button(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter", "escape", "t")
        await tui.write('start.sys.query:="one\\ntwo"')
        await tui.press("enter")
        await tui.press("enter")
        area = tui.field.query_one(TextArea)
        assert area.text == "one\ntwo"
        area.move_cursor(area.document.end)
        await tui.press("enter", "x")
        assert area.text == "one\ntwo\nx"
        await tui.press("tab", "enter")
        assert tui.value("start.sys.query") == "one\ntwo\nx"


async def test_a_type_is_chosen_and_the_variable_converted(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        tui.field.query_one(Select).value = "integer"
        await tui.settle()
        await tui.write("7")
        assert "type of start.sys.query changes from string to integer" in tui.verdict
        await tui.press("enter")
        assert tui.value("start.sys.query") == 7


async def test_few_values_are_chosen_or_toggled(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("check.result")
        await tui.press("space")
        assert tui.value("check.result") is False
        await tui.go("node:hum")
        await tui.press("enter", "down")
        assert "state of node hum" in tui.verdict
        await tui.press("enter")
        assert tui.value("node:hum") == "taken"
        await tui.go("gate:answer")
        await tui.press("enter")
        tui.field.query_one(OptionList).highlighted = 2
        await tui.settle()
        await tui.press("enter")
        assert tui.value("gate:answer") == "active"
        await tui.press("enter", "escape", "escape")


async def test_the_taken_edges_are_chosen_by_their_titles(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("gate:taken")
        await tui.press("enter")
        choices = tui.field.query_one(SelectionList)
        assert "→" in str(choices.get_option_at_index(0).prompt)
        await tui.press("space")
        await tui.press("tab", "enter")
        assert len(tui.targets) == 1
        assert tui.value("gate:taken") != ["check-true-hum-target"]


async def test_variables_are_added_with_a_type_and_removed(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("a")
        assert "no name yet" in tui.verdict
        await tui.press(*"mood")
        tui.field.query_one(Select).value = "array[number]"
        await tui.settle()
        area = tui.field.query_one(TextArea)
        area.text = "[1, 2.5]"
        await tui.settle()
        assert "start.mood is new in this pause" in tui.verdict
        await tui.press("ctrl+s")
        assert tui.value("start.mood") == [1, 2.5]
        await tui.go("start.mood")
        await tui.press("l", "j", "x")
        assert tui.value("start.mood") == [2.5]
        await tui.press("h", "a")
        await tui.write("3")
        tui.field.query_one(Select).value = "number"
        await tui.settle()
        await tui.write("3")
        await tui.press("enter")
        assert tui.value("start.mood") == [2.5, 3]
        await tui.go("start.mood")
        await tui.press("x")
        assert "mood" not in tui.of("#edit-tree")


async def test_what_the_engine_would_refuse_needs_a_keep_anyway(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.press("t")
        await tui.write("state:version=9.0")
        assert "graphon-0.8 would refuse it" in tui.verdict
        await tui.press("enter")
        assert tui.targets == []
        assert tui.field.display
        await tui.press("enter")
        assert tui.targets == ["state:version"]
        assert "✗ graphon-0.8" in tui.of("#edit-engine")
        assert "refused" in tui.of("#edit-list")
        await tui.press("s")
        assert "graphon-0.8 would refuse it" in tui.text
        assert "Keep anyway" in tui.text
        await tui.click("#save-leave")
        assert tui.results[0] is not None


async def test_saving_makes_a_new_file_and_the_original_stays(edit: OpenEditor, tmp_path: Path) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        await tui.write("other")
        await tui.press("enter", "s")
        assert isinstance(tui.app.screen, SaveScreen)
        assert "difference" in tui.text
        await tui.press(*"mine")
        tui.app.screen.query_one("#save-path", Input).value = str(tmp_path / "out.json")
        await tui.press("enter", "enter")
        assert tui.results != [None]
        file_id = tui.results[0]
        assert file_id is not None
        assert not isinstance(tui.app.screen, EditorScreen)
        store = Context(tmp_path / "store.duckdb", tmp_path).store
        kept = store.edited(file_id)
        assert kept is not None
        assert kept.name == "mine"
        assert store.file(file_id).data == (tmp_path / "out.json").read_bytes()
        assert (tmp_path / "out.json").read_bytes() != (STATES / T1).read_bytes()
        assert store.file(kept.parent_id).data == (STATES / T1).read_bytes()


async def test_saved_and_opened_in_the_debugger(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        await tui.write("other")
        await tui.press("enter", "s")
        await tui.click("#save-open")
        assert tui.results[0] is not None
        assert isinstance(tui.app.screen, DebuggerScreen)


async def test_leaving_asks_about_what_is_not_saved(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("check.result")
        await tui.press("space", "q")
        assert "1 edit is not saved" in tui.text
        await tui.press("enter")
        assert tui.app.screen is tui.screen
        await tui.press("q", "j", "j", "enter")
        assert tui.results == [None]


async def test_leaving_without_edits_gives_nothing(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.press("q")
        assert tui.results == [None]


async def test_finding_by_name_title_and_value(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.press("slash", *"dialogue")
        await tui.until(lambda: "start.sys.dialogue_count" in tui.of("#edit-tree"))
        assert "2 found" in tui.of("#edit-tree")
        await tui.press("enter", "j")
        assert tui.screen.spot is not None
        assert tui.screen.spot.target == "sys.dialogue_count"
        await tui.press("escape")
        await tui.until(lambda: "▾ Variables" in tui.of("#edit-tree"))
        assert tui.screen.spot.target == "sys.dialogue_count"
        await tui.press("slash", *"zzzz")
        await tui.until(lambda: "Nothing fits" in tui.text)


async def test_the_tree_opens_and_closes_by_key_and_mouse(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.press("minus")
        assert "sys.query" not in tui.of("#edit-tree")
        await tui.press("home", "l")
        assert "start" in tui.of("#edit-tree")
        await tui.press("asterisk")
        assert "sys.query" in tui.of("#edit-tree")
        await tui.press("h")
        assert "sys.query" not in tui.of("#edit-tree")
        rows = tui.text.split("\n")
        y = next(i for i, row in enumerate(rows) if "▸ Node states" in row)
        await tui.click(None, offset=(6, y))
        assert "▾ Node states" in tui.text
        rows = tui.text.split("\n")
        y = next(i for i, row in enumerate(rows) if "▾ Node states" in row) + 1
        await tui.click(None, offset=(12, y))
        assert tui.field.display
        await tui.click("#field-cancel")
        assert not tui.field.display


async def test_the_mouse_edits_chooses_and_keeps(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("node:hum")
        rows = tui.text.split("\n")
        y = next(i for i, row in enumerate(rows) if "hum " in row and "unknown" in row)
        await tui.click(None, offset=(12, y))
        options = tui.field.query_one(OptionList)
        await tui.click(options, offset=(2, 2))
        assert tui.value("node:hum") == "skipped"
        assert tui.targets == ["node:hum"]


async def test_nested_json_opens_in_place_and_only_its_place_changes(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        tree = tui.tree
        tree.reveal(("raw", "serialized_graph_runtime_state", "graph_execution", "workflow_id"))
        await tui.settle()
        assert tui.screen.spot is not None
        assert tui.screen.spot.target == "context:serialized_graph_runtime_state.graph_execution.workflow_id"
        await tui.press("enter")
        await tui.write("another")
        await tui.press("enter")
        assert tui.value("run:workflow_id") == "another"
        await tui.press("d")
        assert isinstance(tui.app.screen, PageScreen)
        assert "1 difference" in tui.text
        assert "workflow_id" in tui.text


async def test_the_list_of_edits_drops_one_and_goes_to_it(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP, "80x24") as tui:
        await tui.go("check.result")
        await tui.press("space")
        await tui.go("node:hum")
        await tui.press("space", "p")
        panel = tui.screen.query_one(EditsPanel)
        assert panel.has_focus
        assert "state of node hum" in tui.text
        await tui.press("enter")
        assert tui.screen.spot is not None
        assert tui.screen.spot.target == "check.result"
        await tui.press("p", "x")
        assert tui.targets == ["node:hum"]
        await tui.press("p")
        assert tui.tree.has_focus


async def test_edits_are_named_written_loaded_and_replayed_on_another_pause(
    edit: OpenEditor, tmp_path: Path
) -> None:
    path = tmp_path / "edits.yml"
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("enter")
        await tui.write("again")
        await tui.press("enter", "n")
        await tui.press(*"my list")
        await tui.press("enter")
        assert "my list" in tui.of("#edit-list")
        await tui.press("W")
        tui.app.screen.query_one(Input).value = str(path)
        await tui.press("enter")
        assert '"my list"' in path.read_text()
        await tui.press("u", "L")
        tui.app.screen.query_one(Input).value = str(path)
        await tui.press("enter")
        assert tui.value("start.sys.query") == "again"
        await tui.press("R")
        tui.app.screen.query_one(Input).value = str(STATES / "E" / "t3-answer-before.json")
        await tui.press("enter")
        other = tui.app.screen
        assert isinstance(other, EditorScreen)
        assert other is not tui.screen
        assert other.editing is not None
        assert [each.target for each in other.editing.edits] == ["start.sys.query"]
        assert "t3-answer-before" in tui.text


async def test_edits_that_do_not_fit_are_said_and_none_is_kept(edit: OpenEditor, tmp_path: Path) -> None:
    path = tmp_path / "edits.yml"
    path.write_text('edits: [{set: start.sys.query, to: "a"}, {set: nobody.home, to: 1}]')
    async with edit(T1, T1_APP) as tui:
        await tui.press("L")
        tui.app.screen.query_one(Input).value = str(path)
        await tui.press("enter")
        assert tui.targets == []
        assert "Edit 2 of 2 (nobody.home) does not fit" in " ".join(tui.text.split())


async def test_another_engine_has_other_rules(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("check.result")
        await tui.press("space", "K")
        assert "Engine kernel" in tui.text
        await tui.press("j", "j", "enter")
        assert "graphon-0.6" in tui.of("#edit-engine")
        assert tui.targets == ["check.result"]
        assert "graphon-0.6 loads no runtime state" in tui.of("#edit-list")
        assert "refused as it was saved" in tui.of("#edit-list")


async def test_secrets_are_hidden_until_they_are_shown(edit: OpenEditor) -> None:
    async with edit("E/every-type.json", EVERY_TYPE) as tui:
        await tui.press("slash", *"env.key")
        await tui.until(lambda: "env.key" in tui.of("#edit-tree"))
        await tui.press("enter", "G")
        assert "••••••" in tui.of("#edit-tree")
        await tui.press("enter")
        assert "Secrets are hidden" in tui.text
        assert tui.field.query_one(Input).value == ""
        await tui.press("escape", "v")
        assert "••••••" not in tui.of("#edit-tree")


async def test_target_value_and_place_can_be_taken_along(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        await tui.go("start.sys.query")
        await tui.press("Y")
        assert tui.app.clipboard == "start.sys.query"
        await tui.press("w")
        assert isinstance(tui.app.screen, PageScreen)
        await tui.press("escape", "g")
        assert isinstance(tui.app.screen, DebuggerScreen)


async def test_the_place_is_told_with_its_cursor(edit: OpenEditor) -> None:
    async with edit("E/t5-parallel-llm.json", SHAPES / "t5-parallel-llm" / "app.yml") as tui:
        await tui.go("gate:answer")
        assert "▮" in tui.of("#edit-about")
        await tui.go("gate:position.llm.text")
        assert "unread" in tui.of("#edit-about")


async def test_every_panel_has_help(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        for panel, words in (
            (tui.tree, "Everything that is saved, as a tree"),
            (tui.screen.query_one(AboutPanel), "The place under the cursor"),
            (tui.screen.query_one(EditsPanel), "The edits so far"),
        ):
            panel.focus()
            await tui.settle()
            await tui.press("question_mark")
            assert words in tui.text
            await tui.press("escape")
        await tui.go("start.sys.query")
        await tui.press("enter")
        assert "says, while you type" in tui.field.HELP


async def test_no_pause_is_said_on_the_screen(edit: OpenEditor) -> None:
    async with edit(T1, T1_APP) as tui:
        tui.app.open_editor("nothing-like-this")
        await tui.settle()
        assert "nothing-like-this" in tui.of("#edit-problem")
        await tui.press("q")
        assert tui.app.screen is tui.screen


async def test_a_gateless_pause_and_a_bare_gate_open(edit: OpenEditor, tmp_path: Path) -> None:
    async with edit("B/t1-if-else.json", T1_APP) as tui:
        assert "no gate was saved" in tui.text
        assert "▾ Gate" not in tui.of("#edit-tree")
        await tui.go("start.sys.query")
        await tui.press("enter")
        await tui.write("x")
        await tui.press("enter")
        assert tui.targets == ["start.sys.query"]
