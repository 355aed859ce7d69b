"""The DuckDB store: apps, runs, events, pauses and files, shared by several processes through short leases."""
