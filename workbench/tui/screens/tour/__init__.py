"""The examples as a guided tour."""

from workbench.tui.screens.tour.screen import TourScreen

__all__ = ["TourScreen"]
