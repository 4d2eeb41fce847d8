"""psflip.sweep, psflip.exchange and psflip.energies: single steps on arrays of spins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psflip.campaign.errors import StudyError
from psflip.simulation.batch import MAX_SWEEPS, SEED, Int8, Keys, Setup, whole


FORM = "array int8 (replica, temperature, realization, [z,] y, x) of +1 and -1 is needed"


def _setup(spins: Int8, couplings: ArrayLike, temperatures: ArrayLike, sweeps_per_swap: int = 1, **other: Any) -> Setup:
    """Returns the setup of these spins. The length of their first axis is the number of replicas."""
    setup = Setup(couplings, temperatures, replicas=spins.shape[0], sweeps_per_swap=sweeps_per_swap, **other)
    setup.check_spins("spins", spins)
    return setup


def _check_writable(spins: object) -> None:
    if not isinstance(spins, np.ndarray) or spins.ndim < 5 or not spins.flags.writeable:
        raise StudyError(f"spins: a writable {FORM}")


def sweep(
    spins: Int8,
    couplings: ArrayLike,
    temperatures: ArrayLike,
    sweeps: int = 1,
    *,
    first: int = 0,
    field: float = 0.0,
    update: str = "metropolis",
    share: int = 1,
    lanes: str | None = None,
    seed: int = SEED,
    first_realization: int = 0,
    keys: Keys | None = None,
    backend: str = "auto",
    threads: int = 0,
    device: int = 0,
) -> None:
    """Sweeps spins in place, without exchanges of temperatures.

    `spins`: a writable array int8 (replica, temperature, realization, [z,] y, x) of +1 and -1.
    `sweeps`: number of sweeps. `first`: number of the first sweep; every sweep has its own random numbers, so continue with `first + sweeps`.
    All other arguments are explained in `psflip.simulate`. Each call packs couplings and spins anew, so a call with many sweeps is faster than many calls.
    Raises StudyError for wrong arguments. After Ctrl-C, the spins are as before the call."""
    _check_writable(spins)
    setup = _setup(spins, couplings, temperatures, field=field, update=update, share=share, lanes=lanes, seed=seed, first_realization=first_realization, keys=keys,
                   backend=backend, threads=threads, device=device)  # fmt: skip
    begin, count = whole("first", first, 0, MAX_SWEEPS), whole("sweeps", sweeps, 0, MAX_SWEEPS - first)
    found = setup.lattices(count, exchange=False)
    found.start(setup.words(spins), begin)
    found.advance(begin + count)
    spins[...] = setup.spins(found.spins())


def exchange(
    spins: Int8,
    couplings: ArrayLike,
    temperatures: ArrayLike,
    completed: int,
    *,
    sweeps_per_swap: int,
    field: float = 0.0,
    share: int = 1,
    lanes: str | None = None,
    seed: int = SEED,
    first_realization: int = 0,
    keys: Keys | None = None,
    backend: str = "auto",
    threads: int = 0,
    device: int = 0,
) -> NDArray[np.bool_]:
    """Exchanges the spins of neighbouring temperatures in place, and returns which pairs were exchanged: (replica, pair of temperatures, realization).

    `spins`: a writable array int8 (replica, temperature, realization, [z,] y, x) of +1 and -1.
    `completed`: number of completed sweeps, a multiple of `sweeps_per_swap`. It selects the random numbers, and the pairs that are tried: if
    `completed / sweeps_per_swap` is even, the pairs 0, 2, ...; otherwise the pairs 1, 3, ... Pair t has the temperatures t and t + 1.
    `sweeps_per_swap`: number of sweeps between two exchanges.
    All other arguments are explained in `psflip.simulate`. Raises StudyError for wrong arguments."""
    _check_writable(spins)
    setup = _setup(spins, couplings, temperatures, sweeps_per_swap, field=field, share=share, lanes=lanes, seed=seed, first_realization=first_realization,
                   keys=keys, backend=backend, threads=threads, device=device)  # fmt: skip
    now = whole("completed", completed, 0, MAX_SWEEPS)
    if now % setup.sweeps_per_swap:
        raise StudyError(f"completed = {now}: exchanges are due at multiples of sweeps_per_swap = {setup.sweeps_per_swap}; give such a number")
    found = setup.lattices()
    found.start(setup.words(spins), now)
    found.exchange(now)
    spins[...] = setup.spins(found.spins())
    return np.ascontiguousarray(np.moveaxis(found.accepted(), 0, -1) > 0)


def energies(spins: Int8, couplings: ArrayLike, *, field: float = 0.0, backend: str = "auto", threads: int = 0, device: int = 0) -> NDArray[np.float64]:
    """Returns the energies E = -sum J_ij s_i s_j - h sum s_i of whole lattices in units of J: (replica, temperature, realization).

    `spins`: an array int8 (replica, temperature, realization, [z,] y, x) of +1 and -1. All other arguments are explained in `psflip.simulate`.
    Raises StudyError for wrong arguments."""
    if not isinstance(spins, np.ndarray) or spins.ndim < 5:
        raise StudyError(f"spins: an {FORM}")
    slots = np.arange(1.0, 1.0 + spins.shape[1])
    found = []
    for replica in range(len(spins)):  # one by one, because in a field 2 and 3 replicas are refused
        setup = _setup(spins[replica : replica + 1], couplings, slots, field=field, backend=backend, threads=threads, device=device)
        lattices = setup.lattices(bins=1)
        lattices.start(setup.words(spins[replica : replica + 1]), 0)
        lattices.measure(0)
        lattices.collect()
        found.append(setup.energies(lattices)[0])
    return np.concatenate(found)
