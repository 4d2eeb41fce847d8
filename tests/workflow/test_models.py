"""Studies of every Ising model: which figures they have, what is known of them, and a small one of a ferromagnet with the real programs."""

import csv
import itertools
import math
import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import h5py
import numpy as np
import pytest
import yaml
from psflip.campaign.ladders import sites_of
from conftest import PROGRAMS, ROOT, TOOLS, snakemake
from psflip.plots import figures, plots
from psflip.results.literature import model_of
from psflip.results.overlaps import Overlaps
from psflip.results.averages import Size
from psflip.results.reduced import read_reduced
from synthetic import changed_reduced
from test_report import report_of, script

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "workflows")}  # for the examples, which use psflip as it is installed
EVERY = {"energy", "specific_heat", "equilibration_energy", "swap_rate", "walk_times"}
OF_MAGNETS = {"m_abs", "chi_m"}
OF_CRITICAL_POINT = {"effective_exponents", "crossing_extrapolation", "critical_band", "collapse"}
OF_CROSSINGS = OF_CRITICAL_POINT | {"crossing_temperatures"}
OF_FERROMAGNETS = EVERY | OF_MAGNETS | OF_CROSSINGS | {"binder_m", "xi_m_over_L", "equilibration_m2"}
OF_CLUSTERS = {"chi_m_total_improved", "xi_m_over_L_improved"}
OF_GLASSES = set(figures.names_of(model_of({})))
OF_FIELDS = OF_GLASSES - {"binder", "xi_over_L", "realizations", "weight_near_zero"} | OF_MAGNETS | {"xi_replicon_over_L", "r12", "chi_replicon"}
OF_VECTORS = OF_FERROMAGNETS | {"spins_arrows", "spins_slice"}
OF_ANTIFERROMAGNETS = OF_VECTORS | {"binder_ms", "xi_ms_over_L", "ms_abs"}  # of vectors


def model(text, **run):
    return model_of({"model": yaml.safe_load(text), "run": run})


@pytest.mark.parametrize(
    "given, run, expected",
    [
        ("{}", {}, OF_GLASSES),
        ("{}", {"magnetisation": "auto"}, OF_GLASSES),
        ("{}", {"magnetisation": "always"}, OF_GLASSES | OF_MAGNETS),
        ("{field: 0.5}", {}, OF_FIELDS),
        ("{field: -0.5, dimension: 2}", {}, OF_FIELDS - OF_CROSSINGS),
        ("{dimension: 2}", {}, OF_GLASSES - OF_CROSSINGS),
        ("{kind: ferromagnet}", {}, OF_FERROMAGNETS),
        ("{kind: ferromagnet, exchange: [1, 1, 1], dm_pattern: none, concentration: 0}", {}, OF_FERROMAGNETS),
        ("{kind: heisenberg}", {}, OF_VECTORS),
        ("{kind: heisenberg, exchange: [-1, -1, -1]}", {}, OF_ANTIFERROMAGNETS),
        ("{kind: heisenberg, concentration: 0.5}", {}, OF_VECTORS | {"spins_species"}),
        ("{couplings: gaussian}", {}, OF_GLASSES | {"equilibration_links"}),
        ("{couplings: gaussian, dimension: 2}", {}, OF_GLASSES - OF_CROSSINGS | {"equilibration_links", "zero_temperature"}),
        ("{couplings: gaussian, field: 0.1}", {}, OF_FIELDS),
        ("{kind: ferromagnet, dimension: 2, p_absent: 0.2}", {"magnetisation": "always"}, OF_FERROMAGNETS),
    ],
)
def test_the_figures_of_a_model(given, run, expected):
    names = figures.names_of(model(given, **run))
    assert set(names) == expected and len(names) == len(expected)
    assert not OF_GLASSES & (OF_MAGNETS | {"binder_m", "xi_m_over_L", "equilibration_m2"})


def test_figures_of_clusters():
    names = figures.names_of(model_of({"model": {"kind": "ferromagnet"}, "dynamics": {"update": "swendsen-wang"}}))
    assert set(names) == OF_FERROMAGNETS | OF_CLUSTERS


def test_figures_and_summary_of_houdayer_moves(tmp_path):
    moves = "dynamics: {houdayer_every: 10}\n"
    assert set(figures.names_of(model_of(yaml.safe_load(moves)))) == OF_GLASSES | {"houdayer_moves"}
    with changed_reduced(tmp_path, count=8) as file:
        file["provenance"].attrs["config"] += moves
        T = file["L8/temperatures"][:]
        for name, values in {"acceptance": 0.5 + 0 * T, "cluster_size": 100 + 10 * T}.items():
            file[f"L8/houdayer_{name}"] = np.where(T < T[-2], values, np.nan)
    text, summary = report_of(tmp_path, plots=True), script("results.print_summary", tmp_path).stdout
    assert 'id="plot-houdayer_moves"' in text and f"L = 8, T = {T[0]:.4g}: {100 + 10 * T[0]:.4g} sites" in (tmp_path / "plots/houdayer_moves.svg").read_text()
    assert f"L = 8: Houdayer moves exchanged clusters in 50% of the moves, of {100 + 10 * T[0]:.3g} to {100 + 10 * T[-3]:.3g} sites on average\n" in summary
    assert "L = 6: Houdayer" not in summary


def test_every_figure_can_be_drawn_and_belongs_to_a_study():
    assert {figure.drawing for figure in figures.FIGURES} == set(plots.DRAWINGS) | set(plots.OF_CRITICAL_POINT) | {plots.SPINS}
    assert {figure.name for figure in figures.FIGURES} == OF_GLASSES | OF_FIELDS | OF_ANTIFERROMAGNETS | OF_CLUSTERS | {"spins_species", "equilibration_links", "zero_temperature", "houdayer_moves"}


@pytest.mark.parametrize(
    "given, name, unlike, T_c",
    [
        ("{dimension: 2}", "Two-dimensional ±J Edwards–Anderson model", "", None),
        ("{p_absent: 0.25}", "Three-dimensional ±J Edwards–Anderson model", "P(J = 0) = 0.25", None),
        ("{boundary: open}", "Three-dimensional ±J Edwards–Anderson model", "open boundaries", None),
        ("{field: 0.1}", "Three-dimensional ±J Edwards–Anderson model in a field h = 0.1", "", None),
        ("{field: 0.1, p_ferro: 0.6}", "Three-dimensional ±J Edwards–Anderson model in a field h = 0.1", "P(J = +1) = 0.6", None),
        ("{kind: ferromagnet, dimension: 2}", "Two-dimensional Ising ferromagnet", "", "2.269185"),
        ("{kind: ferromagnet, p_ferro: 0.5}", "Three-dimensional Ising ferromagnet", "", "4.51152326(10)"),
        ("{kind: ferromagnet, p_absent: 0.1, boundary: open}", "Three-dimensional Ising ferromagnet", "P(J = 0) = 0.1, open boundaries", None),
        ("{p_ferro: 0.6, p_absent: 0.1}", "Three-dimensional ±J Edwards–Anderson model", "P(J = +1 | J ≠ 0) = 0.6, P(J = 0) = 0.1", None),
        ("{kind: heisenberg, exchange: [1, 0.5, -1], concentration: 0.25, dm_pattern: constant}", "Three-dimensional Heisenberg model", "J = (1, 0.5, -1), constant D, x = 0.25", None),
        ("{kind: ferromagnet, dimension: 2, field: 0.2}", "Two-dimensional Ising ferromagnet in a field h = 0.2", "", None),
    ],
)
def test_what_is_known_of_a_model(given, name, unlike, T_c):
    found = model(given)
    assert (found.name, found.unlike) == (name, unlike) and (found.known.T_c_text if found.known else None) == T_c
    assert found.full_name == (f"{name}, {unlike}" if unlike else name) and found.label == (unlike if name.endswith("Anderson model") and "dimension: 2" not in given else found.full_name)


def test_critical_temperatures_of_ferromagnets():
    """Of the square lattice sinh(2/T) = 1; scaling of the crossings with omega + 1/nu."""
    square, cubic = model("{kind: ferromagnet, dimension: 2}").known, model("{kind: ferromagnet}").known
    assert math.sinh(2 / square.T_c[0]) == pytest.approx(1, abs=1e-12) and square.power == 1.75 + 1
    assert 1 / cubic.T_c[0] == pytest.approx(0.221654626, abs=1e-12) and cubic.power == pytest.approx(0.8297 + 1 / 0.629971)


@pytest.mark.parametrize("p, word", [(0.5, "finite lattices freeze"), (0.89, "orders at T = 0 only"), (0.9, "orders as a ferromagnet at T > 0"), (0.1, "an antiferromagnet")])
def test_a_glass_of_two_dimensions_has_no_crossings(tmp_path, p, word):
    """Report and summary say why; the curves are drawn without crossings."""
    with changed_reduced(tmp_path, count=8) as file:
        file["provenance"].attrs["config"] += f"model: {{dimension: 2, p_ferro: {p}}}\n"
        for size, name in itertools.product(("L4", "L6", "L8"), ("coldest_overlap_counts", "histogram_q_width", "histogram_link_width")):
            del file[size][name]  # datasets of three dimensions
    text, summary = unescape(report_of(tmp_path, plots=True)), script("results.print_summary", tmp_path).stdout
    assert word in text and word in summary and "Crossing of" not in text + summary
    assert "with the crossings" not in text and "/L against" not in text and 'id="plot-binder"' in text
    assert not (tmp_path / "plots/crossing_temperatures.svg").exists() and "1.1019" not in text


@pytest.mark.parametrize("dimension, L", [(2, 6), (3, 4)])
def test_overlaps_have_the_values_of_their_dimension(dimension, L):
    sites = L**dimension
    size = Size(L, np.array([1.0]), 1, {"coldest_overlap_counts": np.ones((1, sites + 1))}, dimension=dimension)
    assert size.sites == sites and Overlaps.of(size).q == pytest.approx(np.arange(-sites, sites + 1, 2) / sites)


def test_round_trips_per_flip_count_the_sites_of_the_model():
    assert sites_of({"L": 6, "physics": "seed: 7\nmodel: {kind: ferromagnet, dimension: 2}\n"}) == 36
    assert sites_of({"L": 6, "physics": "seed: 7\nmodel: {p_ferro: 0.5}\n"}) == sites_of({"L": 6}) == 216


def run_study(folder, name):
    """The results of NAME.yaml, run with the real programs."""
    if not all((PROGRAMS / program).is_file() for program in TOOLS):
        pytest.skip(f"programs not in {PROGRAMS}; set PSFLIP_BIN")
    shutil.copy(Path(__file__).parent / f"{name}.yaml", folder)
    snakemake(folder, study=f"{name}.yaml", bin=PROGRAMS)
    return folder / "results" / name


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return run_study(tmp_path_factory.mktemp("study"), "ferromagnet")


def test_the_files_of_a_ferromagnet(results):
    names = {file.stem for file in (results / "plots").iterdir()}
    assert names == OF_FERROMAGNETS
    assert all((results / f"plots/{name}.{ending}").stat().st_size > 3000 for name in names for ending in figures.FORMATS)
    rows = list(csv.DictReader((results / "crossings.csv").open()))
    assert [(row["observable"], row["L1"], row["L2"]) for row in rows] == [("binder_m", "4", "6"), ("xi_m_over_L", "4", "6")]
    assert all(abs(float(row["T"]) - 2.2692) < max(0.1, 4 * float(row["T_err"])) and float(row["T_err"]) < 0.1 for row in rows)


def test_the_energy_of_a_ferromagnet_is_exact(results):
    """Of 4 x 4 sites, by the sum over all 65536 states; |m| as well."""
    states = (np.arange(2**16)[:, None] >> np.arange(16) & 1).astype(np.int8).reshape(-1, 4, 4) * 2 - 1
    energy = -(states * np.roll(states, 1, 1) + states * np.roll(states, 1, 2)).sum(axis=(1, 2), dtype=int)
    magnetisation = np.abs(states.sum(axis=(1, 2), dtype=int)) / 16
    size = read_reduced(results / "reduced.h5").sizes[0]
    for name, values in (("energy", energy / 16), ("m_abs", magnetisation)):
        for T, found, error in zip(*size.curve(name)):
            weight = np.exp(-(energy + 32) / T)
            assert abs(found - (weight * values).sum() / weight.sum()) < 5 * error < 0.1, (name, T)


def test_the_report_of_a_ferromagnet(results):
    text = (results / "report.html").read_text()
    assert set(re.findall(r'<figure id="plot-(\w+)"', text)) == OF_FERROMAGNETS - OF_CROSSINGS  # one pair of sizes
    for said in ("Two-dimensional Ising ferromagnet; L = 4, 6; 64 independent realizations", "Crossing of Binder ratio g<sub>m</sub>", "T<sub>c</sub> = 2.269185", "The grey line is"):
        assert said in text, said
    assert "verlap" not in re.sub(r"<pre>.*?</pre>|<script>.*?</script>|<style>.*?</style>", "", text, flags=re.DOTALL) and "needs two replicas" not in text
    summary = script("results.print_summary", results).stdout
    assert "Crossing of xi_L/L of m, L = 4 and 6: T = 2." in summary and summary.startswith("Two-dimensional Ising ferromagnet\n")
    assert f"plot:    {results}/plots/binder_m.png" in summary


def test_the_archive_of_a_ferromagnet(results):
    done = subprocess.run([sys.executable, ROOT / "workflows/psflip/results/check_study.py", results / "study.zip"], capture_output=True, text=True)
    assert done.returncode == 0 and "tables agree with reduced.h5" in done.stdout, done.stdout + done.stderr


def test_the_examples_read_a_ferromagnet(results, tmp_path):
    """With the Binder ratios and errors of results.csv."""
    examples = ROOT / "workflows/examples"

    def run(name, *arguments):
        done = subprocess.run([sys.executable, examples / name, results, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "xi_L/L of L = 4 and 6 cross at T = 2." in run("read_results.py")
    run("scaling_plot.py", tmp_path / "scaling.png")
    assert (tmp_path / "scaling.png").stat().st_size > 10000
    rows = [row for row in csv.DictReader((results / "results.csv").open()) if row["L"] == "6"]
    found = [line.split(": g = ")[1].split(" +- ") for line in run("read_observables.py", 6).splitlines()]
    expected = [[float(row["binder_m"]), float(row["binder_m_err"])] for row in rows]
    assert np.allclose(np.array(found, float), expected, rtol=1e-10, atol=0)


def test_a_glass_in_a_field(tmp_path):
    """The replicon replaces Binder ratio and xi_L/L of q in tables, plots, report and examples; check_study finds nothing wrong."""
    results = run_study(tmp_path, "field")
    assert {file.stem for file in (results / "plots").iterdir()} == OF_FIELDS
    rows = list(csv.DictReader((results / "results.csv").open()))
    assert not {"binder", "chi_sg", "xi_over_L", "chi_kmin"} & set(rows[0])
    for row in rows:
        chi, kmin, L = float(row["chi_replicon"]), float(row["chi_replicon_kmin"]), int(row["L"])
        assert float(row["xi_replicon_over_L"]) == pytest.approx(math.sqrt(chi / kmin - 1) / (2 * L * math.sin(math.pi / L)), rel=1e-9)
        assert 1 < chi < 64 and float(row["r12"]) > 1
    observables = [row["observable"] for row in csv.DictReader((results / "crossings.csv").open())]
    assert observables == ["xi_replicon_over_L", "r12"]
    with h5py.File(results / "reduced.h5") as file:
        density = file["L6/histogram_density"][-1]  # at the hottest temperature q is positive in the mean
    assert density[len(density) // 2 :].sum() > 1.05 * density[: len(density) // 2].sum()
    text = (results / "report.html").read_text()
    assert "R<sub>12</sub>" in text and "is debated" in text and "Binder ratio against temperature" not in text and "symmetric under q" not in text
    assert "weight near zero" not in text
    for command in (["results/check_study.py"], ["../examples/read_results.py"], ["../examples/read_observables.py", "6"]):
        file, *more = command
        given = results / "study.zip" if "check" in file else results
        done = subprocess.run([sys.executable, ROOT / "workflows/psflip" / file, given, *more], capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == 0, done.stdout + done.stderr
