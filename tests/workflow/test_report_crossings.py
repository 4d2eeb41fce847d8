"""The fits of the crossings, warnings and what verdicts rest on: in tables and report, from reduced files with known content."""

import csv
import re

import h5py
import numpy as np
import pytest
from conftest import ROOT
from psflip.report import report_provenance
from psflip.results.print_summary import last_line
from psflip.results.reduced import Reduced, read_reduced
from synthetic import write_reduced
from test_report import Page, script


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_reduced(folder / "reduced.h5")
    script("results.crossings", "--reduced", folder / "reduced.h5", "--out", folder / "crossings.csv")
    script("report.report", "--results", folder, "--study", ROOT / "configs/quickstart.yaml", "--out", folder / "report.html")
    return folder


def test_crossings_table(results):
    rows = list(csv.DictReader((results / "crossings.csv").open()))
    assert len(rows) == 6
    with h5py.File(results / "reduced.h5") as file:
        expected = dict(zip(zip(file["crossings/L1"][:], file["crossings/L2"][:]), file["crossings/binder_T"][:]))
    for row in rows:
        if row["observable"] == "binder":
            assert float(row["T"]) == pytest.approx(expected[int(row["L1"]), int(row["L2"])], rel=1e-9)
    columns = "observable,L1,L2,T,T_err,value,value_err,T_err_interpolation,chi2,dof,p,degree,T_first,T_last,note"
    assert ",".join(rows[0]) == columns
    assert rows[0]["note"].startswith("interpolation through 4") and rows[0]["dof"] == "0" and rows[0]["p"] == "nan"
    assert (rows[1]["chi2"], rows[1]["dof"], rows[1]["p"], rows[1]["T_first"], rows[1]["note"]) == ("3.25", "4", "0.517", "1.01", "")


def test_the_report_shows_the_fits(results):
    table = Page((results / "report.html").read_text()).sections["crossings"]
    assert "3.2/4" in table and "0.52" in table and "1.01 to 1.36" in table
    assert "Binder ratio g, L = 4, 6: interpolation through 4 temperatures, not tested." in table


def test_a_file_of_an_older_version_has_no_fits(tmp_path):
    write_reduced(tmp_path / "reduced.h5")
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        group = file["crossings"]
        for name in [n for n in group if not n.endswith(("L1", "L2", "_T", "_T_err", "_value", "_value_err"))]:
            del group[name]
        for name in list(group.attrs):
            del group.attrs[name]
        for L in (4, 6, 8):
            for name in ("verdict_basis", "warnings", "never_moved"):
                del file[f"L{L}"].attrs[name]
    crossing = read_reduced(tmp_path / "reduced.h5").headline("binder")
    assert crossing.dof == 0 and crossing.note == "" and np.isfinite(crossing.T)
    script("report.report", "--results", tmp_path, "--study", ROOT / "configs/quickstart.yaml", "--out", tmp_path / "report.html")
    assert "nan" not in Page((tmp_path / "report.html").read_text()).sections["crossings"]
    assert not any("warning" in line for line in script("results.print_summary", tmp_path).stdout.splitlines())


def test_warnings_and_what_the_verdict_rests_on(tmp_path):
    write_reduced(tmp_path / "reduced.h5")
    basis = "log2 test alone (equilibration.min_walk_times is 0)"
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        for L in (4, 6, 8):
            file[f"L{L}"].attrs.update(verdict_basis=basis, warnings=f"the verdict rests on {basis}\n" + ("in 3 realizations nothing <moved>\n" if L == 6 else ""))
    script("report.report", "--results", tmp_path, "--study", ROOT / "configs/quickstart.yaml", "--out", tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text()
    assert f"<strong>Warning</strong> (L = 4, 6, 8): the verdict rests on {basis}.</p>" in html
    assert "<strong>Warning</strong> (L = 6): in 3 realizations nothing &lt;moved&gt;.</p>" in html
    assert "by the log2 test alone" in html and f"The verdict rests on: {basis}." in html
    text = script("results.print_summary", tmp_path).stdout
    assert f"% equilibrated by {basis}\n" in text and text.count("\nwarning (") == 2 and f"warning (L = 4, 6, 8): the verdict rests on {basis}\n" in text


def test_a_verdict_without_a_test_with_power_is_no_number(tmp_path):
    """Of one temperature: report and summary say so in their first lines, and the last line has no percentage."""
    write_reduced(tmp_path / "reduced.h5")
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        for L in (4, 6, 8):
            file[f"L{L}/equilibrated_fraction"][...] = np.nan
            file[f"L{L}"].attrs["verdict_basis"] = "not tested (one temperature has the log2 test alone)"
    script("report.report", "--results", tmp_path, "--study", ROOT / "configs/quickstart.yaml", "--out", tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    html = (tmp_path / "report.html").read_text()
    assert "Equilibrated realizations" in html and "not tested" in html and "nan" not in page.sections["equilibration"]
    assert "equilibrium not tested (one temperature" in script("results.print_summary", tmp_path).stdout
    assert "Equilibrated" not in last_line(tmp_path)


@pytest.mark.parametrize("fractions, told", [((1, 1, 1), ""), ((1, 0.95, 0.96), ""), ((1, 0.9496, 0.28), ". † Not shown to be in equilibrium: L = 6 (94% equilibrated), L = 8 (28% equilibrated)")])
def test_the_last_line_tells_where_few_are_equilibrated(tmp_path, fractions, told):
    write_reduced(tmp_path / "reduced.h5")
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        for L, fraction in zip((4, 6, 8), fractions):
            file[f"L{L}/equilibrated_fraction"][...] = fraction
    line = last_line(tmp_path)
    assert line.endswith(f"J/k_B{told}. Report: {tmp_path / 'report.html'}")


def test_captions_say_where_crossings_come_from(results):
    script("plots.plots", "--reduced", results / "reduced.h5", "--out", results / "plots", "--formats", "svg")
    script("report.report", "--results", results, "--study", ROOT / "configs/quickstart.yaml", "--out", results / "report.html")
    text = (results / "report.html").read_text()
    for name in ("binder", "xi_over_L"):
        caption = re.search(rf'<figure id="plot-{name}".*?<figcaption>(.*?)</figcaption>', text, re.DOTALL)[1]
        assert "cubic fits to several temperatures, not of the straight lines" in caption


@pytest.mark.parametrize("count, shown", [(2, 2), (500, 500), (503, 500)])
def test_the_first_500_hashes_are_shown(count, shown):
    lines = [f"{i:016x}  L4/{i}.h5" for i in range(count)]
    html = report_provenance.section(Reduced([], {"input_hashes": "\n".join(lines)}), [])
    assert f"Hashes (XXH64) of the {count} files" in html and (f"... {count - shown} more" in html) == (count > shown)
    assert [line in html for line in lines] == [True] * shown + [False] * (count - shown)
