"""The arguments that describe a batch of lattices: checks, the study that they stand for, and the form of spins."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from psflip.analysis.couplings import checked, has_axes
from psflip.campaign.errors import StudyError, nearest
from psflip.simulation.native import lattices

if TYPE_CHECKING:
    from psflip._native import Lattices

SEED = 20261121  # default of the key `seed`
SWEEPS_PER_SWAP = 10  # default of the key `dynamics.sweeps_per_swap`
FEW = 16  # fewer realizations are faster with `multispin.lanes: replicas`
MAX_SWEEPS = 1 << 48  # the largest number of a sweep
MAX_TEMPERATURES = 64
BOUNDS = (0.01, 1000.0)  # of the key `temperatures.list`
BACKENDS = ("auto", "cpu", "cuda")
LANES = ("realizations", "replicas")
UPDATES = ("metropolis", "heat-bath", "demon", "swendsen-wang", "wolff")
CLUSTERS = ("swendsen-wang", "wolff")
WORD = 64  # realizations of a word
Int8 = NDArray[np.int8]
Keys = Mapping[str, object]

# The arguments that stand for keys. The library names the key in its messages.
ARGUMENTS = {
    "model.field": "field", "multispin.share": "share", "multispin.lanes": "lanes", "dynamics.update": "update", "dynamics.sweeps_per_swap": "sweeps_per_swap",
    "temperatures.list": "temperatures",
}  # fmt: skip


def in_arguments(message: str) -> str:
    """Returns a message of the library with the names of arguments instead of keys and options."""
    if found := re.fullmatch("--backend cuda: (.*)", message):
        return f"backend = 'cuda': {found[1]}; use backend='cpu'{', or build with CUDA' if 'built without CUDA' in message else ''}"
    message = message.removeprefix("psflip: ").replace(" (psflip)", "")
    return re.sub(rf"({'|'.join(map(re.escape, ARGUMENTS))})\b", lambda key: ARGUMENTS[key[0]], message)


def whole(name: str, value: object, low: int, high: int) -> int:
    """Returns a whole number from low to high. StudyError, which names the argument, for any other value."""
    try:
        is_exact = isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(float(value)) <= 2**53
        number = int(float(value)) if is_exact else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise StudyError(f"{name} = {value!r}: a whole number is needed") from None
    if isinstance(value, (bool, np.bool_)) or not low <= number <= high:
        raise StudyError(f"{name} = {value}: a whole number from {low} to {high} is needed")
    return number


def one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    """Returns the value. StudyError, which names the argument, if it is not known."""
    if value not in known:
        raise StudyError(f"{name} = {value!r}: one of {', '.join(known)} is needed{'; ' * bool(near := nearest(str(value), known))}{near}")
    return value


def checked_temperatures(temperatures: ArrayLike) -> NDArray[np.float64]:
    """Returns an array of 1 to 64 temperatures in ascending order. StudyError if they are none."""
    try:
        if np.asarray(temperatures).dtype.kind not in "iuf" or any(isinstance(T, (bool, np.bool_)) for T in np.ravel(np.asarray(temperatures, dtype=object))):
            raise TypeError
        T = np.array(temperatures, dtype=float, ndmin=1, order="C")
    except (TypeError, ValueError):
        raise StudyError("temperatures: a list of numbers in units of J/k_B is needed") from None
    low, high = BOUNDS
    for wrong in T[~((T >= low) & (T <= high))][:1]:
        fault = "too small" if wrong < low else "too large" if wrong > high else "not a number"
        raise StudyError(f"temperatures: {wrong} is {fault}; allowed: {low:g} to {high:g}")
    if T.ndim != 1 or not (np.diff(T) > 0).all():
        raise StudyError("temperatures: a list of different numbers in ascending order is needed, in units of J/k_B; sort it, or use numpy.unique")
    if not 0 < len(T) <= MAX_TEMPERATURES:
        raise StudyError(f"temperatures: 1 to {MAX_TEMPERATURES} numbers are needed, not {len(T)}")
    return T


def with_realizations(couplings: ArrayLike) -> NDArray[Any]:
    """Returns couplings (realization, direction, [z,] y, x) as int8 or float64. An array (direction, [z,] y, x) becomes one realization."""
    J = np.asanyarray(couplings)
    if J.ndim in (3, 4) and J.shape[0] == J.ndim - 1 and J.shape[1] > 2:
        J = J[np.newaxis]
    elif not has_axes(J.shape):
        raise StudyError(f"couplings: (2, y, x) or (3, z, y, x), with an optional first axis of realizations and equal even sides, is needed, not {J.shape}")
    return np.ascontiguousarray(checked(J))


def is_open(J: NDArray[Any]) -> bool:
    """Whether there are bonds, but none between opposite faces."""
    across = (np.take(J[:, direction], -1, axis=-1 - direction) for direction in range(J.shape[1]))
    return bool(J.any()) and not any(bonds.any() for bonds in across)


class Setup:
    """A batch: couplings, temperatures, replicas, seed and update, and the backend."""

    def __init__(
        self, couplings: ArrayLike, temperatures: ArrayLike, *, replicas: int, sweeps_per_swap: int = 1, field: float = 0.0, update: str = "metropolis", share: int = 1,
        lanes: str | None = None, seed: int = SEED, first_realization: int = 0, keys: Keys | None = None, backend: str = "auto", threads: int = 0, device: int = 0,
    ):  # fmt: skip
        self.couplings = with_realizations(couplings)
        self.temperatures = checked_temperatures(temperatures)
        self.replicas, self.seed = whole("replicas", replicas, 1, 8), whole("seed", seed, 0, 2**64 - 1)
        try:
            self.field = float(field)
        except (TypeError, ValueError):
            raise StudyError(f"field = {field!r}: a number is needed") from None
        self.sweeps_per_swap = whole("sweeps_per_swap", sweeps_per_swap, 1, 1000000)
        self.first_realization = whole("first_realization", first_realization, 0, 1 << 24)
        self.threads, self.device = whole("threads", threads, 0, 4096), whole("device", device, 0, 1023)
        self.backend = one_of("backend", backend, BACKENDS)
        self.study = json.dumps(self._study(one_of("update", update, UPDATES), whole("share", share, 1, 128), lanes, keys or {}))

    @property
    def realizations(self) -> int:
        return len(self.couplings)

    @property
    def sites(self) -> int:
        return int(self.couplings[0, 0].size)

    @property
    def spin_shape(self) -> tuple[int, ...]:
        return (self.replicas, len(self.temperatures), self.realizations, *self.couplings.shape[2:])

    def _study(self, update: str, share: int, lanes: str | None, keys: Keys) -> dict[str, Any]:
        """Returns the study file that the arguments stand for, with defaults that suit the couplings."""
        real = self.couplings.dtype == np.float64
        few = self.realizations < FEW and share == 1 and not real and update in ("metropolis", "heat-bath")
        study: dict[str, Any] = {
            "seed": self.seed,
            "model": {"dimension": self.couplings.shape[1], "field": self.field, "couplings": "gaussian" if real else "discrete"},
            "lattice": {"L": [self.couplings.shape[-1]]},
            "temperatures": {"list": self.temperatures.tolist()},
            "replicas": self.replicas,
            "multispin": {"share": share, "lanes": lanes or ("replicas" if few else "realizations")},
            "dynamics": {"sweeps_per_swap": self.sweeps_per_swap, "update": update},
            "run": {"sweeps": self.sweeps_per_swap, "measure_every": self.sweeps_per_swap, "blocks": 1, "histogram_bins": 1, "magnetisation": "always"},
        }  # fmt: skip
        if study["multispin"]["lanes"] == "sites":
            raise StudyError("lanes = 'sites': only the programs have these lanes; use 'realizations' or 'replicas'")
        one_of("lanes", study["multispin"]["lanes"], LANES)
        if update in CLUSTERS and (real or (self.couplings < 0).any()):
            raise StudyError(f"update = {update!r}: clusters need couplings without -1; use 'metropolis' or 'heat-bath'")
        for path, value in keys.items():
            section, _, name = path.partition(".")
            given = study.get(section, {})
            if not name or (isinstance(given, dict) and name in given):
                raise StudyError(f"keys: {path!r} is set by another argument or by the couplings; leave it out of keys")
            if section not in ("model", "multispin", "dynamics"):
                raise StudyError(f"keys: {path!r} has no effect here; keys of model, multispin and dynamics are possible")
            study.setdefault(section, {})[name] = value
        if update in CLUSTERS:
            study["model"].setdefault("kind", "ferromagnet")
        if not real and is_open(self.couplings):
            study["model"].setdefault("boundary", "open")
        return study

    def lattices(self, sweeps: int = 0, bins: int = 0, exchange: bool = True) -> Lattices:
        """Returns the lattices in the memory of the backend, without spins."""
        try:
            return lattices()(self.study, self.couplings, self.first_realization, sweeps, bins, exchange, self.backend, self.threads, self.device)
        except StudyError as error:
            raise StudyError(in_arguments(str(error))) from None

    def words(self, spins: Int8) -> NDArray[np.uint64]:
        """Returns spins (replica, temperature, realization, [z,] y, x) as words (replica, temperature, pack64, [z,] y, x)."""
        packs = -(-self.realizations // WORD)
        bits = np.zeros((*self.spin_shape[:2], packs * WORD, self.sites), dtype=np.uint8)
        bits[:, :, : self.realizations] = spins.reshape(*self.spin_shape[:3], self.sites) > 0
        lanes = np.moveaxis(bits.reshape(*self.spin_shape[:2], packs, WORD, self.sites), 3, 4)
        packed = np.packbits(lanes, axis=-1, bitorder="little").view("<u8").astype(np.uint64)
        return np.ascontiguousarray(packed.reshape(*self.spin_shape[:2], packs, *self.spin_shape[3:]))

    def spins(self, words: NDArray[np.uint64]) -> Int8:
        """Returns words as spins +1 and -1; the inverse of words()."""
        lanes = np.unpackbits(words.astype("<u8").reshape(*words.shape[:3], self.sites, 1).view(np.uint8), axis=-1, bitorder="little")
        bits = np.moveaxis(lanes, 4, 3).reshape(*self.spin_shape[:2], -1, self.sites)[:, :, : self.realizations]
        return np.ascontiguousarray((2 * bits.astype(np.int8) - 1).reshape(self.spin_shape))

    def check_spins(self, name: str, spins: object) -> Int8:
        """Returns an int8 array of spins. StudyError, which names the argument, if it is none of this batch."""
        if not isinstance(spins, np.ndarray) or spins.dtype != np.int8 or spins.shape != self.spin_shape:
            found = f"{spins.dtype} {spins.shape}" if isinstance(spins, np.ndarray) else type(spins).__name__
            raise StudyError(f"{name}: an array int8 (replica, temperature, realization, [z,] y, x) of shape {self.spin_shape} is needed, not {found}")
        if not np.isin(spins, (-1, 1)).all():
            raise StudyError(f"{name}: some values are not +1 or -1")
        return spins

    def energies(self, found: Lattices) -> NDArray[np.float64]:
        """Returns the energies E = -sum J s s - h M of the collected sums, (bin, replica, temperature, realization)."""
        energies = np.asarray(found.sums("energy"), dtype=np.float64)
        return energies - self.field * np.asarray(found.sums("magnetisation"), dtype=np.float64) if self.field else energies
