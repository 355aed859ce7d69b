"""An app with the changes that `check` advises."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.secrets import Mask, mask_for
from workbench.notebook import html
from workbench.notebook.app import App
from workbench.verbs.fixing import FixResult
from workbench.views.fixing import fixed_lines

if TYPE_CHECKING:
    from workbench.notebook.base import Bench
    from workbench.verbs.fixing import Fix
    from workbench.verbs.proving import Proof


@dataclass(frozen=True, repr=False)
class Fixed:
    """A changed app, and what shows that it is right.

    Attributes:
        result: unmasked (`workbench.verbs.fixing.FixResult`).
    """

    bench: Bench = field(repr=False, compare=False)
    result: FixResult = field(repr=False)

    @property
    def mask(self) -> Mask:
        """What hides secrets."""
        return mask_for(self.result.environment, unmask=self.bench.unmask)

    @property
    def changed(self) -> bool:
        """Whether anything was changed."""
        return self.result.changed

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The changes: `.number`, `.words`, `.nodes` and `.edges` added, `.applied`."""
        return self.result.fixes

    @property
    def proof(self) -> Proof | None:
        """What runs of both apps on the real engine showed; None where nothing was changed or played."""
        return self.result.proof

    @cached_property
    def app(self) -> App:
        """The changed app."""
        from workbench.records.app import read_app

        return App(self.bench.bench, read_app(self.result.data, self.result.name))

    def save(self, path: Path | str) -> Path:
        """Write the changed app to a file, to import into Dify.

        Raises:
            UsageError, WorkbenchError: it can't be written there.
        """
        from workbench.verbs.writing import write_private

        write_private(Path(path), self.result.data)
        return Path(path)

    def __repr__(self) -> str:
        return "\n".join(fixed_lines(self.result, None, self.mask))

    def _repr_html_(self) -> str:
        head, *lines = fixed_lines(self.result, None, self.mask)
        return html.card(head, html.tag("div", "\n".join(lines), style="white-space:pre-wrap")).markup
