"""Text from strangers never becomes terminal control codes, and JSON stays the same document."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.views.safe import cut, safe_json, safe_line, safe_text, width

UNSAFE = [
    "\x1b[2J\x1b[1;1H",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x7f\x08\x08",
    "\u202egnp.exe\u202c",
    "\u2066a\u2069",
    "\u200e\u200f\u061c",
    "\ufeff",
    "\U000e0041",
    "\ud800",
    "\r\rover",
    "\x00",
]
ALLOWED = {"\n", "\t"}


def obeyed(text: str) -> set[str]:
    """The characters of a text that a terminal or a text layout would obey."""
    return {
        char
        for char in text
        if (ord(char) < 0x20 and char not in ALLOWED)
        or 0x7F <= ord(char) < 0xA0
        or char in "\u061c\u200e\u200f\u2028\u2029\ufeff"
        or 0x202A <= ord(char) <= 0x202E
        or 0x2066 <= ord(char) <= 0x2069
        or 0xD800 <= ord(char) <= 0xDFFF
        or 0xE0001 <= ord(char) <= 0xE007F
    }


@pytest.mark.parametrize("text", UNSAFE)
def test_what_a_terminal_obeys_becomes_a_visible_sign(text: str) -> None:
    shown = safe_text(f"a{text}b")
    assert obeyed(shown) == set()
    assert shown.startswith("a")
    assert shown.endswith("b")
    assert len(shown) > 2


def test_ordinary_text_stays() -> None:
    for text in ("plain", "two\nlines\tand tab", "café 你好 🙂 नमस्ते", "👩‍👩‍👧", ""):
        assert safe_text(text) == text


def test_windows_line_ends_are_line_ends() -> None:
    assert safe_text("a\r\nb\rc") == "a\nb\nc"


@given(st.text(alphabet=st.characters(codec=None)))
def test_no_text_at_all_keeps_a_control_code(text: str) -> None:
    assert obeyed(safe_text(text)) == set()
    assert "\n" not in safe_line(text)


@given(st.text(alphabet=st.characters(codec=None)))
def test_json_stays_the_same_document_and_is_safe(text: str) -> None:
    document = safe_json(json.dumps({"text": text, text: 1}, ensure_ascii=False))
    assert obeyed(document) == set()
    document.encode()
    assert json.loads(document) == {"text": text, text: 1}


def test_a_line_is_cut_where_columns_end() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert cut("你好你好", 5) == "你好…"
    assert width("你好") == 4
    assert width("e\u0301") == 1


@given(st.text(), st.integers(1, 40))
def test_a_cut_line_is_never_wider(text: str, columns: int) -> None:
    assert width(cut(text, columns)) <= columns
