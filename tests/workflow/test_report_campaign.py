"""The report on a campaign: what is done, what it cost, ladders, audits; parts without content are left out."""

import json
import re
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pytest
from psflip.campaign.campaign import Campaign
from psflip.campaign.study import Study, validate
from psflip.campaign.whole_files import write_json
from psflip.plots import ladder_plot
from psflip.report import page, report_audit, report_campaign, report_ladder
from psflip.results import provenance
from psflip.results.used import total, used_by
from synthetic import write_campaign, write_ladder

def cells(html):
    """The rows of the first table after which nothing but text follows: lists of the cells' text."""
    return [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)]


@pytest.fixture
def campaign(tmp_path):
    return Campaign(write_campaign(tmp_path), tmp_path, 2)


def test_what_is_done_and_missing(campaign):
    head, *rows = cells(report_campaign.progress_table(campaign))
    assert head == ["L", "batches", "couplings", "thermalized", "runs", "measured", "jobs missing", "waiting with a checkpoint", "running"]
    assert rows == [["4", "2", "2", "2", "3", "3", "0", "0", "0"], ["6", "2", "2", "2", "2", "1 of 2", "1", "0", "0"]]


def test_checkpoints_and_locks_are_counted(tmp_path):
    study = write_campaign(tmp_path)
    batch = tmp_path / "L6/batch0000128-0000255"
    (batch / "run-8192.h5").unlink()
    for name in ("run-8192.h5.checkpoint.h5", "run-8192.h5.lock", "state-8192.h5.lock"):
        (batch / name).touch()
    rows = cells(report_campaign.progress_table(Campaign(study, tmp_path, 2)))
    assert rows[-1] == ["6", "2", "2", "2", "1 of 2", "1 of 2", "2", "0", "1"], "a job that runs counts once"


def test_a_finished_campaign_says_so(campaign, tmp_path):
    assert "1 job of the study is missing." in report_campaign.progress_table(campaign)
    (tmp_path / "L6/batch0000128-0000255/observables-8192.h5").touch()
    assert "All jobs of the study are done" in report_campaign.progress_table(Campaign(campaign.study, tmp_path, 2))


def test_what_it_cost(campaign, tmp_path):
    files = provenance.collect(tmp_path)
    rows = cells(report_campaign.usage_table(used_by(files, tmp_path)))
    # L = 4: thermalize 64e12 flips and 12.8 s each, called once and twice; three runs of twice that, called 3 times each.
    assert rows[1][:5] == ["4", "thermalize", "2", "3", "1"] and rows[1][6] == "1.28 × 1014"
    assert rows[2][:6] == ["4", "pt-run", "3", "9", "6", "77 s"]
    assert rows[-1][:5] == ["all", "", "9", "21", "12"]
    assert all(row[7] == "0.2" and row[9] == "100 kJ" for row in rows[1:])
    assert "flips" in report_campaign.facts(files, tmp_path)[0]


def write_benchmark(folder, job, seconds):
    file = folder / "benchmarks" / f"{job}.tsv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"s\th:m:s\tmax_rss\n{seconds}\t0:00:01\t3.4\n")


def test_time_of_all_jobs_is_that_of_all(campaign, tmp_path):
    """Whole jobs as Snakemake saw them, also those that count no flips; calls that were stopped before count where they took longer."""
    files = provenance.collect(tmp_path)
    simulated = total(used_by(files, tmp_path)).seconds
    jobs = {"disorder/L4-0000000-0000127": 3, "measure/L4-0000000-0000127-8192": 40, "reduce": 500, "plots": 70, "crossings": 6, "provenance": 1, "report": 9000}
    jobs |= {"run/L4-0000000-0000127-8192": 0.5, "thermalize/L4-0000000-0000127": 12.8 + 8}  # seconds: 25.6 in the file, 12.8 in the file
    for job, seconds in jobs.items():
        write_benchmark(tmp_path, job, seconds)
    (tmp_path / "benchmarks/empty.tsv").touch()
    used = used_by(files, tmp_path)
    assert used[4, "measure"].seconds == 40 and used[4, "gen-disorder"].seconds == 3 and used[0, "plots and tables"].seconds == 77
    assert total(used).seconds == pytest.approx(simulated + 3 + 40 + 77 + 8)
    rows = cells(report_campaign.usage_table(used))
    assert [row[1] for row in rows[1:]] == ["gen-disorder", "thermalize", "pt-run", "measure", "thermalize", "pt-run", "plots and tables", ""]
    assert rows[4][:6] == ["4", "measure", "1", "1", "0", "40 s"] and rows[4][6:] == ["–"] * 4
    assert all(row[7] in ("0.2", "–") for row in rows[1:])  # of a flip: without the start of programs
    assert f"{(simulated + 128) / 60:.1f} min" in report_campaign.facts(files, tmp_path)[0]


def test_times_by_the_clock_where_nothing_else_tells():
    row = dict.fromkeys(provenance.COLUMNS, "") | {"program": "measure", "kind": "observables", "L": "4", "file": "L4/batch0000000-0000127/observables-64.h5"}
    row |= {"start_time": "2026-11-21T10:00:00Z", "end_time": "2026-11-21T10:02:05Z"}
    assert used_by([row], Path("nowhere"))[4, "measure"].seconds == 125
    assert used_by([row | {"end_time": ""}], Path("nowhere")) == {}


def test_costs_that_nobody_counted_are_left_out(campaign, tmp_path):
    files = [row | dict.fromkeys(("flips", "wall_seconds", "calls", "gpu_energy_joules"), "") for row in provenance.collect(tmp_path)]
    assert report_campaign.usage_table(used_by(files, tmp_path)) == "" and report_campaign.facts(files, tmp_path) == []
    without_meter = [row | {"gpu_energy_joules": ""} for row in provenance.collect(tmp_path)]
    html = report_campaign.usage_table(used_by(without_meter, tmp_path))
    assert "ps per flip" in html and "energy" not in html
    assert report_campaign.section(None, files, tmp_path) == ""


def test_failures_are_told_with_their_messages(tmp_path):
    assert report_campaign.failures(tmp_path) == ""
    logs = tmp_path / "logs/run"
    logs.mkdir(parents=True)
    stopped = "pt-run: stopped by SIGTERM at sweep 4096 of 8192; checkpoint saved; run the same command again to continue\n"
    (logs / "L4-0000000-0000127-8192.log").write_text(f"2026-11-21 08:58:23 info pt-run L=4: 12%\n{stopped}{stopped}")
    assert report_campaign.failures(tmp_path) == ""
    (logs / "L6-0000000-0000127-8192.log").write_text("pt-run: run-8192.h5: no space left on device; free 4 MB & try again\n" + stopped)
    html = report_campaign.failures(tmp_path)
    assert "1 call ended with an error." in html and html.count("<li>") == 1
    assert "<code>logs/run/L6-0000000-0000127-8192.log</code>: pt-run: run-8192.h5: no space left on device; free 4 MB &amp; try again" in html


@pytest.mark.parametrize("device, planned", [("gpu", ["0.01 to 0.02", "0.0284", "0.1 to 0.2", "0.0111"]), ("cpu", ["0.1 to 0.2", "0.0396"])])
def test_planned_against_used(campaign, tmp_path, device, planned):
    """On GPUs, hours of GPUs and of cores apart; on CPUs, cores of all jobs."""
    size = {"flips": 4e14, "gpu_hours": 0.01, "core_hours": 0.1, "ps_per_flip": 0.1}
    most = size | {"flips": 8e14, "gpu_hours": 0.02, "core_hours": 0.2}
    plan = {"made": "2026-11-21T08:00:00Z", "device": device, "sizes": {"least": {"4": size}, "most": {"4": most}}, "whole": {"least": size, "most": most}}
    write_json(tmp_path / "plan.json", plan)
    write_benchmark(tmp_path, "measure/L4-0000000-0000127-8192", 40)
    write_benchmark(tmp_path, "reduce", 360)
    rows = cells((html := report_campaign.section(campaign, provenance.collect(tmp_path), tmp_path))[html.index("Planned and used") :])
    assert rows[1] == ["4", "4 × 1014 to 8 × 1014", "5.12 × 1014", *planned, "0.1", "0.2"]
    assert rows[2][:2] == ["all", "4 × 1014 to 8 × 1014"] and rows[2][-2:] == ["–", "0.2"]


@pytest.mark.parametrize("feedback, words", [(False, "have equal acceptances"), (True, "Feedback optimised")])
def test_ladder(tmp_path, feedback, words):
    assert report_ladder.section(tmp_path, None) == ""
    write_ladder(tmp_path / "ladder/L8.h5", feedback=feedback)
    html = report_ladder.section(tmp_path, None)
    head, before, after = cells(html)
    assert before[:4] == ["before tuning", "16", "0.50", "0.30 to 0.70"] and after[1:4] == ["12", "0.40", "0.40 to 0.40"]
    assert before[4:] == ["100.0(10)", "12.21(12)"]
    assert after[4:] == (["300.0(10)", "48.83(16)"] if feedback else ["200.0(10)", "32.55(16)"]) and words in html and "T = 0.8, " in html and "<figure" not in html
    (tmp_path / "ladder/L8.svg").write_text('<svg viewBox="0 0 1 1"></svg>')
    assert '<figure id="plot-L8" class="wide"><svg viewBox="0 0 1 1" role="img"' in report_ladder.section(tmp_path, None)


@pytest.mark.parametrize("feedback, trips", [(False, [12.207, 32.552]), (True, [12.207, 32.552, 48.828])])
def test_the_picture_shows_round_trips_as_the_files_give_them(tmp_path, feedback, trips):
    """Per 10^9 flips, with their errors; the estimates for other numbers of temperatures on the same scale."""
    write_ladder(tmp_path / "L8.h5", feedback=feedback)
    axes = ladder_plot.figure_of(ladder_plot.Tuning.read(tmp_path / "L8.h5")).axes[3]
    assert axes.get_xlabel() == "number of temperatures" and axes.get_ylabel() == "round trips per $10^9$ flips"
    drawn = sorted((line.get_xydata()[0, 1], bar) for (line, _, (bar,)) in axes.containers)
    assert [value for value, _ in drawn] == pytest.approx(trips, rel=1e-4)
    heights = [np.ptp(bar.get_segments()[0][:, 1]) / 2 for _, bar in drawn]
    assert heights == pytest.approx([1e9 * 1e-6 / (count * 512) for count in (16, 12, 12)[: len(trips)]])
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "before: 12.21(12)" in labels and ("feedback: 48.83(16)" if feedback else "after: 32.55(16)") in labels
    estimates = next(line for line in axes.lines if len(line.get_xdata()) == 3)
    np.testing.assert_allclose(estimates.get_xydata(), [[8, 36.62], [12, 32.55], [16, 26.86]], rtol=1e-3)
    plt.close("all")


def test_the_ladder_that_the_campaign_took(tmp_path):
    """Of L = 8 for itself and, with tuned:8, for another size; L = 6 has its own temperatures."""
    for L in (4, 8):
        write_ladder(tmp_path / f"ladder/L{L}.h5", L)
    with h5py.File(tmp_path / "ladder/L4.h5", "r+") as file:
        file["round1/temperatures"][1] = 0.85
        tuned = {"list": list(h5py.File(tmp_path / "ladder/L8.h5")["round1/temperatures"])}
    study = Study(validate({"lattice": {"L": [4, 6, 8]}, "temperatures": {"4": tuned, "6": {"count": 5}, "8": tuned}}))
    rows = cells(report_ladder.section(tmp_path, study))[:4]
    assert rows == [
        ["L", "taken from", "temperatures", "requested acceptance"],
        ["4", "ladder/L8.yaml", "12", "0.4"],
        ["6", "study file", "5", "–"],
        ["8", "ladder/L8.yaml", "12", "0.4"],
    ]
    assert "not the tuned ladders" in report_ladder.section(tmp_path, Study(validate({"lattice": {"L": [4, 8]}})))


def write_audit(file, **changes):
    file.parent.mkdir(exist_ok=True)
    made = {"backend": "cuda", "device": "a GPU"}, {"backend": "cpu avx512, 2 threads", "device": "a CPU"}
    data = {"format": "psflip audit", "equal": True, "L": 4, "first_realization": 128, "realizations": 32, "values": 100, "differences": 0}
    data |= {"original": made[0], "rerun": made[1], "flips": 32e12, "first_difference": None} | changes
    file.write_text(json.dumps(data))


def test_audit(tmp_path):
    assert report_audit.section(tmp_path, 1e15) == ""
    for i in range(3):
        write_audit(tmp_path / f"audit/{i}.json")
    write_audit(tmp_path / "audit/6.json", L=6)
    (tmp_path / "audit/other.json").write_text("{}")
    html = report_audit.section(tmp_path, 1.28e16)
    assert cells(html)[1:] == [
        ["4", "cuda", "cpu avx512, 2 threads", "3", "96", "9.6 × 1013", "3", "0"],
        ["6", "cuda", "cpu avx512, 2 threads", "1", "32", "3.2 × 1013", "1", "0"],
    ]
    assert "4 parts of runs (1 % of all flips) were repeated" in html and "All bits are equal" in html
    assert "%" not in report_audit.section(tmp_path, 0)


def test_an_audit_that_found_a_difference(tmp_path):
    first = {"file": "run-2048.h5", "dataset": "/blocks/energy", "index": [0, 1, 2], "realization": 131, "in_file": "4", "in_rerun": "8"}
    write_audit(tmp_path / "audit/a.json")
    write_audit(tmp_path / "audit/b.json", equal=False, differences=2, first_difference=first)
    html = report_audit.section(tmp_path, 0)
    assert "1 of 2 differ." in html and "All bits" not in html and cells(html)[1][-2:] == ["1", "1"]
    assert "2 of 100 values differ. The first is <code>run-2048.h5: /blocks/energy [0, 1, 2], realization 131, is 4, but 8 when repeated" in html


def test_numbers_for_people():
    assert page.ranges([1, 2, 3, 5, 8, 9]) == "1–3, 5, 8, 9"
    assert [page.duration(s) for s in (0.5, 48, 750, 12240, 10**6)] == ["0.5 s", "48 s", "12.5 min", "3.4 h", "11.6 d"]
    assert [page.quantity(x) for x in (1.32e16, 4654, 99949, 99951, 0.078, 0, float("nan"))] == [
        "1.32 × 10<sup>16</sup>", "4650", "99900", "1 × 10<sup>5</sup>", "0.078", "0", "–",
    ]  # fmt: skip
