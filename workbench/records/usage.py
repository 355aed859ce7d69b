"""graphon's LLMUsage with nothing used (`model_runtime/entities/llm_entities.py`), as its dumps write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

NO_USAGE: Final[Mapping[str, Any]] = {
    "prompt_tokens": 0,
    "prompt_unit_price": "0.0",
    "prompt_price_unit": "0.0",
    "prompt_price": "0.0",
    "completion_tokens": 0,
    "completion_unit_price": "0.0",
    "completion_price_unit": "0.0",
    "completion_price": "0.0",
    "total_tokens": 0,
    "total_price": "0.0",
    "currency": "USD",
    "latency": 0.0,
    "time_to_first_token": None,
    "time_to_generate": None,
}
