"""A campaign that grows ends as one that had the larger values from the start, with the real programs: byte for byte in all data."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import yaml
from conftest import PROGRAMS, ROOT, TOOLS, snakemake
from psflip.jobs.writer import one_writer

TINY = yaml.safe_load((Path(__file__).parent / "tiny.yaml").read_text())
# no realization is equilibrated for such a test, so that all batches get all doublings
STRICT = {"threshold_sigma": 0.1, "max_doublings": 1}


def write(file, **sections):
    data = {**TINY, "lattice": {"L": [4]}, "run": {"sweeps": 2048, "measure_every": 20, "blocks": 8}}
    data["equilibration"] = {"max_doublings": 0}
    data.update(sections)
    file.write_text(yaml.safe_dump(data))


def run(folder, out, *arguments, **sections):
    write(folder / f"{out}.yaml", **sections)
    return snakemake(folder, "reduce", *arguments, study=f"{out}.yaml", bin=PROGRAMS, out=out)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """64 realizations to 2048 sweeps, in the folder `small`."""
    if not all((PROGRAMS / name).is_file() for name in TOOLS):
        pytest.skip(f"programs not in {PROGRAMS}; set PSFLIP_BIN")
    folder = tmp_path_factory.mktemp("extension")
    run(folder, "small")
    return folder


@pytest.fixture
def grown(small, tmp_path):
    """A copy of it that may be changed, under the name `grown`."""
    shutil.copytree(small / "small", tmp_path / "grown")
    return tmp_path


def data(file):
    """All datasets of a file as bytes; not the provenance."""
    found = {}
    with h5py.File(file) as opened:
        opened.visititems(lambda name, node: found.update({name: node[()]}) if isinstance(node, h5py.Dataset) else None)
    return {name: np.asarray(value).tobytes() for name, value in found.items() if not name.startswith("provenance")}


def same(one, two):
    a, b = data(one), data(two)
    assert a.keys() == b.keys() and a
    assert [name for name in a if a[name] != b[name]] == []


def times(folder):
    """Time of the last change of each file of a batch."""
    found = {file: file.stat().st_mtime_ns for file in folder.glob("L*/batch*/*.h5")}
    assert {"disorder.h5", "state-0.h5", "run-2048.h5"} <= {file.name for file in found}
    return found


def test_realizations_and_size_added(grown):
    before = times(grown / "grown")
    larger = {"disorder": {"realizations": 128, "batch": 32}, "lattice": {"L": [4, 6]}}
    run(grown, "grown", **larger)
    run(grown, "fresh", **larger)
    assert times(grown / "grown").items() >= before.items()
    files = sorted(file.relative_to(grown / "fresh") for file in (grown / "fresh").glob("L*/batch*/observables-*.h5"))
    assert len(files) == 8
    for file in files:
        same(grown / "grown" / file, grown / "fresh" / file)
    assert (grown / "grown/results.csv").read_bytes() == (grown / "fresh/results.csv").read_bytes()
    same(grown / "grown/reduced.h5", grown / "fresh/reduced.h5")


def test_sweeps_doubled(grown):
    before = times(grown / "grown")
    longer = {"run": {"sweeps": 8192, "measure_every": 20, "blocks": 8}}
    run(grown, "grown", **longer)
    run(grown, "fresh", **longer)
    assert times(grown / "grown").items() >= before.items()
    for batch in ("0000000-0000031", "0000032-0000063"):
        for name in ("observables-8192.h5", "state-8192.h5"):
            same(grown / f"grown/L4/batch{batch}/{name}", grown / f"fresh/L4/batch{batch}/{name}")
    assert (grown / "grown/results.csv").read_bytes() == (grown / "fresh/results.csv").read_bytes()


def test_doublings_need_nobody_and_change_nothing(grown):
    """Runs that the workflow doubled equal runs that are asked for from the start."""
    run(grown, "grown", equilibration=STRICT)
    run(grown, "fresh", run={"sweeps": 4096, "measure_every": 20, "blocks": 8}, equilibration={**STRICT, "max_doublings": 0})
    for batch in ("0000000-0000031", "0000032-0000063"):
        assert sorted(file.name for file in (grown / f"grown/L4/batch{batch}").glob("run-*")) == ["run-2048.h5", "run-4096.h5"]
        same(grown / f"grown/L4/batch{batch}/observables-4096.h5", grown / f"fresh/L4/batch{batch}/observables-4096.h5")
    assert (grown / "grown/results.csv").read_bytes() == (grown / "fresh/results.csv").read_bytes()


def test_other_batches_are_the_same_campaign(grown):
    run(grown, "fresh", disorder={"realizations": 64, "batch": 64})
    assert [folder.name for folder in (grown / "fresh/L4").glob("batch*")] == ["batch0000000-0000063"]
    assert (grown / "grown/results.csv").read_bytes() == (grown / "fresh/results.csv").read_bytes()


def partial(out):
    command = [ROOT / "workflows/partial", out, "--bin", PROGRAMS]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})


def test_partial_results_at_any_time(grown):
    out = grown / "grown"
    study = yaml.safe_load((out / "study.yaml").read_text())
    study |= {"lattice": {"L": [4, 6]}, "run": {**study["run"], "sweeps": {4: 2048, 6: 4096}}}
    study["equilibration"] = {"unequilibrated": "refuse", "threshold_sigma": 0.1}
    (out / "study.yaml").write_text(yaml.safe_dump(study))
    one_writer(out)  # as if Snakemake was at work
    before = times(out)
    done = partial(out)
    assert done.returncode == 0, done.stderr
    assert "L = 4: 64 of 64 realizations\nL = 6: 0 of 64 realizations\n" in done.stdout
    assert (out / "partial/results.csv").read_bytes() == (out / "results.csv").read_bytes()
    assert ", so far" in (out / "partial/report.html").read_text() and (out / "partial/plots/binder.png").is_file()
    for file in out.glob("L4/batch0000032-*/observables-*.h5"):
        file.unlink()
    done = partial(out)
    assert done.returncode == 0 and "L = 4: 32 of 64 realizations" in done.stdout, done.stderr
    with h5py.File(out / "partial/reduced.h5") as reduced:
        assert reduced["L4"].attrs["n_realizations"] == 32
    assert times(out).items() <= before.items()
    for file in out.glob("L4/batch*/observables-*.h5"):
        file.unlink()
    done = partial(out)
    assert done.returncode == 1 and "no batch is measured yet" in done.stderr


def test_lost_files_are_made_again_where_they_are_needed(grown):
    """Couplings and a run of a finished batch are lost: nothing happens until they are needed, and then only they are made again."""
    batch = grown / "grown/L4/batch0000032-0000063"
    before = times(grown / "grown")
    run_file, disorder = data(batch / "run-2048.h5"), data(batch / "disorder.h5")
    (batch / "run-2048.h5").unlink()
    (batch / "disorder.h5").unlink()
    snakemake_says = run(grown, "grown", "--dry-run").stdout
    assert "Nothing to be done" in snakemake_says
    run(grown, "grown", equilibration=STRICT)
    assert data(batch / "run-2048.h5") == run_file and data(batch / "disorder.h5") == disorder
    kept = {file for file in before if "observables" not in file.name and (file.parent != batch or file.name == "state-0.h5")}
    assert {file: before[file] for file in kept}.items() <= times(grown / "grown").items()
