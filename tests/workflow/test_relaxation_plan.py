"""The plan of a relaxation: jobs of relax instead of tempering, and the size of its files."""

import json
import subprocess

from conftest import PROGRAMS
from psflip.campaign.campaign import Batch
from psflip.plan import planning
from psflip.plan.estimate import Estimate
from psflip.plan.rates import Rates
from test_plan import SIZES, STUDY, campaign, estimate_of, job, merged


def relaxation_plan(out, **relax):
    found = campaign(out, relax=relax)
    found.study.kind = "relaxation"
    return planning.make_plan(Estimate(found, Rates(found, False)))


def test_relaxations(tmp_path):
    """Their jobs instead of tempering; what is there to an earlier end is not done again."""
    plan = relaxation_plan(tmp_path, last=1000, waiting=[0, 100])
    assert plan["whole"]["most"] == plan["whole"]["least"] and plan["whole"]["least"]["jobs"] == {"disorder": 4, "relax": 4, "relaxation": 1}
    assert {L: of["flips"] for L, of in plan["sizes"]["least"].items()} == {str(L): L**3 * 2 * 6 * 64 * 1000 for L in (4, 6)}
    longer = relaxation_plan(tmp_path, last=4000000, waiting=[0, 100])["sizes"]["least"]["6"]
    assert longer["core_hours"] > 100 * plan["sizes"]["least"]["6"]["core_hours"] and longer["disk_bytes"] > plan["sizes"]["least"]["6"]["disk_bytes"]
    for name in ("disorder.h5", "relax-1000.h5", "relax-1000.state.h5"):
        (tmp_path / Batch.of(4, "0000000-0000031").folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / Batch.of(4, "0000000-0000031").folder / name).touch()
    assert relaxation_plan(tmp_path, last=1000)["missing"]["least"]["jobs"] == {"disorder": 3, "relax": 3, "relaxation": 1}
    later = relaxation_plan(tmp_path, last=3000)
    assert later["missing"]["least"]["jobs"]["relax"] == 4 and later["missing"]["least"]["flips"] == 2 * 6 * 32 * (4**3 * (2000 + 3000) + 6**3 * 2 * 3000)


def test_the_file_of_a_relaxation(programs, tmp_path):
    """What relax writes has about the size that was planned."""
    sections = {"relax": {"last": 2000, "waiting": [0, 64]}}
    found = campaign(tmp_path, **sections)
    (tmp_path / "study.yaml").write_text(json.dumps({**STUDY, **sections}))
    for name, *arguments in (("gen-disorder", "--first", 0, "--count", 32, "--out", "d.h5"), ("relax", "--disorder", "d.h5", "--out", "r.h5", "--state-out", "s.h5")):
        call = [PROGRAMS / name, "--config", "study.yaml", "--L", 6, *arguments, *(["--backend", "cpu"] if name == "relax" else [])]
        subprocess.run([str(word) for word in call], cwd=tmp_path, check=True, capture_output=True)
    size = sum((tmp_path / name).stat().st_size for name in ("r.h5", "s.h5"))
    assert 0.5 * size < Estimate(found, Rates(found, False)).relax(6, 32, 0, 2000).disk < 2 * size


def test_memory_of_a_relaxation_with_cluster_updates(programs, tmp_path):
    """A relaxation does not sum clusters, so it needs no totals of them."""
    L, count, sections = SIZES["clusters of sites"]
    estimate, _ = estimate_of(tmp_path, L, count, merged(sections, {"relax": {"last": 8}}))
    estimate.campaign.study.kind = "relaxation"
    job(tmp_path, "gen-disorder", L, "--first", 0, "--count", count, "--out", "d.h5")
    used, _ = job(tmp_path, "relax", L, "--disorder", "d.h5", "--backend", "cpu", "--out", "x.h5", "--state-out", "s.h5")
    assert used / 1.3 < estimate.relax(L, count, 0, 8).memory_mb < 1.3 * used
