"""Averages that drift: what the programs say, and what they refuse."""

import h5py
import numpy as np
from raw_runs import Batch, run, write_study


def reduce(folder, study, files, name="reduced", code=0, extra=()):
    out, table = folder / f"{name}.h5", folder / f"{name}.csv"
    done = run("reduce-disorder", "--config", study, *extra, "--out", out, "--csv", table, *files, code=code)
    return (out, table, done.stdout) if code == 0 else done.stderr


def test_drift(tmp_path):
    """A drift that no realization shows is seen in the paired differences of all; refused only where that is asked for."""
    study = write_study(tmp_path, 2, 0.5)
    batches = [Batch(tmp_path, 4, first, 2, study) for first in (0, 32, 64, 96)]
    files = [batch.measure(batch.chunk(0, 640, drift=0.15)) for batch in batches]
    with h5py.File(files[0]) as file:
        assert file["equilibration/equilibrated"][:].mean() > 0.9
    out = reduce(tmp_path, study, files)[0]
    with h5py.File(out) as file:
        group = file["L4"]
        assert group.attrs["stationary"] == 0 and group.attrs["largest_paired_z"] < -4
        assert "the averages drift: energy at T = " in group.attrs["warnings"]
        assert np.abs(group["paired_q2_z"][:]).max() < 4
    words = reduce(tmp_path, study, files, code=1, extra=["--set", "equilibration.unequilibrated=refuse"])
    assert "the averages drift" in words
    reduce(tmp_path, study, files, extra=["--set", "equilibration.test=none", "--set", "equilibration.unequilibrated=refuse"])
    words = reduce(tmp_path, study, files, code=1, extra=["--set", "run.discard=0.25"])
    assert "was averaged with run.discard = 0.5, but the configuration has 0.25" in words
