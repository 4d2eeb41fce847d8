"""Your own couplings as a disorder file, which all programs take."""

from __future__ import annotations

import operator
from pathlib import Path

import h5py
import numpy as np

from psflip.analysis.edge_list import MAX_L, MIN_L, ORDERS, couplings_of
from psflip.analysis.files import kind_of
from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import FORMAT_VERSION, append_seal
from psflip.campaign.whole_files import whole

MAX_DILUTED = 894  # L in three dimensions, if bonds are absent
MAX_REAL = 8.0  # absolute value of a real coupling
NUMBERS = 1 << 24  # of realizations
CHUNK = 1 << 20  # bytes


def has_axes(shape: tuple[int, ...]) -> bool:
    """Whether the shape is (realization, direction, [z,] y, x) with equal sides."""
    return len(shape) in (4, 5) and shape[1] == len(shape) - 2 and len(set(shape[2:])) == 1


def check_shape(shape: tuple[int, ...], first: int = 0) -> None:
    """StudyError unless an array of this shape holds couplings of realizations from number `first` on."""
    if not has_axes(shape):
        raise StudyError(f"couplings: an array (realization, direction, z, y, x) or (realization, direction, y, x) of a lattice with equal sides is needed, but the shape is {shape}")
    count, L = shape[0], shape[-1]
    if not count:
        raise StudyError("couplings: the array has no realizations")
    if L < MIN_L or L % 2 or L > MAX_L:
        raise StudyError(f"couplings: L = {L} is {'odd' if L % 2 else 'too small' if L < MIN_L else 'too large'}; an even L from {MIN_L} to {MAX_L} is needed")
    if not 0 <= first <= NUMBERS - count:
        raise StudyError(f"couplings: realizations are numbered from 0 to {NUMBERS - 1}, not from {first} to {first + count - 1}")


def checked(J: np.ndarray) -> np.ndarray:
    """Returns int8 couplings +1, -1 and 0, or float64 couplings. StudyError if they are none."""
    check_shape(J.shape)
    if np.ma.is_masked(J):
        raise StudyError("couplings: some values are masked; write 0 for an absent bond")
    if J.dtype.kind not in "iuf":
        hint = "; write +1 and -1 for True and False" if J.dtype.kind == "b" else ""
        raise StudyError(f"couplings: numbers are needed, but the array has the type {J.dtype}{hint}")
    J = np.asarray(J)
    if not np.isfinite(J).all():
        raise StudyError("couplings: some values are not finite; remove nan and inf")
    if np.isin(J, (-1, 0, 1)).all():
        if J.ndim == 5 and J.shape[-1] > MAX_DILUTED and not J.all():
            raise StudyError(f"couplings: L = {J.shape[-1]}, but lattices of three dimensions with absent bonds have L up to {MAX_DILUTED}")
        return J.astype(np.int8)
    if J.dtype.kind != "f":
        raise StudyError("couplings: some values are not +1, -1, or 0 for an absent bond; give real couplings as an array of floating-point numbers")
    if not (np.abs(J) <= MAX_REAL).all():
        raise StudyError(f"couplings: some values do not lie within -{MAX_REAL:g} and {MAX_REAL:g}; divide all couplings and the temperatures by a constant")
    return J.astype(np.float64)


def array_of(J: object, order: str, dimension: int | None) -> np.ndarray:
    """Returns an array as it is, or the couplings of one list of edges or more, a realization each."""
    files = [J] if isinstance(J, (str, Path)) else J
    if not isinstance(files, (list, tuple)) or not files or not all(isinstance(file, (str, Path)) for file in files):
        return np.asanyarray(J)
    found = [couplings_of(file, order, dimension) for file in files]
    if other := next((file for file, one in zip(files, found) if one.shape != found[0].shape), None):
        raise StudyError(f"{other}: this is another lattice than in {files[0]}; give lists of one size and dimension")
    return np.stack(found)


def check_replaceable(path: Path) -> None:
    """StudyError unless the file is a disorder file of psflip."""
    kind = kind_of(path)
    if kind != "disorder":
        raise StudyError(f"{path}: this is a file of psflip of the kind {kind or 'unknown'}, not a disorder file, and is never replaced; give another name, or remove the file first")


def write_couplings(path: str | Path, J: object, first_realization: int = 0, order: str = ORDERS[0], dimension: int | None = None, overwrite: bool = False) -> Path:
    """Writes couplings as a disorder file, which the programs and `psflip run --couplings` take, and returns its path.

    Example: `psflip.couplings("mine.h5", numpy.random.default_rng(7).choice([-1, 1], size=(128, 3, 8, 8, 8)))`.
    `J`: an array (realization, direction, z, y, x) in three dimensions, (realization, direction, y, x) in two. J[r, 0, z, y, x] is the bond from site
    (x, y, z) to (x + 1, y, z); directions 1 and 2 lead to y + 1 and z + 1, with periodic boundaries. Values are +1, -1, or 0 if a bond is absent.
    Other floating-point numbers, from -8 to 8, are real couplings, for studies with `model.couplings: gaussian`. Instead of an array: the name of a
    text file of edges `i j w`, or a list of such names, a realization each.
    `first_realization`: number of the first one; a multiple of multispin.share, and of 32 unless couplings are real.
    `order`, `dimension`: of lists of edges; `x-fastest` or `x-slowest`, 2 or 3.
    `overwrite`: replace an existing disorder file of psflip. Any other file is never replaced.
    Raises StudyError if couplings or files are wrong."""
    path, J = Path(path), checked(array_of(J, order, dimension))
    real = J.dtype.kind == "f"
    try:
        first = operator.index(first_realization)
    except TypeError:
        raise StudyError(f"first_realization={first_realization}: a whole number is needed") from None
    if isinstance(first_realization, (bool, np.bool_)) or first < 0 or (first % 32 and not real):
        raise StudyError(f"first_realization={first_realization}: a multiple of 32, 0 or more, is needed")
    check_shape(J.shape, first)
    if path.exists() and not overwrite:
        raise StudyError(f"{path} exists already; give another name, or replace the file with overwrite=True or psflip couplings --force")
    if path.exists():
        check_replaceable(path)
    with whole(path) as part:
        with h5py.File(part, "w", libver=("v110", "v110"), locking=False) as file:
            file.attrs.update(format="psflip", kind="disorder", format_version=FORMAT_VERSION, sealed=1)
            file.attrs.update(first_realization=first, realizations=len(J), L=J.shape[-1])
            ferro, bonds = int(np.count_nonzero(J == 1)), int(np.count_nonzero(J))
            file.attrs["couplings_origin"] = "by hand" if real else f"by hand, {100 * ferro / max(1, bonds):.4g}% of the couplings are +1"
            if J.ndim == 4:
                file.attrs["dimension"] = 2
            rows = CHUNK // J[0].nbytes
            node = file.create_dataset("couplings", data=J, chunks=(min(rows, len(J)), *J.shape[1:]) if rows else True, compression="gzip", shuffle=True, fletcher32=True)
            axes = "realization, direction, z, y, x" if J.ndim == 5 else "realization, direction, y, x"
            node.attrs.update(axes=axes, unit="J", doc="Couplings, real numbers." if real else "Couplings: +1 or -1, 0 where a bond is absent.")
        append_seal(part)
    return path
