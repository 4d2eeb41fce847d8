"""The critical point in plots, report and summary, from scaling forms with known parameters."""

import json
import math
import re

import numpy as np
import pytest
from psflip.critical.stored import read_critical
from psflip.plots import figures, plots
from psflip.report import report_critical
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced, read_reduced
from scaling_forms import Truth, reduced_of, write
from test_report import Page, report_of, script

NAMES = ("effective_exponents", "crossing_extrapolation", "critical_band", "collapse")
CONFIG = "model: {kind: edwards-anderson, dimension: 3, p_ferro: 0.5}"


def made(folder, sizes, seed=1):
    data = reduced_of(Truth(amplitudes=(-0.05, -0.1)), np.random.default_rng(seed), sizes, np.linspace(0.95, 1.3, 16), 0.002)
    write(folder / "reduced.h5", data, CONFIG)
    script("critical.analysis", "--reduced", folder / "reduced.h5", "--json", folder / "critical.json", "--csv", folder / "critical.csv")
    return folder


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = made(tmp_path_factory.mktemp("critical"), (4, 6, 8, 12, 16))
    report_of(folder, plots=True)
    return folder


def test_the_section_has_results_with_errors_beside_published_ones(study):
    found = read_critical(study / "critical.json")
    section = Page((study / "report.html").read_text()).sections["critical-point"]
    for name in ("T_c", "nu", "eta"):
        result = found["results"][name]
        whole = math.hypot(result["error"], result["range_error"], result["omega_error"])
        assert with_error(result["value"], whole) in section
    for text in ("1.1019(29)", "2.56(4)", "-0.390(4)", "ω = 1.12(10)", "Baity-Jesi", "U4 ="):
        assert text in section, text
    assert "nan" not in section
    assert len(found["quotients"]) == 10 and section.count("8, 16") >= 2


def test_crossings_are_in_one_table(study):
    sections = Page((study / "report.html").read_text()).sections
    assert "value at the crossing" in sections["crossings"] and "value at the crossing" not in sections["critical-point"]
    for q in read_critical(study / "critical.json")["quotients"]:
        assert with_error(q["T"], q["T_err"]) in sections["crossings"] and with_error(q["nu"], q["nu_err"]) in sections["critical-point"]


def test_the_head_has_the_numbers_too(study):
    """T_c with its error and what it rests on, and the other numbers on cards."""
    html, T_c = (study / "report.html").read_text(), read_critical(study / "critical.json")["results"]["T_c"]
    assert len(re.findall(r"extrapolated to infinite size", html)) == 3
    lead = re.sub(r"<[^>]+>", "", html[html.index("<strong>T<sub>c</sub> = ") :].partition("</p>")[0])
    pattern = r"Tc = \d\.\d+\(\d+\) J/kB, extrapolated from \d+ crossings of ξL/L and Binder ratio g, L = 4 to 16\. The fit has p = [\d.]+\."
    assert re.match(pattern, lead) and f"statistics {T_c['error']:.2g}, sizes {T_c['range_error']:.2g}, ω {T_c['omega_error']:.2g}" in lead
    line = script("results.print_summary", study).stdout
    assert re.search(r"Extrapolated to infinite size: T_c = 1\.\d+\(\d+\), nu = 1\.\d+\(\d+\), eta = -0\.\d+\(\d+\)", line)


def test_all_figures_show_points(study):
    html = (study / "report.html").read_text()
    for name in NAMES:
        assert f'<figure id="plot-{name}"' in html
        assert (study / f"plots/{name}.svg").read_text().count("<title>") > 5


def test_lines_go_through_the_fit(study):
    """The line of T_x is the fit of the largest weight at the points that are in it."""
    data, found = read_reduced(study / "reduced.h5"), read_critical(study / "critical.json")
    axes = plots.draw(data, next(f for f in figures.FIGURES if f.name == "crossing_extrapolation"), found).axes[0]
    fit = max((f for f in found["fits"] if f["number"] == "T_c"), key=lambda f: f["weight"])
    lines = [line for line in axes.lines if len(line.get_xdata()) == 100]
    assert len(lines) == 2
    for line, name in zip(lines, ("xi_over_L", "binder")):
        q = next(q for q in found["quotients"] if (q["quantity"], q["L1"], q["L2"]) == (name, 8, 16))
        x = 8 ** -(found["omega"]["value"] + 1 / found["results"]["nu"]["value"])
        assert np.interp(x, line.get_xdata(), line.get_ydata()) == pytest.approx(q["T"], abs=4 * q["T_err"])
        assert fit["constant"] == pytest.approx(np.interp(0, line.get_xdata(), line.get_ydata()), abs=1e-3)


def test_one_pair_of_sizes_gives_quotients_alone(tmp_path):
    folder = made(tmp_path, (4, 8))
    html = report_of(folder, plots=True)
    section = Page(html).sections["critical-point"]
    assert "An extrapolation needs crossings of two or more pairs with different smaller sizes, such as (4, 8) and (8, 16)." in section
    assert set(re.findall(r'<figure id="plot-(\w+)"', html)) & set(NAMES) == set()
    assert "Extrapolated" not in script("results.print_summary", folder).stdout


def test_results_without_an_acceptable_fit_are_marked(study):
    found = read_critical(study / "critical.json")
    assert not report_critical.poor(found)
    data, words = read_reduced(study / "reduced.h5"), "No fit describes the data well, so do not trust the error"
    assert words not in report_critical.lead(data, found)
    found["results"]["T_c"]["acceptable"] = False
    assert words in report_critical.lead(data, found)
    found["results"]["T_c"]["acceptable"], found["results"]["eta"]["acceptable"] = True, False
    assert "No fit describes the data of η well: p is below 0.05 for all fits." in report_critical.poor(found)


def test_the_fourth_moment_follows_from_the_binder_ratio(study):
    """U_4 = <x^4> / <x^2>^2 for spins with one and with three components."""
    found, data = read_critical(study / "critical.json"), read_reduced(study / "reduced.h5")
    result = found["results"]["binder"]
    error = math.hypot(result["error"], result["range_error"], result["omega_error"])
    assert f"(3 − U<sub>4</sub>)/2, so U<sub>4</sub> = {with_error(3 - 2 * result['value'], 2 * error)} " in report_critical.binder_line(data, found)
    vectors = Reduced(data.sizes, {"config": "model: {kind: heisenberg}"})
    assert f"(5 − 3 U<sub>4</sub>)/2, so U<sub>4</sub> = {with_error((5 - 2 * result['value']) / 3, 2 / 3 * error)} " in report_critical.binder_line(vectors, found)


def test_folders_without_a_critical_point_have_no_section(study, tmp_path):
    (tmp_path / "reduced.h5").write_bytes((study / "reduced.h5").read_bytes())
    assert "critical-point" not in report_of(tmp_path)
    assert json.loads((study / "critical.json").read_text())["kind"] == "critical point"
