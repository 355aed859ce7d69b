"""What a user can do, once each: plain functions that wire store, engine and core together, with frozen
results.

Used by the command line, the TUI and the notebooks. Nothing here prints; a `Watcher` hears what happens in
a run.
"""
