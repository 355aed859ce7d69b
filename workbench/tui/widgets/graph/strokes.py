"""Lines of box-drawing characters: which character joins which strokes, and how each look of an edge is
drawn.
"""

from __future__ import annotations

from typing import NamedTuple

from workbench.core.picture.looks import EdgeLook

NONE, LIGHT, HEAVY, DOUBLE = range(4)
UP, RIGHT, DOWN, LEFT = range(4)
Joint = tuple[int, int, int, int]
"""The weight of the stroke in each direction: up, right, down, left."""

_TABLE = (
    "0001╴ 0002╸ 0010╷ 0011┐ 0012┑ 0013╕ 0020╻ 0021┒ 0022┓ 0031╖ 0033╗ 0100╶ 0101─ 0102╾ 0110┌ "
    "0111┬ 0112┭ 0120┎ 0121┰ 0122┱ 0130╓ 0131╥ 0200╺ 0201╼ 0202━ 0210┍ 0211┮ 0212┯ 0220┏ 0221┲ "
    "0222┳ 0303═ 0310╒ 0313╤ 0330╔ 0333╦ 1000╵ 1001┘ 1002┙ 1003╛ 1010│ 1011┤ 1012┥ 1013╡ 1020╽ "
    "1021┧ 1022┪ 1100└ 1101┴ 1102┵ 1110├ 1111┼ 1112┽ 1120┟ 1121╁ 1122╅ 1200┕ 1201┶ 1202┷ 1210┝ "
    "1211┾ 1212┿ 1220┢ 1221╆ 1222╈ 1300╘ 1303╧ 1310╞ 1313╪ 2000╹ 2001┚ 2002┛ 2010╿ 2011┦ 2012┩ "
    "2020┃ 2021┨ 2022┫ 2100┖ 2101┸ 2102┹ 2110┞ 2111╀ 2112╃ 2120┠ 2121╂ 2122╉ 2200┗ 2201┺ 2202┻ "
    "2210┡ 2211╄ 2212╇ 2220┣ 2221╊ 2222╋ 3001╜ 3003╝ 3030║ 3031╢ 3033╣ 3100╙ 3101╨ 3130╟ 3131╫ "
    "3300╚ 3303╩ 3330╠ 3333╬ "
)
_JOINTS: dict[Joint, str] = {(int(e[0]), int(e[1]), int(e[2]), int(e[3])): e[4] for e in _TABLE.split()}


class Stroke(NamedTuple):
    """How an edge is drawn: weight of its joints, its straight runs, the sign in its middle, its head."""

    weight: int
    across: str
    down: str
    sign: str
    head: str


STROKES: dict[EdgeLook, Stroke] = {
    "unknown": Stroke(LIGHT, "╌", "╎", "", "▹"),
    "skipped": Stroke(LIGHT, "┈", "┊", "×", "▹"),
    "taken": Stroke(LIGHT, "─", "│", "", "▸"),
    "unlocked": Stroke(HEAVY, "━", "┃", "○", "▸"),
    "blocking": Stroke(DOUBLE, "═", "║", "■", "▹"),
    "lost": Stroke(HEAVY, "╍", "╏", "!", "▸"),
}

_SOFTER = {DOUBLE: HEAVY}


def joint(weights: Joint) -> str:
    """The character for these strokes. There is none for double with heavy: double is drawn heavy then."""
    found = _JOINTS.get(weights)
    if found is None:
        up, right, down, left = (_SOFTER.get(w, w) for w in weights)
        found = _JOINTS[up, right, down, left]
    return found
