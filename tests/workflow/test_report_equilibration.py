"""The report's section on equilibration, from reduced files with known content."""

import re

import numpy as np
import pytest
from psflip.plots import figures, plots
from psflip.report import report_equilibration
from psflip.results.notation import with_error
from psflip.results.averages import Size
from psflip.results.reduced import Reduced, read_reduced
from synthetic import changed_reduced


def test_unequilibrated_realizations_are_listed_with_the_bias(tmp_path):
    with changed_reduced(tmp_path, sizes=(4, 6), count=8) as file:
        file["L4/unequilibrated"], file["L6/unequilibrated"] = np.array([3, 17, 18, 19, 20, 511]), np.zeros(0, int)
        file["L4/energy_passing"][2] += 7.04 * file["L4/energy_err"][2]
        file["L4/q2_passing"][...] -= np.arange(8) / 3 * file["L4/q2_err"][:]
        file["L4/specific_heat_passing"][...] = np.nan
    for name in ("L4/batch0000000-0000127/observables-8192.h5", "L4/batch0000128-0000255/observables-8192.h5", "L4/batch0000128-0000255/observables-16384.h5"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    text = report_equilibration.section(read_reduced(tmp_path / "reduced.h5"), tmp_path / "plots", tmp_path)
    assert "3, 17–20, 511" in text and "numbers of the 6 realizations" in text and "L = 6: numbers" not in text
    words = re.sub(r"<[^>]+>", " ", text)
    assert "kept in all averages" in re.sub(r" +", " ", words) and "Do not use the difference as a correction" in words
    assert words[words.index("Binder ratio (σ)") :].split()[3:7] == ["4", "+7.0", "-2.3", "+0.0"]  # nothing of the specific heat
    assert words[words.index("Length of the runs") :].split()[-6:] == ["4", "8192", "1", "4", "16384", "1"]


def test_no_table_of_those_that_pass_where_there_is_none(tmp_path):
    """Where fewer than two pass, as for the Binder ratio of one replica."""
    with changed_reduced(tmp_path, sizes=(4,), count=3) as file:
        file["L4/unequilibrated"] = np.arange(511)
        for name in ("energy", "specific_heat", "q2"):
            file[f"L4/{name}_passing"][...] = np.nan
        del file["L4/binder_passing"]
    text = report_equilibration.section(read_reduced(tmp_path / "reduced.h5"), tmp_path / "plots", tmp_path)
    assert "511 realizations are not equilibrated" in text and "as a correction" not in text


@pytest.mark.parametrize(
    "settings, words",
    [
        ("{test: log2, threshold_sigma: 4, min_walk_times: 20}", "exceeds 4 σ at any temperature.</li><li>Its run is at least 20 times"),
        ("{test: log2, threshold_sigma: 3.5, min_walk_times: 0}", "exceeds 3.5 σ at any temperature."),
        ("{test: none}", "every realization counts as equilibrated"),
    ],
)
def test_the_criterion_is_told(settings, words):
    data = Reduced([], {"config": f"equilibration: {settings}"})
    assert words in report_equilibration.criteria(data)


@pytest.mark.parametrize(
    "basis, times",
    [
        ("log2 test, temperature walk and hottest temperature", ["walk in temperature", "hottest temperature"]),
        ("log2 test and temperature walk, not the hottest temperature (in a field its spins are never forgotten)", ["walk in temperature"]),
        ("log2 test and memory of the start", ["only temperature"]),
        ("not tested (one temperature has the log2 test alone)", []),
    ],
)
def test_runs_are_compared_with_the_times_of_the_verdict(basis, times):
    config = {"config": "equilibration: {test: log2, threshold_sigma: 4, min_walk_times: 20}"}
    text = report_equilibration.criteria(Reduced([Size(4, np.ones(1), 1, {}, verdict_basis=basis)], config))
    lines = re.findall(r"<li>Its run is at least 20 times as long as the (.*?)\.</li>", text)
    assert len(lines) == len(times) and all(time in line for time, line in zip(times, lines))
    assert ("does not show whether the highest temperature is high enough" in text) == ("not the hottest" in basis)


def gaussian_glass(excess: float) -> Reduced:
    """Whose energy lies above that of the links by an excess that is common to all temperatures and decays with the sweeps, with eight samples."""
    T, random = np.array([0.5, 1.0]), np.random.default_rng(2)
    noise = random.normal(size=(8, 2)) * 1e-3
    q = np.array([0.8, 0.6])
    energy, edges = -3 * (1 - q) / T + excess, np.array([0, 4, 8, 16])
    late = np.array([4.0, 2.0, 1.0])[:, None]
    columns = {"temperatures": T, "energy": energy, "energy_err": 0.01 * T, "q_link": q, "log2_edges": edges, "log2_energy": energy + excess * (late - 1),
               "log2_q_link": np.tile(q, (3, 1)), "log2_energy_err": np.full((3, 2), 0.01), "log2_q_link_err": np.full((3, 2), 0.01)}  # fmt: skip
    size = Size(6, T, 100, columns, samples={"energy": energy + noise, "q_link": q + noise[::-1] / 4})
    return Reduced([size], {"config": "model: {couplings: gaussian}"})


def test_energy_and_links_of_gaussian_couplings_are_compared():
    data = gaussian_glass(0.2)
    energy, q = (data.sizes[0].samples[name] for name in ("energy", "q_link"))
    T = data.sizes[0].temperatures
    of_links, error = (np.sqrt(7 * x.var(axis=0)) for x in (3 * q / T, energy - 3 * q / T))
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in report_equilibration.links_table(data).split("<tr>")[2:]]
    numbers = zip(T, 0.01 * T, of_links, error)
    expected = [["6", f"{t:g}", with_error(-1.0, e), with_error(-1.2, k), with_error(0.2, d), f"{0.2 / d:.1f}"] for t, e, k, d in numbers]
    assert cells == expected
    assert report_equilibration.links_table(Reduced(data.sizes, {"config": "model: {}"})) == ""


def test_energy_and_links_are_drawn_against_the_sweeps():
    of = next(f for f in figures.FIGURES if f.name == "equilibration_links")
    above, below = plots.draw(gaussian_glass(0.2), of).axes
    energy, links = (container.lines[0].get_xydata() for container in above.containers)
    assert np.allclose(energy[:, 0], [4, 8, 16]) and np.allclose(links[:, 1], -1.2) and np.allclose(energy[:, 1], -1.2 + np.array([0.8, 0.4, 0.2]))
    assert np.allclose(below.containers[0].lines[0].get_ydata(), [0.8, 0.4, 0.2])


def test_an_equilibrated_study_says_so(tmp_path):
    with changed_reduced(tmp_path, sizes=(4,), count=3) as file:
        file["L4/unequilibrated"] = np.zeros(0, int)
    text = report_equilibration.section(read_reduced(tmp_path / "reduced.h5"), tmp_path / "plots", tmp_path)
    assert "All realizations passed" in text and "Length of the runs" not in text
