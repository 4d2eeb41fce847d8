"""psflip from Python: the results of a study, and files of psflip.

    import psflip
    study = psflip.load("results/quickstart")
    study.results                      # disorder averages by (L, T), a pandas table
    study.jackknife(lambda m: (3 - m.q4 / m.q2**2) / 2)
    study.observables(8)["mean/q2"]    # of each realization, an xarray
    study.plot("xi_over_L")

The commands are those of the program `psflip`. What the rules of the workflow call lies in the folders of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psflip.analysis.couplings import write_couplings as couplings
    from psflip.analysis.files import open_file
    from psflip.analysis.results import Results, load
    from psflip.campaign.errors import StudyError

__all__ = ["Results", "StudyError", "couplings", "load", "open_file"]
_PLACES = {"Results": "analysis.results", "StudyError": "campaign.errors", "couplings": "analysis.couplings", "load": "analysis.results", "open_file": "analysis.files"}
_NAMES = {"couplings": "write_couplings"}


def __getattr__(name: str) -> object:
    """Loaded when first asked for: the workflow starts many short processes that need none of it."""
    if name not in _PLACES:
        raise AttributeError(f"psflip has no {name!r}; it has {', '.join(__all__)}")
    from importlib import import_module

    return getattr(import_module(f"psflip.{_PLACES[name]}"), _NAMES.get(name, name))
