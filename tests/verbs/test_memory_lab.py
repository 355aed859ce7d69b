"""The memory lab's state: settings are moved, nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.verbs.context import make_context
from workbench.verbs.memory_lab import Lab, open_lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    path = tmp_path / "chat.jsonl"
    rows = [
        {
            "id": f"m{n}",
            "parent_message_id": f"m{n - 1}" if n else None,
            "created_at": n + 1,
            "query": f"q{n}",
        }
        | {"answer": f"a{n} " * 9, "answer_tokens": 9}
        for n in range(6)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return open_lab(make_context(tmp_path / "store.duckdb"), path)


def test_moving_a_setting_gives_another_lab(lab: Lab) -> None:
    narrow = lab.changed(window=2, counter="openai-compatible")
    assert [row.count("kept") for row in lab.matrix] == [0, 1, 2, 3, 4, 5]
    assert [row.count("kept") for row in narrow.matrix] == [0, 1, 1, 1, 1, 1]
    assert len(narrow.changed(turn=3).remembered.messages) == 2
    assert lab.wishes.window is None


def test_turns_are_counted_once_for_all_labs_of_a_conversation(lab: Lab) -> None:
    assert lab.turns is lab.changed(window=3, budget=50).turns
    assert lab.turns is not lab.changed(counter="chars").turns


def test_the_smallest_settings_for_a_text(lab: Lab) -> None:
    found = lab.changed(counter="openai-compatible").keeping("q1").smallest
    assert found is not None
    assert found.window == 5
    assert lab.smallest is None
    assert lab.keeping("nowhere").smallest is None


def test_a_wrong_name_is_refused_at_once(lab: Lab) -> None:
    with pytest.raises(UsageError):
        lab.changed(counter="gpt9")
