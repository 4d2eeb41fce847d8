"""Large campaigns: how long planning takes, and that it opens no data files."""

import os
import pstats
import subprocess
import sys

import pytest
import yaml
from psflip.campaign import manifest
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.study import Study, validate
from conftest import ROOT, link_stand_ins, planned
from psflip.plan import planning
from psflip.plan.estimate import Estimate
from psflip.plan.rates import Rates

pytestmark = pytest.mark.long

SIZES = [4, 6, 8, 10, 12]
CALLS_PER_SECOND = 3.1e6  # of such a dry run (CPython 3.11, no profiler) on one core of a Xeon that does nothing else


def dry_run(folder, realizations):
    """Jobs, function calls and megabytes of a dry run, with batches of 1024 realizations at five sizes."""
    file = folder / f"n{realizations}.yaml"
    file.write_text(yaml.safe_dump({"lattice": {"L": SIZES}, "disorder": {"realizations": realizations, "batch": 1024}}))
    command = [sys.executable, "-m", "cProfile", "-o", folder / "profile", "-m", "snakemake", "--snakefile", ROOT / "workflows/Snakefile"]
    command += ["--cores", "2", "--dry-run", "--quiet", "rules", "--config", f"study={file}", f"bin={folder / 'bin'}"]
    with open(folder / "output", "w") as output:
        running = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    calls = pstats.Stats(str(folder / "profile")).total_calls
    return planned((folder / "output").read_text())["total"], calls, usage.ru_maxrss / 1024


def test_dry_run_of_a_million_realizations(tmp_path):
    """A million at five sizes within 60 s and 2 GB: from what a tenth of it takes, for both grow with the number of jobs. Time is
    counted in function calls, the same to 0.1% from run to run; seconds differ by a factor of two with what else the hardware does."""
    link_stand_ins(tmp_path / "bin")
    few, calls_few, memory_few = dry_run(tmp_path, 1024)
    many, calls_many, memory_many = dry_run(tmp_path, 100_000)
    assert many > 5 * 4 * 97
    jobs = 5 * 4 * 977
    calls = calls_few + (calls_many - calls_few) / (many - few) * jobs
    assert calls_few > 1e6 and calls < 60 * CALLS_PER_SECOND
    assert memory_few + (memory_many - memory_few) / (many - few) * jobs < 2000


def test_planning_reads_names_only(tmp_path):
    data = validate({"lattice": {"L": [4, 6]}, "disorder": {"realizations": 128 * 150, "batch": 128}})
    for L in (4, 6):
        for first in range(0, 128 * 100, 128):
            folder = tmp_path / Batch(L, first, first + 127).folder
            folder.mkdir(parents=True)
            for name in ("disorder", "state-0", "run-8192", "state-8192", "observables-8192"):
                (folder / f"{name}.h5").touch()
    manifest.write(Campaign(Study(data), tmp_path, 2))
    seen = {"open": [], "os.listdir": []}
    watching = [True]  # a hook stays for ever

    def watch(event, arguments):
        if watching and event in seen and str(arguments[0]).startswith(str(tmp_path)):
            seen[event].append(str(arguments[0]))

    sys.addaudithook(watch)
    campaign = Campaign(Study(data), tmp_path, 2)
    manifest.check(campaign)
    plan = planning.make_plan(Estimate(campaign, Rates(campaign, False)))
    watching.clear()
    assert plan["missing"]["least"]["jobs"]["run"] == 100
    assert len(seen["os.listdir"]) <= 2 * (100 + 50 + 1) and len(set(seen["os.listdir"])) == len(seen["os.listdir"])
    data_files = [name for name in seen["open"] if name.endswith(".h5")]
    assert len(data_files) <= 6, "rates are taken from three run files of each size"


LISTED = """import sys
seen = set()
sys.addaudithook(lambda event, words: event in ("os.listdir", "os.scandir") and seen.add(str(words[0])))
from snakemake.cli import main
try:
    main()
finally:
    for folder in seen:
        print("listed", folder)
"""


def test_a_job_on_a_node_lists_its_own_batch_only(tmp_path, study, stand_ins, finished):
    """As Snakemake starts it there, tens of thousands of times in a large campaign."""
    batch = tmp_path / "results/tiny/L4/batch0000000-0000031"
    for name in ("run-2048.h5", "state-2048.h5"):
        (batch / name).unlink()
    command = [sys.executable, "-c", LISTED, "--snakefile", ROOT / "workflows/Snakefile", "--cores", "1", "--mode", "remote", "--nolock", "--no-hooks"]
    command += ["--force", "--target-jobs", f"run:L=4,batch={batch.name[5:]},sweeps=2048", "--allowed-rules", "run"]
    done = subprocess.run([*command, "--config", f"study={study.file}", f"bin={stand_ins}"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and (batch / "run-2048.h5").is_file(), done.stderr
    listed = [line for line in done.stdout.splitlines() if line.startswith("listed ") and "/batch" in line]
    assert listed and all(line.endswith(batch.name) for line in listed)
