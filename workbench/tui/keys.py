"""Which of the workbench's own keys work now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.screen import Screen

if TYPE_CHECKING:
    from textual.binding import ActiveBinding


def own_bindings(screen: Screen[Any]) -> list[ActiveBinding]:
    """One binding an action: the focused panel's first, then the screen's, then the app's. Ours have ids."""
    found: dict[tuple[int, str], ActiveBinding] = {}
    for active in screen.active_bindings.values():
        if active.binding.id and active.binding.description:
            found.setdefault((id(active.node), active.binding.action), active)
    return list(found.values())


def keys_of(screen: Screen[Any], active: ActiveBinding) -> str:
    """All keys of an action, as they are shown: `n .`"""
    keys: list[str] = []
    for other in screen.active_bindings.values():
        if other.node is active.node and other.binding.action == active.binding.action:
            binding = other.binding
            shown = screen.app.get_key_display(binding.with_key(binding.key, None))
            if shown not in keys:
                keys.append(shown)
    return " ".join(keys)
