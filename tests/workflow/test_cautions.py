"""Warnings once per kind with a remedy, and the mark of numbers that rest on sizes without equilibrium."""

import re
from dataclasses import replace

import h5py
import numpy as np
import pytest
from conftest import ROOT
from psflip.results.cautions import KINDS, MARK, cautions, doubtful, mark, sizes_behind
from psflip.results.print_summary import last_line
from psflip.results.averages import Size
from psflip.results.reduced import NotReduced, Reduced, read_reduced
from synthetic import changed_reduced, write_reduced
from test_report import Page, report_of, script

FULL = "log2 test, temperature walk and hottest temperature"
DRIFT = "the averages drift: {} at T = {} in the last half of the runs and in the {} before it differ by {} sigma, paired over realizations; the runs are too short"
HOTTEST = "in {} of 128 realizations the hottest temperature does not decorrelate by itself{}, so that exchange only moves configurations that stay in their valleys; raise temperatures.max, 2; longer runs help only if it is nearly hot enough"
FORGETS = "in {} of 64 realizations the spins do not forget where the run ended (69% of the memory of all realizations is left after 200 sweeps), so that the averages are not equilibrium averages"
UP = "in {} of 64 realizations a start with all spins up does not come down to the run (84% of the excess of m^2 of all realizations is left after 409 sweeps), so that the averages are not equilibrium averages"
METROPOLIS = "in {} of 128 realizations the hottest temperature does not decorrelate by itself, because dynamics.update: metropolis flips nearly every spin in every sweep at T = 20; set dynamics.update: heat-bath"
UNTESTED = "equilibrium was not tested: with one temperature only the log2 test is left"


def size(L, warnings=(), fraction=1.0, stationary=True, basis=FULL, sweeps=8192, tau=100.0):
    edges = sweeps * np.array([0, 0.25, 0.5, 1])
    columns = {"equilibrated_fraction": np.array([1.0, fraction]), "log2_edges": edges, "tau_walk": np.full(20, tau)}
    return Size(L, np.array([1.0, 2.0]), 128, columns, verdict_basis=basis, warnings=tuple(warnings), stationary=stationary)


def hot(L, **more):
    return replace(size(L, **more), temperatures=np.array([300.0, 400.0]))


def cold(L):
    return replace(size(L), temperatures=np.array([0.02, 0.09]))


def study(*sizes, config="run: {sweeps: 8192}\nequilibration: {min_walk_times: 20}"):
    return Reduced(list(sizes), {"config": config})


BOTH = [size(6, [("drift", DRIFT.format("q2", 1, "quarter", 5.1))], stationary=False), size(8, [("drift", DRIFT.format("energy", 1.1, "second bin", 4.2))], stationary=False)]
SHORT = "run.sweeps: {6: 65536, 8: 16384, default: 8192}, or equilibration.max_doublings: 3"
CASES = [
    (study(size(6), size(8)), []),
    (study(*BOTH), [((6, 8), "the averages drift", "run.sweeps: {6: 16384, 8: 16384}, or equilibration.max_doublings: 1")]),
    # 20 walks of 3000 sweeps are 60000 sweeps: 2^3 times 8192.
    (study(size(6), size(8, fraction=0.5, tau=3000.0)), [((8,), "50% of L = 8", "run.sweeps: {8: 65536, default: 8192}, or equilibration.max_doublings: 3")]),
    (study(size(6), size(8, fraction=0.5, sweeps=16384), config="run: {sweeps: {6: 8192, default: 8192}}"), [((8,), "50%", "run.sweeps: {8: 32768}, or equilibration.max_doublings: 2")]),
    # One map for all short runs, whatever is wrong with them.
    (study(size(4), size(6, fraction=0.5, tau=3000.0), BOTH[1]), [((6,), "50% of L = 6", SHORT), ((8,), "the averages drift", SHORT)]),
    (study(size(6, [("hottest", HOTTEST.format(3, ""))]), size(8, [("hottest", HOTTEST.format(90, " (left 5%)"))])), [((6, 8), "spins at the hottest temperature do not decorrelate", "temperatures.max: 2.5")]),
    (study(size(6, [("one_temperature", FORGETS.format(3))]), size(8, [("one_temperature", FORGETS.format(64))])), [((6, 8), "runs at the only temperature still depend on their start", "temperatures: {min: ..., max: ..., count: 8}")]),
    (study(size(32, [("one_temperature", UP.format(64))])), [((32,), "runs at the only temperature still depend on their start", "temperatures: {min: ..., max: ..., count: 8}")]),
    (study(size(6, [("metropolis", METROPOLIS.format(7))])), [((6,), "Metropolis", "dynamics.update: heat-bath")]),
    (study(size(6, [("untested", UNTESTED)], np.nan)), [((6,), "equilibrium was not tested", "temperatures: {min: ..., max: ..., count: 8}")]),
    (study(size(6, [("shared_noise", "errors with random numbers shared by 128 realizations were compared")])), [((6,), "shared by 128", "multispin.share: 1")]),
    (study(size(6, [("withheld_errors", "no errors of binder at some temperatures")]), config="multispin: {share: 64}"), [((6,), "no error", "disorder.realizations: 640, or multispin.share: 1")]),
    (study(size(6), size(8), config="model: {kind: ferromagnet, dimension: 2}"), []),
    (study(hot(6), hot(8)), [((6, 8), "temperatures: 300 to 400 lie far above any transition", "")]),
    (study(hot(6, fraction=0.5)), [((6,), "J/k_B, not kelvin", ""), ((6,), "50% of L = 6", "run.sweeps: {6: 16384}, or equilibration.max_doublings: 1")]),
    (study(cold(6)), [((6,), "are so low that nothing equilibrates", "")]),
    (study(cold(6), config="model: {kind: heisenberg}"), []),
    (study(size(6, [("", "3 lattices are odd")]), size(8, [("odd", "17 lattices are odd")])), [((6, 8), "17 lattices are odd", "")]),
]


@pytest.mark.parametrize("data, expected", CASES, ids=range(len(CASES)))
def test_each_kind_of_warning_is_told_once_with_its_remedy(data, expected):
    found = cautions(data)
    assert [(one.sizes, one.remedy) for one in found] == [(sizes, remedy) for sizes, _, remedy in expected]
    assert all(text in one.text for one, (_, text, _) in zip(found, expected))
    assert all((". Remedy: " in one.sentence()) == bool(one.remedy) for one in found)


@pytest.mark.parametrize(
    "given, why",
    [
        ({}, None),
        ({"fraction": 0.95}, None),
        ({"fraction": 0.0}, "0% equilibrated"),
        ({"fraction": np.nan}, "equilibrium not tested"),
        ({"basis": "nothing (equilibration.test is none)"}, "equilibrium not tested"),
        ({"stationary": False}, "averages drift"),
        ({"fraction": 0.28, "stationary": False}, "28% equilibrated, averages drift"),
    ],
)
def test_numbers_of_doubtful_sizes_have_a_mark(given, why):
    data = study(size(6), size(8, **given))
    assert doubtful(data) == ({8: why} if why else {})
    assert mark(data, (6, 8)) == (MARK if why else "") and mark(data, (6,)) == ""


def test_the_sizes_behind_a_result_are_those_of_its_quoted_fit():
    pairs = [{"L1": a, "L2": b} for a, b in ((4, 8), (6, 12), (8, 16))]
    fits = [{"number": "inverse_nu", "L_min": 6, "weight": 1}, {"number": "inverse_nu", "L_min": 4, "weight": 0}, {"number": "T_c", "L_min": 4, "weight": 1}]
    critical = {"quotients": pairs, "fits": fits}
    assert sizes_behind(critical, "nu") == {6, 12, 8, 16} and sizes_behind(critical, "T_c") == {4, 8, 6, 12, 16}


def test_the_mark_is_wherever_the_number_is(tmp_path):
    """Card, table, figure, summary and last line: of the pairs with L = 8, in which nothing is equilibrated."""
    with changed_reduced(tmp_path) as file:
        file["L8/equilibrated_fraction"][...] = 0
    html = report_of(tmp_path, plots=True)
    for card in re.findall(r"<span>Crossing of .*?</div>", html):
        assert f"){MARK} J/k" in card
    assert html.count("class=\"doubt\"") == 1 and "L = 8 (0% equilibrated)" in html and "Remedy: <code>run.sweeps: {8: " in html
    rows = re.findall(r"<td>(\d, \d)</td><td class=\"number\">(.*?)</td>", html)
    assert len(rows) == 6 and all((MARK in T) == ("8" in pair) for pair, T in rows)
    drawn = (tmp_path / "plots/binder.svg").read_text()
    titles = re.findall(r"<title>L = (\d) and (\d) cross at T = (.*?) with the value", drawn)
    assert len(titles) == 3 and all((MARK in T) == (second == "8") for _, second, T in titles)
    summary = script("results.print_summary", tmp_path).stdout
    assert summary.count(f"){MARK} J/k_B") == 2 and f"{MARK} marks numbers from sizes whose equilibrium is in doubt: L = 8 (0% equilibrated)" in summary
    assert last_line(tmp_path).count(MARK) == 3
    assert Page(html).sections["crossings"].count(MARK) == 4 and not doubtful(read_reduced(write_reduced(tmp_path / "good.h5")))


def test_kinds_stand_next_to_the_sentences(tmp_path):
    with changed_reduced(tmp_path) as file:
        file["L8"].attrs.update(warnings="one\ntwo\n", warning_kinds="hottest\nodd\n")
    (size,) = [size for size in read_reduced(tmp_path / "reduced.h5").sizes if size.L == 8]
    assert size.warnings == (("hottest", "one"), ("odd", "two"))
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        file["L8"].attrs["warning_kinds"] = "hottest\n"
    with pytest.raises(NotReduced):
        read_reduced(tmp_path / "reduced.h5")


def test_every_kind_is_one_of_the_programs():
    named = set(re.findall(r"`(\w+)`", (ROOT / "libcore/statistics/analysis_warning.hpp").read_text()))
    written = {kind for folder in ("equilibrium", "average", "reduce") for file in (ROOT / "libcore/statistics" / folder).glob("*.cpp")
               for kind in re.findall(r'"([a-z0-9_]+)"', file.read_text()) if kind in named}
    assert set(KINDS) <= named and named == written
