"""Two texts side by side lose nothing of either, and mark just the words that differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.textdiff import MOST_LINES, MOST_WORDS, Pair, changed_words, side_by_side

TEXTS = st.text(st.sampled_from("ab \n漢字.,é"), max_size=40)


@given(TEXTS, TEXTS)
def test_both_texts_come_out_whole(before: str, after: str) -> None:
    pairs = side_by_side(before, after)
    assert "\n".join(p.before for p in pairs if p.before is not None) == before
    assert "\n".join(p.after for p in pairs if p.after is not None) == after
    assert all(p.equal == (p.before == p.after) for p in pairs)
    assert all(p.equal for p in pairs) == (before == after)


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_the_same_on_both_sides(before: str, after: str) -> None:
    for pair in side_by_side(before, after):
        if pair.before is not None and pair.after is not None:
            assert _rest(pair.before, pair.before_spans) == _rest(pair.after, pair.after_spans)


def _rest(line: str, spans: tuple[tuple[int, int], ...]) -> str:
    kept = [c for at, c in enumerate(line) if not any(start <= at < end for start, end in spans)]
    return "".join(kept)


def test_words_are_marked_and_lines_found_again() -> None:
    pairs = side_by_side("one\nthe old word\nlast", "zero\none\nthe new word\nlast")
    assert pairs[0] == Pair(None, "zero", False)
    assert pairs[1] == Pair("one", "one", True)
    assert pairs[2].before_spans == ((4, 7),)
    assert pairs[2].after_spans == ((4, 7),)
    assert pairs[3].equal


def test_a_script_without_spaces_is_marked_by_character() -> None:
    assert changed_words("退款已批准", "退款被批准") == (((2, 3),), ((2, 3),))


def test_long_texts_are_put_side_by_side_as_they_come() -> None:
    many = MOST_LINES + 5
    before = "\n".join(f"a{i}" for i in range(many))
    after = "\n".join(f"b{i}" for i in range(many))
    pairs = side_by_side(f"same\n{before}", f"same\n{after}")
    assert len(pairs) == many + 1
    assert pairs[0].equal
    words = MOST_WORDS + 5
    spans = changed_words("x " + "a " * words, "x " + "b " * words)
    assert len(spans[0]) == 1
    assert spans[0][0][0] == 2
