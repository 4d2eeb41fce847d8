"""Batches of one size whose runs have different lengths, as after a doubling or in a study that grew."""

import shutil

import numpy as np
import psflip
import pytest
from conftest import call

GROUPS = ("mean", "error", "tau", "equilibration", "histogram", "log2", "lowest", "tempering")
LONG, SHORT = "batch0000000-0000063", "batch0000064-0000127"


@pytest.fixture(scope="module")
def grown(study, tmp_path_factory):
    """The study, in which the first batch of L = 4 has runs to 8000 sweeps."""
    folder = tmp_path_factory.mktemp("grown") / "results"
    shutil.copytree(study, folder)
    disorder, before = ["--L", 4, "--disorder", f"L4/{LONG}/disorder.h5"], 2000
    for end in (4000, 8000):
        names = [f"L4/{LONG}/{name}-{end}.h5" for name in ("run", "state", "observables")]
        call(folder, "pt-run", *disorder, "--until", end, "--state", f"L4/{LONG}/state-{before}.h5", "--out", names[0], "--state-out", names[1])
        before = end
    call(folder, "measure", *disorder, "--run", *(f"L4/{LONG}/run-{end}.h5" for end in (2000, 4000, 8000)), "--out", names[2])
    files = [names[2], f"L4/{SHORT}/observables-2000.h5", *(f"L6/{batch}/observables-2000.h5" for batch in (LONG, SHORT))]
    call(folder, "reduce-disorder", "--force", "--out", "reduced.h5", "--csv", "results.csv", *files)
    return psflip.load(folder)


def test_the_default_call(grown):
    found = grown.observables(4)
    assert found.sizes["realization"] == 96 and found.sizes["T"] == 3
    assert np.allclose(found["mean/q2"].mean("realization"), grown.results["q2"].loc[4], rtol=1e-12)


@pytest.mark.parametrize("group", GROUPS)
def test_every_group(grown, group):
    """Values equal the values in the files, at the coordinates of the files. They are nan if a run has no such bin or time."""
    found = grown.observables(4, groups=(group,))
    assert found.data_vars
    for name in (f"{LONG}/observables-8000.h5", f"{SHORT}/observables-2000.h5"):
        alone = psflip.open_file(grown.folder / "L4" / name, inside=(group,))
        numbers = [r for r in alone.realization.values if r < 96]
        for variable in found.data_vars:
            if "realization" not in alone[variable].dims:
                continue
            values = alone[variable].sel(realization=numbers)
            there = found[variable].sel({axis: values[axis] for axis in values.dims if axis in values.coords})
            assert np.array_equal(there.transpose(*values.dims).values, values.values, equal_nan=values.dtype.kind == "f"), variable
            for axis in set(values.dims) & {"time", "log2_bin"}:
                rest = found[variable].sel(realization=numbers).drop_sel({axis: values[axis].values})
                assert np.isnan(rest).all(), variable


def test_lengths_differ_where_it_matters(grown):
    """The axes that this page is about have more places together than in one of the files."""
    found = grown.observables(4, groups=("equilibration", "log2"))
    short = psflip.open_file(grown.folder / f"L4/{SHORT}/observables-2000.h5")
    assert found.sizes["log2_bin"] > short.sizes["log2_bin"] and found.sizes["time"] > short.sizes["time"]
    assert found["log2_bin"].values[-1] == 8000
    sweeps = grown.observables(4, groups=("tempering",))["tempering/sweeps"]
    assert sweeps.sel(realization=[0, 70]).values.tolist() == [8000, 2000]


def test_other_data(grown):
    assert grown.jackknife(lambda m: m.q2, 4).value.notna().all()
    assert grown.couplings(4).sizes["realization"] == 96
    assert grown.snapshots(4)["snapshot"].values.tolist() == [1000, 2000]
    long = grown.snapshots(4, [3])
    assert long["snapshot"].values[-1] == 8000 and set(np.unique(long)) == {-1, 1}
    assert np.array_equal(grown.snapshots(4, [3, 70]).sel(realization=3), long.sel(snapshot=[1000, 2000], realization=3))
