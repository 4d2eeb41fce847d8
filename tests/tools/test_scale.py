"""reduce-disorder on many realizations: a fifth of 10^5, which must take less than a fifth of two minutes and of 2 GB."""

import os
import subprocess
import time

import h5py
import numpy as np
import pytest
from raw_runs import BIN, overlap_density
from synthetic_observables import SIZES, T, write_study

pytestmark = pytest.mark.long

REALIZATIONS = 10000  # of each of two sizes


def test_reduce_many_realizations(tmp_path):
    study, files = write_study(tmp_path, REALIZATIONS)
    out = tmp_path / "reduced.h5"
    command = [BIN / "reduce-disorder", "--config", study, "--out", out, "--csv", tmp_path / "results.csv", *files]
    begin = time.monotonic()
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    print(f"{seconds:.1f} s, {used.ru_maxrss / 1024:.0f} MiB")
    assert seconds < 120 / 5
    assert used.ru_maxrss * 1024 < 2e9 / 5
    with h5py.File(out) as reduced:
        for L in SIZES:
            group = reduced[f"L{L}"]
            assert group.attrs["n_realizations"] == REALIZATIONS
            mine = [h5py.File(f) for f in files if f.name.startswith(f"o{L}-")]
            q2 = np.concatenate([f["mean/q2"][:] for f in mine], axis=1)
            np.testing.assert_allclose(group["q2"][:], q2.mean(axis=1), rtol=1e-12)
            counts = np.concatenate([f["histogram/overlap"][:] for f in mine], axis=2).astype(float)
            density = overlap_density((counts / counts.sum(axis=1, keepdims=True)).mean(axis=2), L)[1]
            np.testing.assert_allclose(group["histogram_density"][:], density, rtol=1e-10)
            assert group["log2_energy"].shape == (12, len(T)) and len(group["tau_walk"]) == REALIZATIONS
