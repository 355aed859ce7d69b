"""Every widget under a real Chromium, in a plain page, with the real Python widget behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.widgets.page import SMALL, Shown
from tests.widgets.test_still import KINDS, made
from workbench import Workbench, widgets
from workbench.notebook import Run

Show = Callable[..., Shown]


def until(shown: Shown, met: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for something in Python, delivering what it tells."""
    for _ in range(int(seconds * 20)):
        shown.page.wait_for_timeout(50)
        shown.push()
        if met():
            shown.push()
            return
    raise AssertionError("it never happened")


def test_stepping_with_buttons_keys_and_python(show: Show, paused: Run) -> None:
    player = widgets.player(paused, 3)
    shown = show(player, views=2)
    page = shown.page
    page.get_by_role("button", name="One step on").first.click()
    until(shown, lambda: player.step == 4)
    assert page.locator(".wb-where").all_inner_texts() == ["4 / 11", "4 / 11"]
    page.locator(".wb-slider").first.focus()
    page.keyboard.press("End")
    until(shown, lambda: player.step == 11)
    page.keyboard.press("g")
    page.keyboard.press("G")
    until(shown, lambda: player.step == 7)
    player.step = 9
    shown.push()
    assert page.locator(".wb-what").first.inner_text() == "Ask the team lead starts"
    assert page.locator('.wb-node[data-look="running"]').count() == 2


def test_the_gate_opens_edge_by_edge(show: Show, paused: Run) -> None:
    player = widgets.player(paused, 6)
    shown = show(player)
    assert shown.page.locator('.wb-edge[data-look="unlocked"]').count() == 0
    player.step = 7
    shown.push()
    shown.page.wait_for_selector('.wb-edge[data-look="unlocked"]', state="attached")
    assert shown.page.locator('.wb-edge[data-look="blocking"]').count() == 2


def test_playing_stops_at_a_breakpoint(show: Show, paused: Run) -> None:
    player = widgets.player(paused, 0)
    shown = show(player)
    page = shown.page
    page.get_by_role("button", name="Ask the team lead, human-input").click()
    until(shown, lambda: player.selected == "approval")
    page.get_by_role("button", name="Stop before").click()
    until(shown, lambda: player.stops == [9])
    page.get_by_label("Speed").select_option("as fast as it goes")
    page.get_by_role("button", name="Play").click()
    until(shown, lambda: player.step == 9 and not player.playing)
    page.keyboard.press("Escape")
    assert page.locator(".wb-broken").count() == 1


def test_a_form_is_sent(show: Show, paused: Run) -> None:
    form = widgets.form(paused.pause)
    shown = show(form)
    shown.page.get_by_label("note").fill("sure")
    shown.page.get_by_role("button", name="Approve").click()
    until(shown, lambda: form.status == "done", 60)
    shown.page.get_by_text("succeeded").first.wait_for()
    assert paused.id in shown.page.locator(".wb-panel").last.inner_text()


def test_a_value_is_edited_undone_and_kept(show: Show, paused: Run) -> None:
    editor = widgets.editor(paused.pause)
    shown = show(editor)
    page = shown.page
    page.get_by_label("Search").fill("start.amount")
    page.locator("[role=treeitem]", has_text="start.amount").first.click()
    page.locator(".wb-entry").fill("300")
    page.locator(".wb-verdict .wb-after").wait_for()
    page.get_by_role("button", name="Apply").click()
    until(shown, lambda: editor.edits == 1)
    page.get_by_role("button", name="Undo").click()
    until(shown, lambda: editor.edits == 0)
    page.get_by_role("button", name="Redo").click()
    until(shown, lambda: editor.edits == 1)
    page.get_by_role("button", name="Keep as a new file").click()
    until(shown, lambda: bool(editor.file_id))
    page.get_by_text(f"Kept as {editor.file_id}").wait_for()


def test_the_next_difference(show: Show, paused: Run) -> None:
    compare = widgets.compare(paused.at(3).diff(paused.at(9)))
    shown = show(compare)
    shown.page.get_by_role("button", name="Next difference").click()
    until(shown, lambda: compare.selected == compare.differing[0])
    shown.page.locator("tr[aria-selected=true]").wait_for()
    assert "difference 1 of" in shown.page.locator(".wb-tools").inner_text()


def test_runs_are_found_and_come_live(show: Show, paused: Run, wb: Workbench) -> None:
    browser = widgets.browse(wb)
    shown = show(browser)
    row = shown.page.locator("tbody tr")
    row.first.wait_for()
    assert row.count() == 1
    wb.run(wb.example(), "another one", kernel="graphon-0.8")
    until(shown, lambda: row.count() == 2)
    shown.page.get_by_label("Search runs").fill("another")
    until(shown, lambda: row.count() == 1)
    row.first.click()
    until(shown, lambda: browser.run is not None and browser.run.query == "another one")
    browser.close()


def test_findings_explain_themselves(show: Show, paused: Run) -> None:
    shown = show(widgets.findings(paused.why(dify="1.15")))
    shown.page.get_by_role("button", name="Help about gate-state-missing").click()
    shown.page.locator(".wb-help").wait_for()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [{}, {"dark": True, "size": SMALL}], ids=["large", "small-dark"])
def test_hostile_texts_appear_as_text(kind: str, how: dict[str, Any], show: Show, hostile: Run) -> None:
    widget = made(kind, hostile)
    shown = show(widget, **how)
    page = shown.page
    page.wait_for_timeout(150)
    if kind == "editor":
        page.get_by_label("Search").fill("script")
        page.locator("[role=treeitem]", has_text="<script>").first.click()
    page.wait_for_timeout(100)
    assert page.locator(".wb script, .wb img, .wb a, .wb iframe").count() == 0
    assert page.evaluate("document.scripts.length") == 0
    told = page.locator(".wb").inner_text()
    assert "<img src=x onerror=alert(2)>" in told or kind == "compare", told
    assert "\x1b" not in told
    assert "\u202e" not in told
    # Nothing runs out of its place: what is wide scrolls inside.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    widget.close()


def test_the_keyboard_reaches_everything_and_the_focus_is_seen(show: Show, paused: Run) -> None:
    shown = show(widgets.player(paused))
    page = shown.page
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, [role=button]")]
          .filter((each) => !each.getAttribute("aria-label") && !each.textContent.trim())
          .filter((each) => !each.labels?.length)
          .map((each) => each.outerHTML)"""
    )
    assert unnamed == []
