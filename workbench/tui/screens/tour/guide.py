"""Where the reader of a tour stands, and the strip that says what to look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, Static

from workbench.tui.text import plain
from workbench.verbs.touring import Made

if TYPE_CHECKING:
    from workbench.records.tour import Tour, TourStep
    from workbench.tui.app import WorkbenchApp


@dataclass
class Guide:
    """A reader's place in a tour.

    Attributes:
        made: the runs and resumes so far, by their names in the tour.
        place: the last place that was shown; steps that only say something stay there.
    """

    tour: Tour
    at: int = 0
    made: dict[str, Made] = field(default_factory=dict)
    answered: set[int] = field(default_factory=set)

    @property
    def step(self) -> TourStep:
        """The step the reader is at."""
        return self.tour.steps[self.at]

    @property
    def waits(self) -> bool:
        """Whether a question waits for its answer."""
        return bool(self.step.ask) and self.at not in self.answered


class GuideStrip(Vertical):
    """What to look at and why, above the real screen."""

    HELP = """
    A step of a tour, above the screen that it is about. All keys of that screen work.

    s next, the answer first      S back      a the answer
    D on without the answer       Z leave the tour
    """
    DEFAULT_CSS = """
    GuideStrip { dock: top; height: auto; max-height: 35%; background: $panel; border-bottom: solid $accent; }
    GuideStrip #guide-top { height: 1; }
    GuideStrip #guide-name { width: 1fr; height: 1; padding: 0 1; text-style: bold; color: $text-accent; }
    GuideStrip Button { width: auto; min-width: 6; margin: 0 0 0 1; }
    GuideStrip #guide-text { height: auto; max-height: 7; padding: 0 1; }
    GuideStrip #guide-words { height: auto; }
    """

    def __init__(self, guide: Guide) -> None:
        super().__init__(id="guide")
        self.guide = guide

    def compose(self) -> ComposeResult:
        with Horizontal(id="guide-top"):
            yield Static(id="guide-name")
            yield Button("S Back", id="guide-back", compact=True)
            yield Button("a Answer", id="guide-answer", compact=True)
            yield Button("s Next", id="guide-next", compact=True, variant="primary")
            yield Button("D Skip", id="guide-skip", compact=True)
            yield Button("Z Leave", id="guide-leave", compact=True)
        with VerticalScroll(id="guide-text"):
            yield Static(id="guide-words")

    def on_mount(self) -> None:
        self.paint()

    def paint(self, working: str = "") -> None:
        """Show the step; `working` is what is being done for the next one."""
        guide, step = self.guide, self.guide.step
        count = f"{guide.at + 1}/{len(guide.tour.steps)}"
        self.query_one("#guide-name", Static).update(plain(f"{count} {step.title}", 200))
        parts = [plain(" ".join(step.look.split()), 2_000)]
        if step.ask:
            parts.append(
                Content.styled("? ", "bold $text-warning") + plain(" ".join(step.ask.split()), 1_000)
            )
            if not guide.waits:
                answer = plain(" ".join(step.answer.split()), 1_000)
                parts.append(Content.styled("→ ", "bold $text-success") + answer)
        if working:
            parts.append(Content.styled(working, "italic $text-muted"))
        self.query_one("#guide-words", Static).update(Content("\n").join(parts))
        self.query_one("#guide-answer").display = guide.waits
        self.query_one("#guide-back", Button).disabled = guide.at == 0 or bool(working)
        self.query_one("#guide-next", Button).disabled = bool(working)
        self.query_one("#guide-skip", Button).disabled = bool(working)
        self.query_one("#guide-text").scroll_home(animate=False)


class Guided(Screen[None]):
    """A real screen with the strip of a tour; the tour's keys work beside the screen's own."""

    app: WorkbenchApp
    guide: Guide
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "tour_next", "Tour: next", id="tour.next"),
        Binding("S", "tour_back", "Tour: back", show=False, id="tour.back"),
        Binding("a", "tour_answer", "Tour: answer", show=False, id="tour.answer"),
        Binding("D", "tour_skip", "Tour: skip the question", show=False, id="tour.skip"),
        Binding("Z", "tour_leave", "Leave the tour", show=False, id="tour.leave"),
    ]

    def on_mount(self) -> None:
        self.mount(GuideStrip(self.guide), before=0)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        name = (event.button.id or "").removeprefix("guide-")
        if name in ("next", "back", "answer", "skip", "leave") and event.button.id != name:
            event.stop()
            getattr(self, f"action_tour_{name}")()

    def action_tour_answer(self) -> None:
        """Show the answer of the question."""
        self.guide.answered.add(self.guide.at)
        self.query_one(GuideStrip).paint()

    def action_tour_next(self) -> None:
        """The answer where a question waits, else the next step."""
        if self.guide.waits:
            self.action_tour_answer()
        else:
            self.action_tour_skip()

    def action_tour_skip(self) -> None:
        """The next step, without the answer."""
        self._go(1)

    def action_tour_back(self) -> None:
        """The step before."""
        self._go(-1)

    def action_tour_leave(self) -> None:
        """Back to the list of tours."""
        from workbench.tui.screens.tour.going import leave

        leave(self.app, self.guide)

    def _go(self, by: int) -> None:
        from workbench.tui.screens.tour.going import go

        go(self.app, self.guide, by)
