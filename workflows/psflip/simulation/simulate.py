"""psflip.simulate: parallel tempering of arrays of couplings, with time series as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field as member
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psflip.campaign.errors import StudyError, nearest
from psflip.plan.plan_text import amount
from psflip.simulation.batch import MAX_SWEEPS, SEED, SWEEPS_PER_SWAP, Int8, Keys, Setup, whole

if TYPE_CHECKING:
    from psflip._native import Lattices

Array = NDArray[np.float64]
SUMS_BYTES = 1 << 26  # of the sums between two copies to NumPy
SUMS = 32  # at least as many sums as a measurement has
MAX_BINS = 256
PER_SITE = {"magnetisations": "magnetisation", "overlaps": "overlap"}  # arrays of Run, and their sums


@dataclass(frozen=True, repr=False)
class Run:
    """The result of `psflip.simulate`. N is the number of sites. Arrays of measurements begin with the axis measurement; `times` numbers it."""

    temperatures: Array
    """Temperatures in units of J/k_B, ascending."""
    times: NDArray[np.int64]
    """Completed sweeps since the random start at each measurement."""
    energies: Array
    """Energies E = -sum J_ij s_i s_j - h sum s_i of whole lattices in units of J: (measurement, replica, temperature, realization)."""
    magnetisations: Array
    """Magnetisations m = sum s_i / N: (measurement, replica, temperature, realization)."""
    overlaps: Array
    """Overlaps q = sum s_i^a s_i^b / N: (measurement, pair, temperature, realization). Empty for one replica, for the updates of clusters, and with keys={"model.kind": "ferromagnet"}."""
    spins: Int8
    """Spins +1 and -1 at the end: (replica, temperature, realization, [z,] y, x)."""
    exchange_rates: Array
    """Accepted fraction of the exchanges of neighbouring temperatures: (pair of temperatures, realization); nan if none was tried."""
    completed: int
    """Completed sweeps since the random start."""
    backend: str
    """Backend, device and kernel."""
    records: dict[str, NDArray[np.int64] | Array] = member(default_factory=dict)
    """The sums that `record` names: (measurement, component, temperature, realization)."""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The two replicas of each pair, in the order of `overlaps`."""
        return list(combinations(range(len(self.spins)), 2))

    def __repr__(self) -> str:
        replicas, temperatures, realizations, *sides = self.spins.shape
        span = f"{self.temperatures[0]:g} to {self.temperatures[-1]:g}" if temperatures > 1 else f"{self.temperatures[0]:g}"
        return (
            f"<psflip.Run: {len(sides)}D, L = {sides[0]}, realizations: {realizations}, replicas: {replicas}, T = {span} ({temperatures}), "
            f"measurements: {len(self.times)}, completed sweeps: {self.completed}, {self.backend}>"
        )


def simulate(
    couplings: ArrayLike,
    temperatures: ArrayLike,
    sweeps: int,
    *,
    replicas: int = 2,
    thermalize: int | None = None,
    measure_every: int | None = None,
    sweeps_per_swap: int = SWEEPS_PER_SWAP,
    field: float = 0.0,
    update: str = "metropolis",
    share: int = 1,
    lanes: str | None = None,
    seed: int = SEED,
    first_realization: int = 0,
    start: Run | Int8 | None = None,
    record: str | Sequence[str] = (),
    keys: Keys | None = None,
    backend: str = "auto",
    threads: int = 0,
    device: int = 0,
) -> Run:
    """Simulates Ising spins with the given couplings by parallel tempering, and returns a `psflip.Run` with energies, overlaps, magnetisations and spins.

    Example: `psflip.simulate(numpy.random.default_rng(7).choice([-1, 1], size=(128, 3, 8, 8, 8)), [0.9, 1.0, 1.1, 1.25, 1.4], sweeps=10000)`.
    The spins are equal, bit for bit, to the spins of the programs with the same couplings, seed and keys.
    `couplings`: an array (direction, [z,] y, x), or (realization, direction, [z,] y, x), as for `psflip.couplings`. Values are +1, -1, or 0 if a bond is
    absent; other floating-point numbers, from -8 to 8, are real couplings. L is even, and at least 4.
    `temperatures`: 1 to 64 numbers in units of J/k_B, ascending.
    `sweeps`: measured sweeps. `thermalize`: sweeps before the first measurement; as many as `sweeps` by default, or 0 with `start`.
    `measure_every`: sweeps between two measurements; `sweeps_per_swap` by default. `sweeps_per_swap`: sweeps between two exchanges of temperatures.
    `replicas`: copies of each realization, 1 to 8. Overlaps need 2 or more; in a field they need 4 or more, and 2 and 3 are refused.
    `field`: external field h in units of J. `update`: `metropolis`, `heat-bath`, `demon`, or, for couplings without -1, `swendsen-wang` or `wolff`.
    `share`: realizations that share random numbers. 32, 64 and 128 are faster than 1, and need realizations with different couplings of both signs.
    `lanes`: `replicas` or `realizations`; by default the faster choice, which depends on the number of realizations.
    `seed`: of all random numbers. `first_realization`: number of the first realization, as in a disorder file.
    `start`: a Run that is continued, as if it had not stopped; or spins (replica, temperature, realization, [z,] y, x). By default spins are random.
    `record`: one or several names of further sums, such as "link" or "kmin_x", for `Run.records`; docs/files.md explains them.
    `keys`: further keys of the study file, such as {"dynamics.houdayer_every": 10}.
    `backend`: `auto` takes a GPU if one works, `cpu` or `cuda`. `threads`: CPU threads, 0 for all cores. `device`: number of the GPU.
    Ctrl-C ends the simulation with KeyboardInterrupt. Raises StudyError for wrong arguments, and, before the first sweep, if memory or the GPU does not suffice."""
    setup = Setup(
        couplings, temperatures, replicas=replicas, sweeps_per_swap=sweeps_per_swap, field=field, update=update, share=share, lanes=lanes, seed=seed,
        first_realization=first_realization, keys=keys, backend=backend, threads=threads, device=device,
    )  # fmt: skip
    begin = start.completed if isinstance(start, Run) else 0
    room = MAX_SWEEPS - begin
    measured = whole("sweeps", sweeps, 0, room)
    before = (0 if start is not None else measured) if thermalize is None else whole("thermalize", thermalize, 0, room - measured)
    step = setup.sweeps_per_swap if measure_every is None else whole("measure_every", measure_every, 1, MAX_SWEEPS)
    try:
        record = (record,) if isinstance(record, str) else tuple(record)
    except TypeError:
        raise StudyError(f"record = {record!r}: a name or a list of names of sums is needed") from None
    count = measured // step
    lattices_of_sum = max(setup.replicas, setup.replicas * (setup.replicas - 1) // 2) * len(setup.temperatures) * setup.realizations
    bins = max(1, min(MAX_BINS, count, SUMS_BYTES // (8 * SUMS * lattices_of_sum)))
    found = setup.lattices(before + measured, bins)
    if wrong := next((name for name in record if name not in found.names), None):
        hint = f"; {near}" if (near := nearest(str(wrong), found.names)) else ""
        raise StudyError(f"record = {wrong!r}: this simulation measures {', '.join(found.names)}{hint}")
    spins = None if start is None else setup.words(setup.check_spins("start", start.spins if isinstance(start, Run) else start))
    series = time_series(setup, found, count, step, record)
    found.start(spins, begin)
    found.advance(begin + before)
    for first in range(0, count, bins):
        now = min(bins, count - first)
        for number in range(now):
            found.advance(begin + before + (first + number + 1) * step)
            found.measure(number)
        found.collect()
        for name, array in series.items():
            array[first : first + now] = collected(setup, found, name)[:now]
    end = begin + before + measured
    found.advance(end)
    attempted = found.attempted()[:, np.newaxis].astype(float)
    with np.errstate(invalid="ignore"):
        rates = found.accepted().sum(axis=1).T / (attempted * setup.replicas)
    return Run(
        temperatures=setup.temperatures,
        times=begin + before + step * np.arange(1, count + 1),
        energies=series["energies"],
        magnetisations=series["magnetisations"],
        overlaps=series["overlaps"],
        spins=setup.spins(found.spins()),
        exchange_rates=np.ascontiguousarray(rates),
        completed=end,
        backend=found.description,
        records={name: series[name] for name in record},
    )


def collected(setup: Setup, found: Lattices, name: str) -> NDArray[Any]:
    """Returns the collected measurements of a time series: an array of Run, or a sum that `record` names."""
    if name == "energies":
        return setup.energies(found)
    if name not in PER_SITE:
        return found.sums(name)
    shape = (1, 0, len(setup.temperatures), setup.realizations)  # of overlaps, if none are measured
    return found.sums(PER_SITE[name]) / setup.sites if PER_SITE[name] in found.names else np.empty(shape)


def time_series(setup: Setup, found: Lattices, count: int, step: int, record: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Returns arrays for `count` measurements. StudyError if they need more memory than this process may take."""
    found.collect()
    one = {name: collected(setup, found, name)[:1] for name in ("energies", *PER_SITE, *record)}
    needed, available = count * sum(array.nbytes for array in one.values()), found.available_bytes()
    if needed > available:
        enough = step * math.ceil(2 * needed / available)
        raise StudyError(f"measure_every = {step}: {count} measurements need {amount(needed)} of memory, and {amount(available)} are available; use measure_every={enough}")
    return {name: np.empty((count, *array.shape[1:]), array.dtype) for name, array in one.items()}
