"""psflip from Python: simulations of arrays, the results of a study, and files of psflip.

    import psflip
    study = psflip.load("results/quickstart")
    study.results                                                  # disorder averages by (L, T), a pandas table
    study.at(1.1)                                                  # the rows nearest to T = 1.1
    study.plot()                                                   # the Binder ratio, a curve for each size
    study.jackknife(lambda m: (3 - m.q4 / m.q2**2) / 2)            # any function of thermal means, with its error
    study.observables(8)["mean/q2"].sel(T=1.1, method="nearest")   # of each realization, an xarray
    psflip.open_file("run.h5")                                     # a file of any kind
    psflip.couplings("mine.h5", J)                                 # writes your own couplings
    psflip.simulate(J, [0.9, 1.0, 1.1], sweeps=10000)              # simulates couplings in this process; a Run with arrays
    psflip.sweep(spins, J, [0.9, 1.0, 1.1])                        # single steps on arrays of spins: sweep, exchange, energies

Temperatures have the name T in all tables and arrays. The command psflip runs studies: psflip --help lists what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psflip.analysis.couplings import write_couplings as couplings
    from psflip.analysis.files import open_file
    from psflip.analysis.relaxations import Relaxation
    from psflip.analysis.results import Results, load
    from psflip.campaign.errors import StudyError
    from psflip.simulation.in_place import energies, exchange, sweep
    from psflip.simulation.simulate import Run, simulate

    __version__: str

__all__ = ["Relaxation", "Results", "Run", "StudyError", "couplings", "energies", "exchange", "load", "open_file", "simulate", "sweep"]
_PLACES = {
    "Relaxation": ("analysis.relaxations", "Relaxation"),
    "Results": ("analysis.results", "Results"),
    "Run": ("simulation.simulate", "Run"),
    "StudyError": ("campaign.errors", "StudyError"),
    "couplings": ("analysis.couplings", "write_couplings"),
    "energies": ("simulation.in_place", "energies"),
    "exchange": ("simulation.in_place", "exchange"),
    "load": ("analysis.results", "load"),
    "open_file": ("analysis.files", "open_file"),
    "simulate": ("simulation.simulate", "simulate"),
    "sweep": ("simulation.in_place", "sweep"),
}


def __getattr__(name: str) -> object:
    """Loads what is asked for only then: the workflow starts many short processes that need none of it."""
    from importlib import import_module

    if name == "__version__":
        return import_module("psflip.installation").version()
    if name not in _PLACES:
        raise AttributeError(f"psflip has no {name!r}; it has {', '.join(__all__)}")
    module, own = _PLACES[name]
    return getattr(import_module(f"psflip.{module}"), own)


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), "__version__", *__all__})
