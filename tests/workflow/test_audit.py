"""Audits of a campaign: which runs are drawn, on what they run again, and what happens where a result is wrong."""

import json
import shutil
from pathlib import Path

import h5py
import pytest
from psflip.campaign import audit_sample
from psflip.campaign.audit_sample import chosen, other_level
from psflip.campaign.campaign import Batch
from conftest import snakemake

RUNS = [(Batch(L, first, first + 127), end) for L in (4, 6) for first in range(0, 1280, 128) for end in (64, 128)]


def test_the_choice_is_the_same_every_time_and_grows():
    few, more = chosen(RUNS, 3, seed=7), chosen(RUNS, 9, seed=7)
    assert len(set(few)) == 3 and len(set(more)) == 9 and set(few) < set(more)
    assert chosen(list(reversed(RUNS)), 3, seed=7) == few
    assert chosen(RUNS, 9, seed=8) != more
    assert chosen(RUNS, 1000, seed=7) == sorted(RUNS)
    later = [(Batch(8, 0, 127), 64), *RUNS]
    assert len(set(chosen(later, 9, seed=7)) & set(more)) >= 8


@pytest.mark.parametrize("backend, flags, expected", [
    ("cuda NVIDIA H200, resident kernel", "", None),
    ("cpu avx512, 2 threads", "avx2 avx512f avx512dq avx512bw avx512vl", "avx2"),
    ("cpu avx2, 1 thread", "avx2 avx512f avx512dq avx512bw avx512vl", "avx512"), ("cpu avx2, 1 thread", "avx2", "scalar"),
    ("cpu avx512, 1 thread", "avx2", "avx2"), ("cpu scalar, 1 thread", "sse2", "scalar"),
])  # fmt: skip
def test_another_backend_than_that_of_the_run(backend, flags, expected):
    assert other_level(backend, set(flags.split())) == expected


def test_a_campaign_is_audited_and_a_wrong_bit_is_found(study, programs, tmp_path):
    if not (programs / "audit").is_file():
        pytest.skip(f"audit is not in {programs}")
    study(lattice={"L": 4}, run={"sweeps": 1024}, equilibration={"max_doublings": 0})
    snakemake(tmp_path, study="tiny.yaml", bin=programs)
    out = tmp_path / "results/tiny"
    assert not (out / "audit").exists()

    snakemake(tmp_path, study="tiny.yaml", bin=programs, audit=2)  # of a finished campaign
    results = {file.name: json.loads(file.read_text()) for file in out.glob("audit/L*.json")}
    assert sorted(results) == ["L4-0000000-0000031-1024.json", "L4-0000032-0000063-1024.json"]
    for result in results.values():
        assert result["equal"] and result["realizations"] == 32
        original, rerun = (result[key]["backend"] for key in ("original", "rerun"))
        level = other_level(original, audit_sample.processor_flags())
        assert level in rerun and original.split(",")[0] != rerun.split(",")[0]
    assert "all equal" in next(out.glob("audit/passed-2-*.txt")).read_text()
    assert "Nothing to be done" in (done := snakemake(tmp_path, study="tiny.yaml", bin=programs, audit=2)).stdout + done.stderr

    run = out / "L4/batch0000032-0000063/run-1024.h5"
    with h5py.File(run, "r+") as file:
        file["blocks/energy"][3, 1, 2, 5] += 4
        del file.attrs["sealed"]
    shutil.rmtree(out / "audit")
    done = snakemake(tmp_path, study="tiny.yaml", bin=programs, audit=2, check=False)
    assert done.returncode != 0
    text = done.stdout + done.stderr
    for word in ["run-1024.h5 differs from its rerun", "blocks/energy [3, 1, 2, 5]", "cannot be trusted"]:
        assert word in text
    result = json.loads((out / "audit/L4-0000032-0000063-1024.json").read_text())
    assert not result["equal"] and result["first_difference"]["realization"] == 37
    assert json.loads((out / "audit/L4-0000000-0000031-1024.json").read_text())["equal"]
    assert (out / "report.html").stat().st_mtime > run.stat().st_mtime  # made anew, with what was found
    assert not list(Path(out / "audit").glob("passed*"))
