"""The library of psflip, for psflip.simulation."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Lattices:
    """Lattices of a batch with their sampler and measurements."""

    @overload
    def __init__(self, study: str, couplings: Annotated[NDArray[numpy.int8], dict(order='C', device='cpu', writable=False)], first_realization: int, sweeps: int, bins: int, exchange: bool, backend: str, threads: int, device: int) -> None: ...

    @overload
    def __init__(self, study: str, couplings: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], first_realization: int, sweeps: int, bins: int, exchange: bool, backend: str, threads: int, device: int) -> None: ...

    def start(self, spins: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)] | None, completed: int) -> None:
        """
        Set the spins, or random spins for None, and the number of completed sweeps.
        """

    def advance(self, target: int) -> None:
        """Sweep and exchange up to this number of sweeps."""

    def exchange(self, completed: int) -> None:
        """Exchange temperatures as after this number of sweeps."""

    def measure(self, bin: int) -> None:
        """Measure all lattices and add to this bin."""

    def collect(self) -> None:
        """Take the sums of all bins and set the bins to 0."""

    def sums(self, name: str) -> Annotated[NDArray[numpy.int64], dict(order='C')] | Annotated[NDArray[numpy.float64], dict(order='C')]:
        """Return the taken sums (bin, component, temperature, realization)."""

    def spins(self) -> Annotated[NDArray[numpy.uint64], dict(order='C')]:
        """Return the spins as words (replica, temperature, pack64, [z,] y, x)."""

    def accepted(self) -> Annotated[NDArray[numpy.int64], dict(order='C')]:
        """Return the accepted exchanges (realization, replica, pair)."""

    def attempted(self) -> Annotated[NDArray[numpy.int64], dict(order='C')]:
        """Return the attempted exchanges (pair)."""

    @staticmethod
    def available_bytes() -> float:
        """Return the bytes that this process may still take."""

    @property
    def names(self) -> list[str]:
        """Names of the measured sums."""

    @property
    def description(self) -> str:
        """Backend, device and kernel."""
