"""Answer Workbench: run, inspect, replay and resume Dify chatflows on the real graphon engine."""

__version__ = "0.1.0"
