"""An app whose every text tries to become markup, and a look at HTML that tells whether one did."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import yaml

ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)>[x](javascript:alert(3))\x1b[31m\u202e"
HARMLESS = {
    "div", "span", "table", "thead", "tbody", "tr", "th", "td", "caption", "ul", "li", "code",
}  # fmt: skip
EXAMPLE = Path(__file__).resolve().parents[2] / "fixtures" / "examples" / "refund-approval" / "app.yml"


def hostile_app(folder: Path) -> Path:
    """The example with hostile titles, labels and answers."""
    app = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    app["app"]["name"] = f"name {ATTACK}"
    for node in app["workflow"]["graph"]["nodes"]:
        data = node["data"]
        data["title"] = f"{data['title']} {ATTACK}"
        if data["type"] == "answer":
            data["answer"] += ATTACK
        for action in data.get("user_actions", ()):
            action["title"] = ATTACK
    path = folder / "hostile.yml"
    path.write_text(yaml.safe_dump(app, allow_unicode=True), encoding="utf-8")
    return path


class Elements(HTMLParser):
    """Every element and attribute of some HTML, and whether it is well nested."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def assert_harmless(markup: str) -> None:
    """Only our own elements and inline styles; no control characters."""
    found = Elements(markup)
    assert found.open == []
    assert found.tags <= HARMLESS
    assert found.attributes <= {"style"}
    assert "\x1b" not in markup
    assert "\u202e" not in markup
