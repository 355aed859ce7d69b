"""The two limits of every caller (dify-memory.md, 2)."""

from __future__ import annotations

import pytest

from workbench.core.memory.settings import CALLERS, Caller, Settings, budget, row_limit, rows_read
from workbench.core.tokens import counter

OWN = (("system", "You choose."), ("user", "Which?"))


@pytest.mark.parametrize(
    ("context", "max_tokens", "limit"),
    [(4096, 512, 3584), (1000, 4000, 0), (None, 512, 2000), (4096, 0, 4096)],
)
def test_the_llm_takes_context_minus_reply(context: int | None, max_tokens: int, limit: int) -> None:
    assert budget(Settings(context=context, max_tokens=max_tokens)).limit == limit


@pytest.mark.parametrize("caller", CALLERS)
def test_what_an_empty_list_and_the_own_prompt_take(caller: Caller) -> None:
    rule = counter("openai-compatible")
    own = rule.total(OWN)
    expected = {
        "llm": 8000 - 1000 - 3,
        "llm-completion": 8000 - 1000 - 3,
        "classifier": 8000 - 1000 - own,
        "extractor": 8000 - 1000 - own - 1000,
        "agent-v1": 2000,
        "chat": 8000 - 1000 - own,
    }
    found = budget(Settings(caller=caller, context=8000, max_tokens=1000, counter=rule, own=OWN))
    assert found.limit == expected[caller]


@pytest.mark.parametrize("caller", CALLERS)
def test_who_heeds_the_switch_of_the_window(caller: Caller) -> None:
    limit = row_limit(Settings(caller=caller, window_enabled=False, window_size=7))
    assert limit == (7 if caller in ("classifier", "extractor", "agent-v1") else None)


@pytest.mark.parametrize(("size", "rows"), [(None, 500), (9999, 500), (10, 10), (0, 500), (-3, 500)])
def test_never_more_than_500_rows(size: int | None, rows: int) -> None:
    assert rows_read(Settings(window_enabled=True, window_size=size)) == rows
