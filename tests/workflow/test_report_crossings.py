"""The fits of the crossings, warnings and what verdicts rest on: in tables and report, from reduced files with known content."""

import csv
import re

import h5py
import numpy as np
import pytest
from psflip.report import report_provenance
from psflip.results.notation import with_error
from psflip.results.print_summary import last_line
from psflip.results.reduced import Reduced, read_reduced
from synthetic import changed_reduced, write_reduced
from test_report import Page, report_of, script


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_reduced(folder / "reduced.h5")
    script("results.crossings", "--reduced", folder / "reduced.h5", "--out", folder / "crossings.csv")
    report_of(folder)
    return folder


def test_crossings_table(results):
    rows = list(csv.DictReader((results / "crossings.csv").open()))
    assert len(rows) == 6 and ",".join(rows[0]) == "observable,L1,L2,T,T_err,value,value_err,p,T_first,T_last,note"
    known = read_reduced(results / "reduced.h5").crossings
    for row in rows:
        (c,) = (c for c in known[row["observable"]] if (c.L1, c.L2) == (int(row["L1"]), int(row["L2"])))
        assert [float(row[name]) for name in ("T", "T_err", "value", "value_err", "p", "T_first", "T_last")] == pytest.approx(
            [c.T, c.T_err, c.value, c.value_err, c.p, c.T_first, c.T_last], rel=1e-9, nan_ok=True
        )
        assert row["note"] == c.note


def test_the_report_shows_the_fits(results):
    table = Page((results / "report.html").read_text()).sections["crossings"]
    for of in read_reduced(results / "reduced.h5").crossings.values():
        for c in of:
            assert with_error(c.T, c.T_err) in table and f"{c.T_first:.4g} to {c.T_last:.4g}" in table
            assert not c.note or table.count(f"{c.note}.") == 1


def test_warnings_and_what_the_verdict_rests_on(tmp_path):
    write_reduced(tmp_path / "reduced.h5")
    basis = "log2 test alone (equilibration.min_walk_times is 0)"
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        for L in (4, 6, 8):
            file[f"L{L}"].attrs.update(verdict_basis=basis, warnings=f"the verdict rests on {basis}\n" + ("in 3 realizations nothing <moved>\n" if L == 6 else ""),
                                        warning_kinds="basis\n" + ("moved\n" if L == 6 else ""))
    html = report_of(tmp_path)
    assert f"<strong>Warning</strong> (L = 4, 6, 8): the verdict rests on {basis}.</p>" in html
    assert "<strong>Warning</strong> (L = 6): in 3 realizations nothing &lt;moved&gt;.</p>" in html
    assert "by the log2 test alone" in html and f"The verdict rests on: {basis}." in html
    text = script("results.print_summary", tmp_path).stdout
    assert f"% equilibrated by {basis}\n" in text and text.count("\nwarning (") == 2 and f"warning (L = 4, 6, 8): the verdict rests on {basis}\n" in text


def test_a_verdict_without_a_test_with_power_is_no_number(tmp_path):
    """Of one temperature: report and summary say so in their first lines, and the last line has no percentage."""
    with changed_reduced(tmp_path) as file:
        for L in (4, 6, 8):
            file[f"L{L}/equilibrated_fraction"][...] = np.nan
            file[f"L{L}"].attrs["verdict_basis"] = "not tested (one temperature has the log2 test alone)"
    html = report_of(tmp_path)
    assert "Equilibrated realizations" in html and "not tested" in html and "nan" not in Page(html).sections["equilibration"]
    assert "equilibrium not tested (one temperature" in script("results.print_summary", tmp_path).stdout
    assert "Equilibrated" not in last_line(tmp_path)


@pytest.mark.parametrize("fractions, told", [((1, 1, 1), ""), ((1, 0.95, 0.96), ""), ((1, 0.9496, 0.28), ". † marks numbers from sizes whose equilibrium is in doubt: L = 6 (94% equilibrated), L = 8 (28% equilibrated)")])
def test_the_last_line_tells_where_few_are_equilibrated(tmp_path, fractions, told):
    with changed_reduced(tmp_path) as file:
        for L, fraction in zip((4, 6, 8), fractions):
            file[f"L{L}/equilibrated_fraction"][...] = fraction
    line = last_line(tmp_path)
    assert line.endswith(f"J/k_B{told}. Report: {tmp_path / 'report.html'}")


def test_captions_say_where_crossings_come_from(results):
    text = report_of(results, plots=True)
    for name in ("binder", "xi_over_L"):
        caption = re.search(rf'<figure id="plot-{name}".*?<figcaption>(.*?)</figcaption>', text, re.DOTALL)[1]
        assert "fits to several temperatures. The straight lines" in caption


@pytest.mark.parametrize("count, shown", [(2, 2), (500, 500), (503, 500)])
def test_the_first_500_hashes_are_shown(count, shown):
    lines = [f"{i:016x}  L4/{i}.h5" for i in range(count)]
    html = report_provenance.section(Reduced([], {"input_hashes": "\n".join(lines)}), [])
    assert f"Hashes (XXH64) of the {count} files" in html and (f"... {count - shown} more" in html) == (count > shown)
    assert [line in html for line in lines] == [True] * shown + [False] * (count - shown)
