"""A pause with a gate that streams what is still owed to the chat user."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.notebook import html
from workbench.notebook.words import long
from workbench.verbs.heal import HealResult
from workbench.views.healing import healed_lines

if TYPE_CHECKING:
    from workbench.notebook.base import Target
    from workbench.notebook.bench import Workbench
    from workbench.notebook.saved import Saved


@dataclass(frozen=True, repr=False)
class Healed:
    """A healed pause.

    Attributes:
        result: `workbench.verbs.heal.HealResult`; its texts are those of the pause, unmasked.
    """

    bench: Workbench = field(repr=False, compare=False)
    result: HealResult = field(repr=False)
    app: Target | None = field(default=None, repr=False, compare=False)

    @property
    def how(self) -> str:
        """ "kept" (the saved gate is right), "converted" (from Dify 1.14's place for it) or "rebuilt"."""
        return self.result.how

    @property
    def kernel(self) -> str:
        """The engine kernel whose format the gate has."""
        return self.result.kernel

    @property
    def gate(self) -> str:
        """The gate state as text."""
        return self.result.gate

    @property
    def text(self) -> str:
        """The whole `WorkflowResumptionContext` with that gate; not masked: it is meant for Dify."""
        return self.result.text

    @property
    def shown(self) -> str:
        """What counts as streamed already."""
        return self.result.shown

    @property
    def evidence(self) -> tuple[str, ...]:
        """What the gate was made from."""
        return self.result.evidence

    @property
    def doubts(self) -> tuple[str, ...]:
        """What could not be known; empty when the result must be right."""
        return self.result.doubts

    @property
    def warnings(self) -> tuple[str, ...]:
        """What stands in the way of using it."""
        return self.result.warnings

    def save(self, path: Path | str) -> Saved:
        """Write it to a file, for Dify 1.16 or later; the file holds the pause's secrets, readable.

        Raises:
            UsageError, WorkbenchError: it can't be written there.
        """
        from workbench.notebook.saved import Saved
        from workbench.verbs.writing import write_private

        write_private(Path(path), self.text.encode("utf-8", "surrogatepass"))
        return Saved(self.bench, Path(path), self.app)

    def __repr__(self) -> str:
        return "\n".join([*healed_lines(self.result, None)[:-1], "  .save(path) writes the healed pause."])

    def _repr_html_(self) -> str:
        return html.card(
            healed_lines(self.result, None)[0],
            html.facts(
                [
                    ("made from", html.items(self.evidence)),
                    ("shown already", long(self.shown) if self.shown else None),
                    ("doubts", html.items(self.doubts)),
                    ("warnings", html.items(self.warnings)),
                ]
            ),
        ).markup
