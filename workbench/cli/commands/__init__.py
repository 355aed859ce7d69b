"""One module a verb: its options, its call, and its result in words."""
