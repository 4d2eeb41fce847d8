"""A small finished study, made by the programs and the modules that the workflow calls."""

import os
import subprocess
import sys
from pathlib import Path

import forked
import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
FROZEN = ROOT / "tests" / "data" / "frozen"
sys.path.insert(0, str(ROOT / "workflows"))

STUDY = """\
seed: 11
lattice: {L: [4, 6]}
disorder: {realizations: 96, batch: 64}
temperatures: {list: [1.0, 1.3, 1.6]}
multispin: {share: 32}
thermalize: {sweeps: 200}
run: {sweeps: 2000, measure_every: 10, blocks: 8, snapshots: 2}
equilibration: {test: none}
"""


def call(folder, name, *arguments):
    command = [BIN / name, "--config", "study.yaml", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def script(folder, name, *arguments):
    done = forked.psflip([name, *arguments], folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Its folder of results. The last of two batches has realizations that the study does not count."""
    if not (BIN / "measure").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    folder = tmp_path_factory.mktemp("results")
    (folder / "study.yaml").write_text(STUDY)
    for L in (4, 6):
        for first in (0, 64):
            batch = f"L{L}/batch{first:07d}-{first + 63:07d}"
            (folder / batch).mkdir(parents=True)
            disorder = ["--L", L, "--disorder", f"{batch}/disorder.h5"]
            call(folder, "gen-disorder", "--L", L, "--first", first, "--count", 64, "--out", f"{batch}/disorder.h5")
            call(folder, "thermalize", *disorder, "--out", f"{batch}/state-0.h5")
            call(folder, "pt-run", *disorder, "--state", f"{batch}/state-0.h5", "--out", f"{batch}/run-2000.h5", "--state-out", f"{batch}/state-2000.h5")
            call(folder, "measure", *disorder, "--run", f"{batch}/run-2000.h5", "--out", f"{batch}/observables-2000.h5")
    files = sorted(file.relative_to(folder) for file in folder.glob("L*/*/observables-2000.h5"))
    call(folder, "reduce-disorder", "--out", "reduced.h5", "--csv", "results.csv", *files)
    script(folder, "results.crossings", "--reduced", "reduced.h5", "--out", "crossings.csv", "--columns", "columns.csv")
    script(folder, "critical.analysis", "--reduced", "reduced.h5", "--json", "critical.json", "--csv", "critical.csv")
    script(folder, "results.paired", "--reduced", "reduced.h5", "--out", "equilibration.csv")
    script(folder, "results.provenance", "--results", ".", "--out", "provenance.csv")
    return folder
