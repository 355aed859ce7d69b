"""graphon's values as plain JSON: segments unwrapped, files as their dict, nothing that JSON lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any

from graphon.file.models import File
from graphon.variables.segments import Segment
from pydantic import BaseModel

DEPTH = 200
"""Deeper values are cut: JSON readers give up at about a thousand levels."""


def plain(value: Any, depth: int = 0) -> Any:
    """What `value` is in JSON. Never raises; what can't be JSON becomes text."""
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if depth > DEPTH:
        return "..."
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Segment):
        return plain(value.value, depth + 1)
    if isinstance(value, File):
        return value.model_dump(mode="json")
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json"), depth + 1)
    if isinstance(value, Mapping):
        return {_key(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode(errors="replace")
    return str(value)


def _key(key: Any) -> str:
    return str(key.value) if isinstance(key, Enum) else str(key)


def largest(value: Any) -> int:
    """Length of the longest text and, for the containers as a whole, of all texts together."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(largest(item) + len(key) for key, item in value.items())
    if isinstance(value, list):
        return sum(largest(item) for item in value)
    return 8
