"""Dify's conversation memory, simulated: which rows a node sees, what is put before the model, and why not
more.

The rules are those of Dify's TokenBufferMemory and of graphon's callers (facts: dify-memory.md). Nothing here
reads files or asks a model; `workbench.core.tokens` counts.
"""
