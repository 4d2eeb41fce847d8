"""Couplings of one's own as a disorder file, which all programs take."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.whole_files import whole

LARGEST = 1024  # of L


def checked(J: np.ndarray) -> np.ndarray:
    """int8 couplings; StudyError where they are none."""
    if J.ndim not in (4, 5) or J.shape[1] != J.ndim - 2 or len(set(J.shape[2:])) != 1:
        raise StudyError(f"couplings: an array (realization, direction, z, y, x) or (realization, direction, y, x) of a lattice with equal sides is needed, not {J.shape}")
    L = J.shape[-1]
    if not len(J) or L < 2 or L % 2 or L > LARGEST:
        raise StudyError(f"couplings: one realization or more and an even L from 2 to {LARGEST} are needed, not {len(J)} of L = {L}")
    if not np.isin(J, (-1, 0, 1)).all():
        raise StudyError("couplings: values are +1, -1, or 0 where a bond is absent; there are others")
    return J.astype(np.int8)


def write_couplings(path: str | Path, J: np.ndarray, first_realization: int = 0) -> Path:
    """Writes a disorder file for `thermalize`, `pt-run` and `measure`.

    J: (realization, direction, z, y, x) in three dimensions, (realization, direction, y, x) in two; J[r, 0, z, y, x] is the bond from site
    (x, y, z) to (x + 1, y, z), directions 1 and 2 lead to y + 1 and z + 1, with periodic boundaries; +1, -1, or 0 where a bond is absent.
    first_realization: number of the first one; a multiple of multispin.share, and of 32.
    An older file of psflip is not replaced, nor any other."""
    path, J = Path(path), checked(np.asarray(J))
    if path.exists():
        raise StudyError(f"{path} is there already; give another name, or remove it first")
    if first_realization < 0 or first_realization % 32:
        raise StudyError(f"first_realization={first_realization}: a multiple of 32, 0 or more, is needed")
    with whole(path) as part, h5py.File(part, "w") as file:
        file.attrs.update(format="psflip", kind="disorder", format_version=1, first_realization=first_realization)
        ferro, bonds = int(np.count_nonzero(J == 1)), int(np.count_nonzero(J))
        file.attrs["couplings_origin"] = f"by hand, {100 * ferro / max(1, bonds):.4g}% of the couplings are +1"
        if J.ndim == 4:
            file.attrs["dimension"] = 2
        node = file.create_dataset("couplings", data=J, chunks=(1, *J.shape[1:]), compression="gzip", fletcher32=True)
        axes = "realization, direction, z, y, x" if J.ndim == 5 else "realization, direction, y, x"
        node.attrs.update(axes=axes, unit="J", doc="Couplings: +1 or -1, 0 where a bond is absent.")
    return path
