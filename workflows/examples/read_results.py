"""Reads results.csv with pandas and crossings from reduced.h5 with h5py.

    python read_results.py results/quickstart
"""

import sys
from pathlib import Path

import h5py
import pandas


def main(folder):
    # One row per lattice size and temperature; every average O has its standard error in O_err.
    table = pandas.read_csv(folder / "results.csv")
    print(table[["L", "T", "n_realizations", "energy", "energy_err", "binder", "binder_err"]].to_string(index=False))

    # Binder ratio with one column per size, as one would plot it.
    print(table.pivot(index="T", columns="L", values="binder").to_string(float_format="{:.4f}".format))

    # Where the curves of two sizes cross; NaN where they do not.
    with h5py.File(folder / "reduced.h5") as file:
        crossings = file["crossings"]
        for i in range(len(crossings["L1"])):
            L1, L2 = crossings["L1"][i], crossings["L2"][i]
            T, error = crossings["xi_over_L_T"][i], crossings["xi_over_L_T_err"][i]
            print(f"xi_L/L of L = {L1} and {L2} cross at T = {T:.4f} +- {error:.4f}")
        print("made by version", file["provenance"].attrs["version"], "commit", file["provenance"].attrs["git_commit"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]))
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: no finished study of psflip, or a file of it is damaged: {error}")
