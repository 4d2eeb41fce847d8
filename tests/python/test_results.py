"""psflip.load: tables, observables of single realizations, errors against those of reduce-disorder, plots."""

import shutil
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import h5py
import numpy as np
import psflip
import pytest
import xarray
from conftest import ROOT
from psflip.analysis.jackknife import Means, jackknife
from psflip.analysis.results import snapshots_of


@pytest.fixture(scope="module")
def results(study):
    return psflip.load(study)


def test_tables(results):
    assert results.sizes == [4, 6] and "Edwards" in repr(results)
    assert results.results.index.names == ["L", "T"] and len(results.results) == 6
    assert results.crossings.index.names == ["observable", "L1", "L2"] and ("binder", 4, 6) in results.crossings.index
    assert (results.provenance.program == "measure").sum() == 4 and {"energy", "q2"} <= set(results.equilibration.index.get_level_values("observable"))
    assert len(results.critical) == 0 and "L1" in results.quotients
    assert results.config["multispin"]["share"] == 32


def test_every_column_of_every_table_is_explained(results):
    for table in ("results.csv", "crossings.csv", "critical.csv", "equilibration.csv", "provenance.csv"):
        with (results.folder / table).open() as file:
            for column in file.readline().strip().split(","):
                meaning = results.columns.loc[(table, column), "meaning"]
                assert isinstance(meaning, str) and meaning.endswith("."), (table, column)
    assert results.columns.loc[("results.csv", "T"), "unit"] == "J/k_B" and "[<q^2>]" in results.columns.loc[("results.csv", "q2"), "meaning"]


def test_observables_are_those_that_were_averaged(results):
    found = results.observables(6, groups=("mean", "histogram"))
    assert found.realization.values.tolist() == list(range(96))
    assert np.allclose(found["mean/q2"].mean("realization"), results.results["q2"].loc[6], rtol=1e-12)
    assert found["histogram/overlap"].dims == ("temperature", "bin", "realization")
    with pytest.raises(psflip.StudyError, match="means is none of mean, error"):
        results.observables(6, groups=("means",))
    with pytest.raises(psflip.StudyError, match="no L = 8; there are 4, 6"):
        results.observables(8)


SAME = {  # column of results.csv -> the function of thermal means
    "energy": lambda m: m.energy,
    "q_abs": lambda m: m.q_abs,
    "binder": lambda m: (3 - m.q4 / m.q2**2) / 2,
    "q_link": lambda m: m.q_link,
}


@pytest.mark.parametrize("name", SAME)
def test_errors_are_those_of_reduce_disorder(results, name):
    found = results.jackknife(SAME[name])
    assert np.allclose(found.value, results.results[name], rtol=1e-12)
    assert np.allclose(found.error, results.results[f"{name}_err"], rtol=1e-6)
    with h5py.File(results.folder / "reduced.h5") as file:
        shared = np.concatenate([file[f"L{L}/{name}_err_shared"][:] for L in (4, 6)])
    assert np.allclose(found.error_shared, shared, rtol=1e-5, atol=1e-12) and (shared > 0).any()


def test_correlation_length_of_one_size(results):
    found = results.jackknife(lambda m: np.sqrt(m.q2 / m.kmin - 1) / (2 * 6 * np.sin(np.pi / 6)), 6)
    assert np.allclose(found.error, results.results.loc[[6], "xi_over_L_err"], rtol=1e-6)


def noise(realizations, share, common, seed):
    """Means x and y (temperature, realization) with a part that packs have in common."""
    random = np.random.default_rng(seed)
    shape = (2, realizations // share, share)
    parts = {name: random.normal(size=shape) + common * random.normal(size=(*shape[:2], 1)) for name in "xy"}
    values = {name: (("temperature", "realization"), part.reshape(2, -1) + 10) for name, part in parts.items()}
    return Means(xarray.Dataset(values), share, np.arange(realizations) // share)


def test_packs_where_the_files_do_not_tell():
    """A ratio over two temperatures, from 64 packs of 8: the error is that of packs, which the jackknife over realizations misses."""
    errors, values = [], []
    for seed in range(60):
        found = jackknife(lambda m: m.x.mean("temperature") / m.y.mean("temperature"), noise(512, 8, 1.0, seed))
        assert found.method == "packs"
        errors.append(found.error.item())
        values.append(found.value.item())
    assert np.std(values) == pytest.approx(np.mean(errors), rel=0.3)
    alone = jackknife(lambda m: m.x.mean("temperature") / m.y.mean("temperature"), Means(noise(512, 8, 1.0, 0).values))
    assert alone.method == "realizations" and alone.error.item() < 0.5 * np.mean(errors)


def test_too_few_packs_and_what_is_no_function(results):
    with pytest.raises(psflip.StudyError, match="3 packs of 32 realizations are too few"):
        results.jackknife(lambda m: m.q2.mean("temperature"))
    with pytest.raises(psflip.StudyError, match="has to return an array"):
        results.jackknife(lambda m: 1.0)


@pytest.mark.parametrize("share", [1, 8])
def test_one_warning_of_nan(share):
    """At one temperature of two the function has no value; the other one has its error."""
    means = noise(64, share, 0.0, 1)
    means.values["x"][0] -= 100
    means.shared.update({("x", "x"): np.ones(2)})
    with pytest.warns(RuntimeWarning) as warned:
        found = jackknife(lambda m: np.sqrt(m.x), means)
    assert [str(warning.message) for warning in warned] == ["jackknife: the function or its error is nan in 1 of 2 values"]
    assert np.isnan(found.error.values).tolist() == [True, False]


def test_one_warning_of_nan_for_all_sizes(results):
    with pytest.warns(RuntimeWarning) as warned:
        found = results.jackknife(lambda m: np.sqrt(-m.q2))
    assert len(warned) == 1 and "nan in 6 of 6 values" in str(warned[0].message) and found.value.isna().all()


def test_checkpoints_beside_runs(study, tmp_path):
    """A run that is continued has a checkpoint, whose name begins as that of a run."""
    folder = tmp_path / "batch"
    shutil.copytree(study / "L4/batch0000000-0000063", folder)
    for name in ("run-4000.h5.checkpoint.h5", ".run-4000.h5", "run-old.h5"):
        (folder / name).write_text("no")
    assert snapshots_of(folder, {0, 1}).sizes["realization"] == 2


def test_plots(results, tmp_path):
    axes = results.plot("xi_over_L")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["$L = 4$", "$L = 6$"] and "xi_L" in axes.get_ylabel()
    assert results.plot("energy", axes=axes) is axes
    assert "1.1019" in results.plot_scaling("binder").get_xlabel()
    with pytest.raises(psflip.StudyError, match="no column 'bindr' in results.csv; there are energy,"):
        results.plot("bindr")


def test_folders_without_results(tmp_path):
    with pytest.raises(psflip.StudyError, match="no results of a study, as it has no reduced.h5"):
        psflip.load(tmp_path)
    with pytest.raises(AttributeError, match="psflip has no 'lode'; it has Results"):
        psflip.lode


def test_importing_psflip_loads_nothing_large():
    code = "import psflip, sys; print([name for name in ('numpy', 'pandas', 'xarray', 'matplotlib') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "workflows")
    assert done.stdout.strip() == "[]"


def test_types():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir=/dev/null", "-p", "psflip.analysis"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "workflows")
    assert done.returncode == 0, done.stdout
