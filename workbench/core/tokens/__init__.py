"""Counting tokens as Dify's model plugins do, offline.

`counter("openai-compatible")` gives a `Counter`; `NAMES` lists those that have a name of their own.
Vocabularies are read from installed packages when they are first needed, never from the network.
"""

from workbench.core.tokens.counters import NAMES, Counter, counter

__all__ = ["NAMES", "Counter", "counter"]
