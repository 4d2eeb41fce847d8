"""Energies and specific heats of large squares (`bench-sites`) next to Kaufman's exact values.

    python tests/physics/sites_averages.py --out docs/data/weigel_averages.json      squares with tiles and hits, for docs/papers/weigel.md; some minutes on one core"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

import kaufman

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
BETAS = [0.40, 0.43, float(np.log(1 + np.sqrt(2)) / 2)]
CASES = [(128, 0, 1, 100000), *((128, 4, hits, steps) for hits, steps in ((1, 100000), (10, 60000), (100, 20000))), *((256, 16, hits, steps) for hits, steps in ((1, 60000), (10, 30000), (100, 10000)))]


def rows_with_exact(L, dynamics, steps, betas=BETAS):
    """Returns the rows of bench-sites with the fields e_exact, e_sigma, C_exact and C_sigma: exact values, and deviations over errors."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "averages.json"
        command = [BIN / "bench-sites", "--backend", "cpu", "--threads", "1", "--L", L, *dynamics, "--beta", ",".join(map(repr, betas))]
        command += ["--thermalize", steps // 20, "--measure", steps, "--json", out]
        subprocess.run([str(word) for word in command], check=True)
        rows = json.loads(out.read_text())
    for row in rows:
        for name, exact in zip(("e", "C"), kaufman.energy_and_heat(L, 1 / row["beta"]), strict=True):
            row |= {f"{name}_exact": float(exact), f"{name}_sigma": float((row[name] - exact) / row[f"{name}_error"])}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    rows = [row for L, tile, hits, steps in CASES for row in rows_with_exact(L, ["--tile", tile, "--hits", hits], steps)]
    given.out.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
