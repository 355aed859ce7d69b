"""What is streamed for a value, and how selectors find one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.gate_cases import DOCUMENT, FILE
from workbench.core.pool import Pool

UPLOADED = {
    **FILE,
    "transfer_method": "local_file",
    "remote_url": None,
    "reference": "f-1",
    "type": "document",
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", "a\nb"),
        (None, ""),
        (True, "True"),
        (1.0, "1.0"),
        ([], ""),
        (["x", 1], "- x\n- 1"),
        ({"a": "é"}, '{\n  "a": "é"\n}'),
        (FILE, "![a.png](https://example.test/a.png)"),
        (DOCUMENT, "[https://example.test/b.pdf](https://example.test/b.pdf)"),
        (
            [FILE, DOCUMENT],
            "![a.png](https://example.test/a.png)\n[https://example.test/b.pdf](https://example.test/b.pdf)",
        ),
        (UPLOADED, "[a.png](https://files.example/f-1)"),
    ],
)
def test_markdown(value: Any, text: str) -> None:
    assert Pool({"n": {"v": value}}).markdown(("n", "v")) == text


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (("n",), None),
        (("n", "gone"), None),
        (("gone", "v"), None),
        (("n", "o", "a", "b"), "1"),
        (("n", "o", "none"), ""),
        (("n", "o", "none", "deeper"), None),
        (("n", "l", "0"), None),
        (("n", "f", "name"), "a.png"),
        (("n", "f", "url"), "https://example.test/a.png"),
        (("n", "f", "size"), "3"),
        (("n", "f", "related_id"), ""),
        (("n", "f", "nonsense"), None),
        (("n", "o", "file", "name"), None),
    ],
)
def test_selectors(selector: tuple[str, ...], text: str | None) -> None:
    pool = Pool({"n": {"o": {"a": {"b": 1}, "none": None, "file": FILE}, "l": ["x"], "f": FILE}})
    assert pool.markdown(selector) == text


def test_a_stored_reference_names_its_record() -> None:
    reference = "dify-file-ref:eyJyZWNvcmRfaWQiOiAicjEifQ=="
    assert Pool({"n": {"f": {**FILE, "reference": reference}}}).markdown(("n", "f", "related_id")) == "r1"
    broken = "dify-file-ref:!!"
    assert Pool({"n": {"f": {**FILE, "reference": broken}}}).markdown(("n", "f", "related_id")) == broken
