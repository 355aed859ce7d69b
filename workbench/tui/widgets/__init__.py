"""The panels of the TUI: each paints one thing and tells by messages what the user wants."""
