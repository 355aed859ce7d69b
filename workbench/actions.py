"""Every verb of the workbench, once: its name, its key in the TUI, its one-line help, and where its code is.

The code is named as text and imported when it runs, so that `workbench --help` and the first paint of the
TUI load nothing that they do not show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Action:
    """One verb.

    Attributes:
        name: the verb on the command line, and the action's id in the front ends.
        key: its key in the TUI; "" when the TUI has none for it.
        help: one line, in the words of a user.
        verb: "module:function" of the plain function that does it.
        command: "module:object" of its click command.
        hidden: left out of `--help`.
    """

    name: str
    key: str
    help: str
    verb: str
    command: str
    hidden: bool = False

    def load_verb(self) -> Callable[..., Any]:
        """Import the verb's module and return its function."""
        function: Callable[..., Any] = load(self.verb)
        return function

    def load_command(self) -> Any:
        """Import the command's module and return its click command."""
        return load(self.command)


def load(name: str) -> Any:
    """The object that "module:name" names."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def _action(name: str, key: str, text: str, verb: str, *, module: str = "", hidden: bool = False) -> Action:
    command = f"workbench.cli.commands.{module or name}:command"
    return Action(name, key, text, f"workbench.verbs.{verb}", command, hidden)


ACTIONS: tuple[Action, ...] = (
    _action("open", "o", "Import files, then show them in the TUI.", "importing:import_files"),
    _action(
        "import",
        "i",
        "Recognise files by their content and store them.",
        "importing:import_files",
        module="importing",
    ),
    _action("export", "x", "Write a saved state or an imported file, byte for byte.", "exporting:export"),
    _action("run", "r", "Run an app on the real engine, until it ends or pauses.", "run:run"),
    _action(
        "resume", "c", "Continue a paused run, or fork a pause that was continued before.", "resume:resume"
    ),
    _action("runs", "l", "List the runs; filter by status, search in them.", "runs:runs"),
    _action("show", "s", "Show a run at a step: gate, node and edge states, variables, text.", "show:show"),
    _action("why", "w", "Say why an Answer is silent, repeated or late.", "why:why"),
    _action("check", "k", "Check an app before it runs: what would go silent, and where.", "check:check"),
    _action("fork", "f", "Go on from any step of a run, as a new run.", "fork:fork"),
    _action("diff", "d", "Compare two runs, steps, saved states or apps.", "diff:compare"),
    _action("edit", "", "Change a saved pause safely; the original stays.", "edit:edit"),
    _action("heal", "h", "Rebuild a lost or stale gate, and write the pause for Dify.", "heal:heal"),
    _action("replay", "", "Play a recorded stream again on the real engine, and compare.", "replay:replay"),
    _action("memory", "", "See what a node remembers of a conversation, and tune it.", "memory:memory"),
    _action("kernels", "", "List, install and remove engine kernels.", "kernels:list_kernels"),
    _action("lab", "", "Open the lessons in JupyterLab.", "lessons:lessons"),
    _action("start", "", "The bundled example, told from pause to resume.", "story:tell", hidden=True),
)

BY_NAME = {action.name: action for action in ACTIONS}
