"""What every widget of the workbench is: an anywidget whose front end asks for what it shows.

The front end sends `{"id", "ask", ...}` as a custom message and gets `{"id", "answer"}` or
`{"id", "error": {"title", "cause", "fix"}}`. An `ask` is a method marked with `@answers`. What belongs to one
step, one branch or one page goes this way and is bounded; traits hold only what the whole widget needs once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import anywidget
import traitlets

from workbench.errors import WorkbenchError
from workbench.views.safe import safe_text

STATIC = Path(__file__).parent / "static"
Method = TypeVar("Method", bound=Callable[..., Any])


def answers(ask: str) -> Callable[[Method], Method]:
    """Mark a method as the answer to a question of the front end; it gets the question's other entries."""

    def mark(method: Method) -> Method:
        method.__dict__["_answers"] = ask
        return method

    return mark


class Asked(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """A widget that answers its front end. Subclasses set `_view`, the name of their part of the module."""

    _esm = STATIC / "workbench.js"
    _css = STATIC / "workbench.css"
    _view = traitlets.Unicode("").tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self._questions = {
            method._answers: name
            for kind in reversed(type(self).__mro__)
            for name, method in vars(kind).items()
            if hasattr(method, "_answers")
        }
        self.on_msg(self._asked)

    def _asked(self, _widget: Any, content: Any, _buffers: Any) -> None:
        if isinstance(content, Mapping) and isinstance(content.get("ask"), str):
            self.send(self.answer(content))

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The message that answers a question. What goes wrong is told, never raised: nobody would see it."""
        asked = {key: value for key, value in question.items() if key not in ("id", "ask")}
        name = self._questions.get(question["ask"])
        try:
            if name is None:
                raise WorkbenchError(f"This widget knows no “{question['ask']}”.", "", "Reload the page.")
            return {"id": question.get("id"), "answer": getattr(self, name)(**asked)}
        except Exception as error:
            return {"id": question.get("id"), "error": told(error, self.hidden)}

    def hidden(self, text: str) -> str:
        """A text as it may be shown: secrets hidden."""
        return text

    def tell(self, news: str, **more: Any) -> None:
        """Send something that nobody asked for."""
        self.send({"news": news, **more})

    # what stays in a saved notebook ---------------------------------------------

    def still(self) -> str:
        """The widget as it stands, as HTML without scripts."""
        return ""

    def words(self) -> str:
        """The widget as it stands, as plain text."""
        return type(self).__name__

    def _repr_mimebundle_(self, **more: Any) -> Any:
        """The live view, and beside it a picture for readers without a kernel (GitHub, nbconvert)."""
        made = super()._repr_mimebundle_(**more)
        if made is None:
            return None
        data, metadata = made if isinstance(made, tuple) else (made, {})
        beside = {"text/plain": safe_text(self.words()), "text/html": self.still()}
        return {**data, **{kind: text for kind, text in beside.items() if text}}, metadata


def told(error: BaseException, hidden: Callable[[str], str] = str) -> dict[str, str]:
    """An error as the front end shows it."""
    if isinstance(error, WorkbenchError):
        parts = (error.title, error.cause, error.next_step)
    else:
        parts = (f"{type(error).__name__}: {error}", "", "")
    return {key: hidden(text) for key, text in zip(("title", "cause", "fix"), parts, strict=True)}
