"""The run files of one batch. run.h5 goes from state.h5 to state1.h5; a doubled batch has run2.h5 (state1.h5 to state2.h5) too,
doubled again run3.h5 and run4.h5, and so on: after d doublings 2^d files of run.sweeps sweeps each."""

from __future__ import annotations

from pathlib import Path

import h5py


def names(count: int) -> list[str]:
    return ["run.h5"] + [f"run{k}.h5" for k in range(2, count + 1)]


def present(folder: Path) -> int:
    """How many run files without a gap lie in `folder`."""
    count = 0
    while (folder / names(count + 1)[-1]).is_file():
        count += 1
    return count


def all_equilibrated(observables: Path) -> bool:
    """False where the file tells that a realization is not equilibrated; True where it does or there is no file."""
    if not observables.is_file():
        return True
    with h5py.File(observables) as file:
        return bool(file["equilibration/equilibrated"][:].all())


def wanted(folder: str | Path, extend: bool, max_doublings: int) -> int:
    """How many run files the batch shall have: those that it has (an interrupted doubling is completed), at least one; twice as
    many where `extend` is set, a realization is not equilibrated and the study's limit allows it."""
    folder = Path(folder)
    count = 1
    while count < present(folder):
        count *= 2
    if extend and count < 2**max_doublings and not all_equilibrated(folder / "observables.h5"):
        count *= 2
    return count
