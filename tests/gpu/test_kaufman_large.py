"""One ferromagnet of 1024 x 1024 whose boxes are the lanes of words, with the plain checkerboard and with tiles that are updated 10 and 100 times in
a step: energies and specific heats are Kaufman's. A minute on a GPU; skipped where none works. Errors come from 32 blocks of consecutive steps."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "physics"))
import kaufman
import physics_runs

L = 1024
BETA_C = np.log(1 + np.sqrt(2)) / 2
# Edge of the tiles, hits, steps at beta = 0.40 and 0.43, steps at beta_c: there the autocorrelation time of the energy is some 16000
# sweeps with the plain checkerboard, and blocks are some five of it.
CASES = [(0, 1, 100000, 2400000), (16, 10, 20000, 300000), (16, 100, 4000, 40000)]


@pytest.fixture(scope="module", autouse=True)
def gpu():
    physics_runs.need_gpu()


def rows(folder, tile, hits, betas, steps):
    out = folder / f"{len(betas)}.json"
    command = [physics_runs.BIN / "bench-sites", "--backend", "cuda", "--L", L, "--tile", tile, "--hits", hits, "--beta", ",".join(map(repr, betas))]
    command += ["--thermalize", steps // 5, "--measure", steps, "--json", out]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    return json.loads(out.read_text())


@pytest.mark.parametrize(("tile", "hits", "steps", "critical_steps"), CASES)
def test_energy_and_heat(tile, hits, steps, critical_steps, tmp_path):
    found = rows(tmp_path, tile, hits, [0.40, 0.43], steps) + rows(tmp_path, tile, hits, [float(BETA_C)], critical_steps)
    z = []
    for row, beta in zip(found, [0.40, 0.43, BETA_C], strict=True):
        for name, exact in zip(("e", "C"), kaufman.energy_and_heat(L, 1 / beta), strict=True):
            value, error = row[name], row[f"{name}_error"]
            z.append((value - exact) / error)
            print(f"tile {tile}, {hits} hits, beta = {beta:.7f}: {name} = {value:.6f} +- {error:.6f}, exact {exact:.6f}, {z[-1]:+.2f}")
            assert error < {"e": 3e-4, "C": 0.15 * exact}[name]
    assert np.all(np.abs(z) < 4)
