"""From single realizations to averages: P(q) of one realization (of a glass), and Binder ratios with jackknife errors as in results.csv.

    python read_observables.py results/quickstart 8
"""

import sys
from pathlib import Path

import h5py
import numpy as np


def printable(text):
    """Names and texts of files may hold commands for the terminal: shown as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in str(text))


def averaged_files(folder, L):
    """The files that were averaged, and the realizations and temperatures of this size."""
    with h5py.File(folder / "reduced.h5") as file:
        lines = file["provenance"].attrs["input_hashes"].splitlines()
        if f"L{L}" not in file:
            sys.exit(printable(f"{folder}/reduced.h5 has no L = {L}; it has {', '.join(sorted(name for name in file if name.startswith('L')))}"))
        averaged = file[f"L{L}/realization"][:]
        temperatures = file[f"L{L}/temperatures"][:]
    names = [Path(line.split("  ", 1)[1]).parts[-3:] for line in lines]
    return [folder.joinpath(*parts) for parts in names if parts[0] == f"L{L}"], averaged, temperatures


def binder(q2, q4):
    return (3 - q4 / q2**2) / 2


def main(folder, L):
    files, averaged, temperatures = averaged_files(folder, L)

    # Thermal averages: arrays (temperature, realization), batches side by side. Glasses have those of the overlap q, ferromagnets those of the
    # magnetisation m; in a field the Binder ratio of q means nothing.
    with h5py.File(files[0]) as file:
        x, ratio = ("q", "binder") if "mean/q2" in file and "mean/replicon" not in file else ("m", "binder_m")
    second, fourth, numbers = [], [], []
    for name in files:
        with h5py.File(name) as file:
            second.append(file[f"mean/{x}2"][:])
            fourth.append(file[f"mean/{x}4"][:])
            numbers.append(file["realization"][:])
    kept = np.isin(np.concatenate(numbers), averaged)
    second, fourth = (np.concatenate(parts, axis=1)[:, kept] for parts in (second, fourth))

    # P(q) of the first realization at the lowest temperature: counts in equal bins of -1 <= q <= 1. Bins hold different numbers of the
    # values that q can take, which shows at small L; reduced.h5 has densities per value.
    if x == "q":
        with h5py.File(files[0]) as file:
            counts = file["histogram/overlap"][0, :, 0]
        density = counts / counts.sum() * len(counts) / 2
        for q, p in zip(np.linspace(-1, 1, 2 * len(counts) + 1)[1::2], density):
            print(f"P({q:+.2f}) = {p:.3f}")

    # Jackknife: the Binder ratio again without each of the realizations. To it comes the noise that realizations with the same random
    # numbers share (multispin.share), which reduce-disorder takes from the groups /shared of the observables.
    R = second.shape[1]
    without = binder(*((value.sum(axis=1, keepdims=True) - value) / (R - 1) for value in (second, fourth)))
    with h5py.File(folder / "reduced.h5") as file:
        shared = file[f"L{L}/{ratio}_err_shared"][:] if f"L{L}/{ratio}_err_shared" in file else 0.0
    error = np.hypot(np.sqrt((R - 1) * without.var(axis=1)), shared)
    for T, g, e in zip(temperatures, binder(second.mean(axis=1), fourth.mean(axis=1)), error):
        print(f"T = {T:.6g}: g = {g:.12g} +- {e:.12g}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]))
    except (OSError, KeyError, ValueError, IndexError) as error:
        sys.exit(printable(f"{sys.argv[1]}: no finished study of psflip, or a file of it is damaged: {error}"))
