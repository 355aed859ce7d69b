"""Tour files: what is wrong in one is named with its step."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import BadInputError
from workbench.records.tour import read_tour

RUN = "{title: a, look: b, run: {as: one}}"


def written(folder: Path, steps: str) -> Path:
    (folder / "tour.yml").write_text(f"title: T\nabout: A\nsteps: [{steps}]\n", encoding="utf-8")
    return folder


def test_a_tour_is_read(tmp_path: Path) -> None:
    tour = read_tour(
        written(tmp_path, f"{RUN}, {{title: c, look: d, show: {{of: one, step: 3, panel: gate}}}}")
    )
    assert (tour.name, len(tour.steps)) == (tmp_path.name, 2)
    place = tour.steps[1].show
    assert place is not None
    assert (place.of, place.step, place.panel) == ("one", 3, "gate")


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ("{title: a}", "look"),
        ("{title: a, look: b, lok: c}", "step 1: unknown key 'lok'"),
        ("{title: a, look: b, show: {of: two}}", "step 1: nothing before it is named 'two'"),
        (f"{RUN}, {{title: a, look: b, compare: [one, two]}}", "step 2: nothing before it is named 'two'"),
        (f"{RUN}, {{title: a, look: b, show: {{of: one, panel: x}}}}", "step 2: 'x' is no panel"),
        (f"{RUN}, {{title: a, look: b, ask: why}}", "step 2: a question needs its answer"),
        ("{title: a, look: b, resume: {as: x, of: y, gate: fresh}}", "nothing before it is named 'y'"),
        ("7", "step 1"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, steps: str, words: str) -> None:
    with pytest.raises(BadInputError) as told:
        read_tour(written(tmp_path, steps))
    if words != "step 1":
        assert words in str(told.value.cause)
