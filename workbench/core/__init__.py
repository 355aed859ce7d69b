"""The shared engine core: pure functions over records. No I/O, no graphon, no user interface."""
