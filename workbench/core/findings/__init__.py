"""Findings: diagnosed facts with their evidence. One module a finding or family, each with its help pages.

`diagnose` explains a run, `diagnose_saved` a saved pause (`diagnose_bare` one
without its app), `check` an app before any run. A healthy run or
pause has no finding of severity error or warning.
"""

from __future__ import annotations

from workbench.core.findings.bare import diagnose_bare
from workbench.core.findings.checking import check
from workbench.core.findings.pages import CODES, explain
from workbench.core.findings.running import diagnose
from workbench.core.findings.saved import diagnose_saved
from workbench.core.findings.unreadable import of_gate as unreadable_gate

__all__ = ["CODES", "check", "diagnose", "diagnose_bare", "diagnose_saved", "explain", "unreadable_gate"]
