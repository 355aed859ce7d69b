"""Runtime snapshot 3.0: Dify after 1.17, graphon 0.8. Version 2.0 with the DSL's own edge ids, root scope
only (a frame keeps its own), and container runs of the kind `custom`.
"""

from __future__ import annotations

from workbench.records.runtime_state_v2 import read

__all__ = ["read"]
