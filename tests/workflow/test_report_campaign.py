"""The report on a campaign: what is done, what it cost, ladders, audits; each part left out where there is nothing to say."""

import re

import page
import provenance
import pytest
import report_campaign
import report_ladder
from campaign import Campaign
from synthetic import write_campaign, write_ladder

def cells(html):
    """The rows of the first table after which nothing but text follows: lists of the cells' text."""
    return [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)]


@pytest.fixture
def campaign(tmp_path):
    return Campaign(write_campaign(tmp_path), tmp_path)


def test_what_is_done_and_missing(campaign):
    head, *rows = cells(report_campaign.progress_table(campaign))
    assert head == ["L", "batches", "couplings", "thermalized", "runs", "measured", "files missing", "with a checkpoint", "being written"]
    assert rows == [["4", "2", "2", "2", "3", "3", "0", "0", "0"], ["6", "2", "2", "2", "2", "1 of 2", "1", "0", "0"]]


def test_checkpoints_and_locks_are_counted(tmp_path):
    study = write_campaign(tmp_path)
    batch = tmp_path / "L6/batch0000128-0000255"
    (batch / "run-8192.h5").unlink()
    for name in ("run-8192.h5.checkpoint.h5", "run-8192.h5.lock"):
        (batch / name).touch()
    rows = cells(report_campaign.progress_table(Campaign(study, tmp_path)))
    assert rows[-1] == ["6", "2", "2", "2", "1 of 2", "1 of 2", "2", "1", "1"]


def test_a_finished_campaign_says_so(campaign, tmp_path):
    assert "that are missing: 1." in report_campaign.progress_table(campaign)
    (tmp_path / "L6/batch0000128-0000255/observables-8192.h5").touch()
    assert "All jobs of the campaign are done" in report_campaign.progress_table(Campaign(campaign.study, tmp_path))


def test_what_it_cost(campaign, tmp_path):
    files = provenance.collect(tmp_path)
    rows = cells(report_campaign.usage_table(report_campaign.used_by(files)))
    # L = 4: thermalize 64e12 flips and 12.8 s each, called once and twice; three runs of twice that, called 3 times each.
    assert rows[1][:5] == ["4", "thermalize", "2", "3", "1"] and rows[1][6] == "1.28 × 1014"
    assert rows[2][:6] == ["4", "pt-run", "3", "9", "6", "77 s"]
    assert rows[-1][:5] == ["all", "", "9", "21", "12"]
    assert all(row[7] == "0.2" and row[9] == "100 kJ" for row in rows[1:])
    assert "flips" in report_campaign.facts(files)[0]


def test_costs_that_nobody_counted_are_left_out(campaign, tmp_path):
    files = [row | {key: "" for key in provenance.USAGE} for row in provenance.collect(tmp_path)]
    assert report_campaign.usage_table(report_campaign.used_by(files)) == "" and report_campaign.facts(files) == []
    without_meter = [row | {"gpu_energy_joules": ""} for row in provenance.collect(tmp_path)]
    html = report_campaign.usage_table(report_campaign.used_by(without_meter))
    assert "ps per flip" in html and "energy" not in html
    assert report_campaign.section(None, files) == ""


@pytest.mark.parametrize("feedback, words", [(False, "Equal acceptance"), (True, "by feedback")])
def test_ladder(tmp_path, feedback, words):
    assert report_ladder.section(tmp_path) == ""
    write_ladder(tmp_path / "ladder/L8.h5", feedback=feedback)
    html = report_ladder.section(tmp_path)
    head, before, after = cells(html)
    assert before[:4] == ["study's", "16", "0.50", "0.30 to 0.70"] and after[1:4] == ["12", "0.40", "0.40 to 0.40"]
    assert after[4:] == (["300", "150"] if feedback else ["200", "100"]) and words in html and "T = 0.8, " in html


def test_numbers_for_people():
    assert page.ranges([1, 2, 3, 5, 8, 9]) == "1–3, 5, 8, 9"
    assert [page.duration(s) for s in (0.5, 48, 750, 12240, 10**6)] == ["0.5 s", "48 s", "12.5 min", "3.4 h", "11.6 d"]
    assert [page.quantity(x) for x in (1.32e16, 0.078, 0, float("nan"))] == ["1.32 × 10<sup>16</sup>", "0.078", "0", "–"]
