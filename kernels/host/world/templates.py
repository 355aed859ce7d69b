"""Jinja2 for templates, prompts and classes: as Dify renders them, but sandboxed and bounded.

A template comes from a stranger's app. The sandbox keeps it from Python's internals; loops and growing
strings are stopped by time and size, since no thread can be killed from outside.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import jinja2
import jinja2.sandbox
from graphon.template_rendering import Jinja2TemplateRenderer, TemplateRenderError

from .waiting import Waiter

MOST_SECONDS = 10.0
MOST_CHARACTERS = 1_000_000
"""graphon's template node allows 400,000 characters of output; a prompt may be longer."""


class _Bounded(jinja2.sandbox.SandboxedEnvironment):
    """Refuses products and powers that would fill the memory."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "*":
            for sized, count in ((left, right), (right, left)):
                too_long = isinstance(sized, str | list | tuple) and isinstance(count, int)
                if too_long and len(sized) * count > MOST_CHARACTERS:
                    raise TemplateRenderError(
                        f"A product in the template is longer than {MOST_CHARACTERS} items."
                    )
        if operator == "**" and isinstance(right, int | float) and abs(right) > 1000:
            raise TemplateRenderError("A power in the template is too large.")
        if operator == "%" and isinstance(left, str) and len(left) < MOST_CHARACTERS:
            widths = [int(w) for w in _digits(left)]
            if any(w > MOST_CHARACTERS for w in widths):
                raise TemplateRenderError("A width in the template is too large.")
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        numbers = [a for a in (*args, *kwargs.values()) if isinstance(a, int) and not isinstance(a, bool)]
        widening = getattr(called, "__name__", "") in ("ljust", "rjust", "center", "zfill", "expandtabs")
        if widening and any(n > MOST_CHARACTERS for n in numbers):
            raise TemplateRenderError("A width in the template is too large.")
        return super().call(context, called, *args, **kwargs)


def _digits(text: str) -> list[str]:
    return [part for part in "".join(c if c.isdigit() else " " for c in text).split() if len(part) < 20] or []


def _environment() -> _Bounded:
    environment = _Bounded()
    for name in ("center", "indent", "wordwrap", "format"):
        environment.filters[name] = _narrow(environment.filters[name])
    return environment


def _narrow(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose numbers must be small: `"x"|center(10**9)` would take a gigabyte."""

    def narrowed(value: Any, *args: Any, **kwargs: Any) -> Any:
        texts = [a for a in (value, *args, *kwargs.values()) if isinstance(a, str)]
        numbers = [a for a in (*args, *kwargs.values()) if isinstance(a, int)]
        numbers += [int(d) for t in texts[:1] if function.__name__ == "do_format" for d in _digits(t)]
        if any(n > MOST_CHARACTERS for n in numbers):
            raise TemplateRenderError("A width in the template is too large.")
        return function(value, *args, **kwargs)

    # jinja2 marks filters that want its environment or context by attributes of the function.
    narrowed.__dict__.update(function.__dict__)
    return narrowed


class BoundedJinja(Jinja2TemplateRenderer):
    """Renders with Dify's leniency (an undefined variable is empty text)."""

    def __init__(self, waiter: Waiter, fail: Callable[[], None] | None = None) -> None:
        self._waiter, self._fail = waiter, fail

    def render_template(self, template: str, variables: Mapping[str, Any]) -> str:
        if self._fail is not None:
            self._fail()
        try:
            compiled = _environment().from_string(template)
            return _within_bounds(compiled, dict(variables), self._waiter)
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
