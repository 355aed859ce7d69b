"""The themes: dark, light, and high contrast. States are told by signs too, so that no theme is needed to
read them.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="workbench-dark",
    primary="#6cb6ff",
    secondary="#b083f0",
    accent="#f69d50",
    warning="#e3b341",
    error="#ff7b72",
    success="#57ab5a",
    foreground="#d7dde5",
    background="#101418",
    surface="#161b21",
    panel="#222a33",
    dark=True,
    variables={"footer-key-foreground": "#f69d50", "panel-border": "#3d4856"},
)
LIGHT = Theme(
    name="workbench-light",
    primary="#0550ae",
    secondary="#6639ba",
    accent="#bc4c00",
    warning="#8a5a00",
    error="#b4232c",
    success="#1a6b34",
    foreground="#1f2328",
    background="#f6f8fa",
    surface="#ffffff",
    panel="#e4e9ef",
    dark=False,
    variables={"footer-key-foreground": "#bc4c00", "panel-border": "#b4bfca"},
)
CONTRAST = Theme(
    name="workbench-contrast",
    primary="#00d7ff",
    secondary="#ff87ff",
    accent="#ffaf00",
    warning="#ffff00",
    error="#ff5f5f",
    success="#00ff5f",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    dark=True,
    variables={
        "border-blurred": "#ffffff",
        "border": "#ffff00",
        "footer-key-foreground": "#ffff00",
        "panel-border": "#ffffff",
    },
)
THEMES = (DARK, LIGHT, CONTRAST)
