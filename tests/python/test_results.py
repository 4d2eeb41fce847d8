"""psflip.load: tables, observables of single realizations, errors compared with reduce-disorder, plots."""

import inspect
import pydoc
import re
import shutil
import subprocess
import sys
from functools import cached_property
from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")
import h5py
import numpy as np
import pandas
import psflip
import pytest
import xarray
from conftest import ROOT
from psflip.analysis.jackknife import Means, jackknife
from psflip.analysis.batches import snapshots_of
from psflip.analysis.plotting import default_of
from psflip.results.literature import model_of


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
    assert found["histogram/overlap"].dims == ("T", "bin", "realization")
    with pytest.raises(psflip.StudyError, match="means is not known; use some of mean, error"):
        results.observables(6, groups=("means",))
    with pytest.raises(psflip.StudyError, match="there is no L = 8; use one of 4, 6"):
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
    """Means x and y (T, realization) with a part that packs have in common."""
    random = np.random.default_rng(seed)
    shape = (2, realizations // share, share)
    parts = {name: random.normal(size=shape) + common * random.normal(size=(*shape[:2], 1)) for name in "xy"}
    values = {name: (("T", "realization"), part.reshape(2, -1) + 10) for name, part in parts.items()}
    return Means(xarray.Dataset(values), share, np.arange(realizations) // share)


def test_packs_where_the_files_do_not_tell():
    """A ratio over two temperatures, from 64 packs of 8: the error is that of packs, which the jackknife over realizations misses."""
    errors, values = [], []
    for seed in range(60):
        found = jackknife(lambda m: m.x.mean("T") / m.y.mean("T"), noise(512, 8, 1.0, seed))
        assert found.method == "packs"
        errors.append(found.error.item())
        values.append(found.value.item())
    assert np.std(values) == pytest.approx(np.mean(errors), rel=0.3)
    alone = jackknife(lambda m: m.x.mean("T") / m.y.mean("T"), Means(noise(512, 8, 1.0, 0).values))
    assert alone.method == "realizations" and alone.error.item() < 0.5 * np.mean(errors)


def test_too_few_packs_and_what_is_no_function(results):
    with pytest.raises(psflip.StudyError, match="3 share groups of 32 realizations are too few"):
        results.jackknife(lambda m: m.q2.mean("T"))
    with pytest.raises(psflip.StudyError, match="must return an array"):
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
    with pytest.raises(psflip.StudyError, match="results.csv has no column 'bindr'; use one of energy,"):
        results.plot("bindr")


DEFAULTS = [  # model -> the column that is drawn without a name
    ({}, "binder"),
    ({"dimension": 2}, "binder"),
    ({"couplings": "gaussian"}, "binder"),
    ({"field": 0.1}, "xi_replicon_over_L"),
    ({"kind": "ferromagnet"}, "binder_m"),
    ({"kind": "heisenberg"}, "binder_m"),
    ({"kind": "heisenberg", "exchange": [-1, -1, -1]}, "binder_ms"),
]
COLUMNS = {"binder_m": ("binder_m", "xi_m_over_L"), "binder_ms": ("binder_m", "binder_ms"), "xi_replicon_over_L": ("binder_m", "xi_replicon_over_L"), "binder": ("binder", "binder_m")}


@pytest.mark.parametrize("model, name", DEFAULTS)
def test_the_ratio_that_a_model_has_is_drawn(model, name):
    table = pandas.DataFrame({column: [1.0, 2.0] for column in ("energy", *COLUMNS[name])})
    study = SimpleNamespace(results=table, reduced=SimpleNamespace(model=model_of({"model": model})))
    assert default_of(study) == name
    study.results = table[["energy"]].assign(**{name: np.nan})  # one replica has no overlaps
    assert default_of(study) == "energy"


def test_plot_without_a_name(results):
    assert results.plot().get_ylabel() == results.plot("binder").get_ylabel() != results.plot("energy").get_ylabel()


def test_rows_at_the_nearest_temperature(results):
    found = results.at(1.4)
    assert found.index.tolist() == [4, 6] and found["T"].tolist() == [1.3, 1.3]
    assert found.loc[6, "energy"] == results.results.loc[(6, 1.3), "energy"]
    assert results.at(1.55, results.jackknife(lambda m: m.q2, 4))["T"].tolist() == [1.6]
    assert len(results.at(1.05, results.results.loc[4])) == 1
    several = results.at(1.0, results.equilibration)
    assert set(several["T"]) == {1.0} and len(several) == (results.equilibration.index.get_level_values("T") == 1.0).sum() > 2
    assert results.observables(4)["mean/q2"].sel(T=1.4, method="nearest")["T"].item() == 1.3
    with pytest.raises(psflip.StudyError, match="T = 300 lies outside of the temperatures, 1 to 1.6"):
        results.at(300)
    with pytest.raises(psflip.StudyError, match="index observable, L1, L2; one with T is needed"):
        results.at(1.0, results.crossings)


WRONG_NAMES = [
    (lambda r: r.jackknife(lambda m: m.q22), psflip.StudyError, "there is no mean 'q22'; use one of energy, .*q2, .*q4, "),
    (lambda r: r.jackknife(lambda m: m["q22"]), psflip.StudyError, "there is no mean 'q22'; use one of energy"),
    (lambda r: r.jackknife(lambda m: np.q22), AttributeError, "numpy"),
    (lambda r: r.result, AttributeError, "a study has no 'result'; it has .*results"),
    (lambda r: r.averages(5), psflip.StudyError, "there is no L = 5; use one of 4, 6"),
    (lambda r: psflip.lode, AttributeError, "psflip has no 'lode'; it has Relaxation, Results"),
]


@pytest.mark.parametrize("call, kind, sentence", WRONG_NAMES)
def test_wrong_names_list_the_known_ones(results, call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call(results)


def test_the_package_shows_its_names():
    names = {"Relaxation", "Results", "StudyError", "couplings", "load", "open_file", "__version__"}
    assert names <= set(dir(psflip)) and not [name for name in dir(psflip) if name.startswith("_") and not name.startswith("__")]
    assert psflip.__version__ == re.search(r"project\(psflip VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    text = pydoc.plain(pydoc.render_doc(psflip))
    assert all(word in text for word in ("load(study", "open_file(path", "write_couplings(path", "class Results", "jackknife(self", "study.plot()"))


def documented():
    own = [(f"Results.{name}", value) for name, value in vars(psflip.Results).items()] + [(f"Relaxation.{name}", value) for name, value in vars(psflip.Relaxation).items()]
    of_package = [(name, getattr(psflip, name)) for name in ("load", "open_file", "couplings")]
    return [(name, inspect.getdoc(value)) for name, value in own + of_package if "._" not in name and (callable(value) or isinstance(value, (property, cached_property)))]


@pytest.mark.parametrize("name, text", documented(), ids=[name for name, _ in documented()])
def test_every_call_has_an_example(name, text):
    """Tables name their columns, arrays their axes."""
    assert "Example: " in text or name == "Relaxation.sizes", name
    assert text.count("`") % 2 == 0
    tables = ("results", "crossings", "critical", "equilibration", "provenance", "columns", "fits", "quotients", "levels", "jackknife", "at", "two_time")
    assert "Columns: " in text or name.partition(".")[2] not in tables
    assert "Axes: " in text or name.partition(".")[2] not in ("averages", "observables", "couplings", "snapshots")


def test_folders_without_results(tmp_path):
    with pytest.raises(psflip.StudyError, match="no results of a study, because it has no reduced.h5"):
        psflip.load(tmp_path)


def test_a_study_file_stands_for_its_results(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/my").symlink_to(study)
    shutil.copy(study / "study.yaml", "my.yaml")
    assert psflip.load("my.yaml").sizes == [4, 6]


def test_importing_psflip_loads_nothing_large():
    code = "import psflip, sys; dir(psflip); print([name for name in ('numpy', 'pandas', 'xarray', 'matplotlib') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "workflows")
    assert done.stdout.strip() == "[]"


def test_types():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir=/dev/null", "-p", "psflip.analysis"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "workflows")
    assert done.returncode == 0, done.stdout
