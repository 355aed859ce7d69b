"""The debugger's keys: one table, by what they are for."""

from __future__ import annotations

from textual.binding import Binding, BindingType

TABS = ("stream", "variables", "events", "findings", "node", "resume")


def _key(keys: str, action: str, words: str, name: str, shown: str = "", *, footer: bool = False) -> Binding:
    """A binding that a settings file can change by its name."""
    return Binding(keys, action, words, key_display=shown or None, show=footer, id=f"debug.{name}")


MOVING = (
    _key("n,full_stop", "step(1)", "Next", "next", "n", footer=True),
    _key("p,comma", "step(-1)", "Back", "back", "p", footer=True),
    _key("o", "over(1)", "Step over", "over"),
    _key("O", "over(-1)", "Step over, back", "over_back"),
    _key("N", "node(1)", "Next node", "next_node"),
    _key("P", "node(-1)", "Node before", "node_before"),
    _key("right_square_bracket", "gate(1)", "Gate", "next_gate", "]", footer=True),
    _key("left_square_bracket", "gate(-1)", "Gate before", "gate_before", "["),
    _key("right_curly_bracket", "pause(1)", "Pause", "next_pause", "}", footer=True),
    _key("left_curly_bracket", "pause(-1)", "Pause before", "pause_before", "{"),
    _key("g", "go(0)", "Start", "start"),
    _key("G,dollar_sign", "go(-1)", "End", "end"),
    _key("c", "run_on(1)", "Continue", "continue"),
    _key("C", "run_on(-1)", "Continue back", "continue_back"),
)
STOPPING = (
    _key("b", "breakpoint", "Breakpoint", "breakpoint"),
    _key("v", "break_variable", "Break on this variable", "break_variable"),
    _key("B", "breakpoints", "All breakpoints", "breakpoints"),
)
LIVE = (
    _key("space", "live", "Follow live", "live"),
    _key("i", "hold", "Pause the engine", "hold"),
    _key("X", "stop", "Stop the run", "stop"),
    _key("R", "run_again", "Run again", "run_again"),
)
WAYS = (
    _key("e", "edit", "Edit pause", "edit"),
    _key("F", "fork", "Fork here", "fork"),
    _key("m", "heal", "Heal", "heal"),
    _key("d", "compare", "Compare with", "compare"),
    _key("T", "lineage", "Lineage", "lineage"),
    _key("U", "memory", "Memory", "memory"),
)
PANELS = (
    *(_key(str(at), f"tab('{tab}')", tab.capitalize(), tab) for at, tab in enumerate(TABS, 1)),
    _key("w", "tab('findings')", "Why", "why", footer=True),
    _key("r", "tab('resume')", "Resume", "to_form", footer=True),
    _key("z", "maximise", "Maximise", "maximise"),
    _key("greater_than_sign", "resize('gate', 5)", "Gate wider", "wider", ">"),
    _key("less_than_sign", "resize('gate', -5)", "Gate narrower", "narrower", "<"),
    _key("right_parenthesis", "resize('graph', 5)", "Graph taller", "taller", ")"),
    _key("left_parenthesis", "resize('graph', -5)", "Graph lower", "lower", "("),
    _key("x", "hide", "Hide panel", "hide"),
    _key("A", "show_all", "Show all panels", "show_all"),
)
BINDINGS: tuple[BindingType, ...] = (
    *MOVING,
    *STOPPING,
    *WAYS,
    *PANELS,
    *LIVE,
    _key("q,escape", "leave", "Runs", "leave", "q", footer=True),
)

HELP = """
One run, step by step. A step is one event of the engine; graph,
gate, text and variables are those of that step.

n p          one step on, back        N P   to a start or end of a node
o O          over a node: to the end of this one, with all that is inside it
] [          to a change of the gate  } {   to a pause or end
c C          on, back, to the next breakpoint
b            breakpoint on the selected node: before it, after it, none
v            breakpoint on the variable under the cursor
B            list breakpoints, switch them on and off; add one on the gate
space        follow a live run or stand still
i            have the engine pause before the next node

e            edit the pause           F     fork from this step
m            heal the pause           d     compare with another run
T            family tree of forks
"""
