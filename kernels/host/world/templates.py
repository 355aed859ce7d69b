"""Jinja2 for templates, prompts and classes: as Dify renders them, but sandboxed and bounded.

A template comes from a stranger's app. The sandbox keeps it from Python's internals; loops and growing
strings are stopped by time and size, since no thread can be killed from outside.
"""

from __future__ import annotations

import functools
import re
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import jinja2
import jinja2.sandbox
from graphon.template_rendering import Jinja2TemplateRenderer, TemplateRenderError

from .waiting import Waiter

MOST_SECONDS = 10.0
MOST_BYTES = 512 * 1024 * 1024
MOST_BITS = 100_000
MOST_CHARACTERS = 1_000_000
"""graphon's template node allows 400,000 characters of output; a prompt may be longer."""


class _Bounded(jinja2.sandbox.SandboxedEnvironment):
    """Refuses products, powers and widths that would fill the memory or take for ever."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "*":
            _check_product(left, right)
        elif operator == "**":
            if _bits(left) * (abs(right) if isinstance(right, int) else 1) > MOST_BITS:
                raise TemplateRenderError("A power in the template is too large.")
        elif isinstance(left, str):
            _check_widths(_numbers_in(left))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        name = getattr(called, "__name__", "")
        if name in ("ljust", "rjust", "center", "zfill", "expandtabs"):
            _check_widths(_integers(args, kwargs))
        if name in ("format", "format_map"):  # jinja2 hands out its own wrapper of them
            owner = getattr(getattr(called, "__wrapped__", called), "__self__", "")
            _check_widths([*_numbers_in(str(owner)), *_integers(args, kwargs)])
        return super().call(context, called, *args, **kwargs)


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _check_product(left: Any, right: Any) -> None:
    for sized, count in ((left, right), (right, left)):
        too_long = isinstance(sized, str | list | tuple) and isinstance(count, int)
        if too_long and len(sized) * count > MOST_CHARACTERS:
            raise TemplateRenderError(f"A product in the template is longer than {MOST_CHARACTERS} items.")
    if _bits(left) + _bits(right) > MOST_BITS:
        raise TemplateRenderError("A product in the template is too large.")


def _check_widths(numbers: list[int]) -> None:
    if any(number > MOST_CHARACTERS for number in numbers):
        raise TemplateRenderError("A width in the template is too large.")


def _integers(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[int]:
    return [a for a in (*args, *kwargs.values()) if isinstance(a, int)]


def _numbers_in(text: str) -> list[int]:
    """Numbers written in a format text; the last digits of very long ones are enough."""
    return [int(digits[-20:]) for digits in re.findall(r"\d+", text[:MOST_CHARACTERS])]


@functools.cache
def _environment() -> _Bounded:
    environment = _Bounded()
    for name in ("center", "indent", "wordwrap", "format"):
        environment.filters[name] = _narrow(environment.filters[name])
    return environment


def _narrow(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose numbers must be small: `"x"|center(10**9)` would take a gigabyte."""

    def narrowed(*args: Any, **kwargs: Any) -> Any:
        texts = [a for a in args[:1] if isinstance(a, str) and function.__name__ == "do_format"]
        _check_widths([*_integers(args, kwargs), *(n for text in texts for n in _numbers_in(text))])
        return function(*args, **kwargs)

    # jinja2 marks filters that want its environment or context by attributes of the function.
    narrowed.__dict__.update(function.__dict__)
    return narrowed


@functools.lru_cache(maxsize=256)
def _compiled(template: str) -> jinja2.Template:
    """Rounds of a loop render the same text again and again."""
    return _environment().from_string(template)


class _MemoryCap:
    """While a template renders, the process may grow by so much; Python then raises MemoryError (Linux
    only)."""

    def __init__(self, growth: int) -> None:
        self._growth, self._lock, self._users = growth, threading.Lock(), 0
        self._before: tuple[int, int] | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            try:
                pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            except (OSError, ValueError, IndexError):
                return
            soft = pages * resource.getpagesize() + self._growth
            now, hard = resource.getrlimit(resource.RLIMIT_AS)
            if now == resource.RLIM_INFINITY or soft < now:
                self._before = now, hard
                resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._before is not None:
                resource.setrlimit(resource.RLIMIT_AS, self._before)
                self._before = None


_memory = _MemoryCap(MOST_BYTES)


class BoundedJinja(Jinja2TemplateRenderer):
    """Renders with Dify's leniency (an undefined variable is empty text)."""

    def __init__(self, waiter: Waiter, fail: Callable[[], None] | None = None) -> None:
        self._waiter, self._fail = waiter, fail

    def render_template(self, template: str, variables: Mapping[str, Any]) -> str:
        if self._fail is not None:
            self._fail()
        if len(template) > MOST_CHARACTERS:
            raise TemplateRenderError(f"The template is longer than {MOST_CHARACTERS} characters.")
        try:
            with _memory:
                return _within_bounds(_compiled(template), dict(variables), self._waiter)
        except TemplateRenderError:
            raise
        except (
            jinja2.TemplateError,
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ) as error:
            raise TemplateRenderError(_told(error)) from error
        except (RecursionError, MemoryError) as error:
            raise TemplateRenderError(f"The template asks for too much ({type(error).__name__}).") from error


def _told(error: Exception) -> str:
    line = getattr(error, "lineno", None)
    place = f" (line {line} of the template)" if line else ""
    return f"{error}{place}"


def _within_bounds(template: jinja2.Template, variables: dict[str, Any], waiter: Waiter) -> str:
    """Render piece by piece; a trace on the template's own frames sees loops that print nothing, too."""
    deadline = time.monotonic() + MOST_SECONDS
    file_name = template.filename or "<template>"

    def on_line(frame: FrameType, event: str, argument: Any) -> Any:
        if time.monotonic() > deadline:
            raise TemplateRenderError(f"The template ran longer than {MOST_SECONDS:.0f} seconds.")
        waiter.check()
        return on_line

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        return on_line if frame.f_code.co_filename == file_name else None

    pieces, length, before = [], 0, sys.gettrace()
    sys.settrace(on_call)
    try:
        for piece in template.generate(**variables):
            pieces.append(piece)
            length += len(piece)
            if length > MOST_CHARACTERS:
                raise TemplateRenderError(
                    f"The template's output is longer than {MOST_CHARACTERS} characters."
                )
    finally:
        sys.settrace(before)
    return "".join(pieces)
