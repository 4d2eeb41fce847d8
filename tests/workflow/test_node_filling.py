"""Slabs or one batch per GPU: what is chosen, and how a job gets its GPUs."""

import os
import shutil
import subprocess
import sys
import time

import h5py
import pytest
from conftest import ROOT, snakemake

from psflip.campaign.campaign import Campaign
from psflip.campaign.study import Study, validate
from psflip.plan.estimate import Estimate, Placement, choose, max_slabs, slab_costs, sweep_seconds
from psflip.plan.rates import Rates

SCRIPTS = ROOT / "workflows" / "psflip"


def chosen(L, batches, gpus, sweep, others=0.0, longest=None):
    return choose(max_slabs(L, 3, gpus), batches, Placement(gpus, "auto", longest), lambda n: 1e6 * sweep_seconds(sweep, L, n), others)


ONE = 1e6 * sweep_seconds(1043e-6, 256, 1)  # seconds of a batch of L = 256 on one GPU


@pytest.mark.parametrize("L, batches, gpus, sweep, more, slabs", [
    (256, 1, 8, 1043e-6, {}, 8), (256, 1, 1, 1043e-6, {}, 1), (8, 1, 8, 5e-6, {}, 1),  # of a small lattice, a sweep ends before a halo arrives
    (256, 8, 8, 1043e-6, {}, 1), (256, 4, 8, 1043e-6, {}, 2), (256, 80, 8, 1043e-6, {}, 1),  # as many batches as GPUs fill them
    (256, 1, 8, 1043e-6, {"others": 100 * ONE}, 1), (256, 1, 8, 1043e-6, {"others": 0.1 * ONE}, 8),  # other sizes fill the GPUs, too
    (256, 1, 4, 1043e-6, {"longest": 2 * ONE}, 1), (256, 1, 4, 1043e-6, {"longest": 0.6 * ONE}, 2), (256, 1, 4, 1043e-6, {"longest": 0.01 * ONE}, 4),  # a cluster cuts long jobs
])  # fmt: skip
def test_slabs_that_are_chosen(L, batches, gpus, sweep, more, slabs):
    assert chosen(L, batches, gpus, sweep, **more) == slabs


@pytest.mark.parametrize(
    "L, columns, whole, two, four",
    [(64, 1, 26.91, 19.51, 15.08), (128, 1, 133.23, 75.44, 52.15), (256, 1, 1000.6, 558.9, 323.3), (512, 1, 7564, 4032, 2094), (64, 4, 82.13, 51.48, 32.84), (128, 4, 523.4, 321.2, 193.9)],
)
def test_times_are_the_measured_ones(L, columns, whole, two, four):
    """Microseconds of a sweep on one H200, and in slabs on two and four, by `bench-slab` (commit b372cb6)."""
    for slabs, cut in ((2, two), (4, four)):
        assert sweep_seconds(1e-6 * whole, L, slabs) == pytest.approx(1e-6 * cut, rel=0.13), columns


@pytest.mark.parametrize("L, whole, two, four", [(128, 30.8, 20.1, 18.0), (256, 234.9, 127.5, 68.8)])
def test_times_of_vector_spins_are_the_measured_ones(L, whole, two, four):
    """Microseconds of a Metropolis sweep of one lattice in float on one, two and four H100, by `bench-vector`."""
    costs = slab_costs(validate({"model": {"kind": "heisenberg"}}))
    for slabs, cut in ((2, two), (4, four)):
        assert sweep_seconds(1e-6 * whole, L, slabs, *costs) == pytest.approx(1e-6 * cut, rel=0.17)


def test_large_lattices_of_vector_spins_are_cut(tmp_path):
    def chosen(L, dimension=3):
        data = {"model": {"kind": "heisenberg", "dimension": dimension}, "lattice": {"L": [L]}, "disorder": {"realizations": 1, "batch": 1}, "temperatures": {"count": 2}}
        study = Campaign(Study(validate(data)), tmp_path, 2)
        return Estimate(study, Rates(study, True), placement=Placement(4)).slabs(L)

    assert (chosen(256), chosen(8), chosen(256, 2)) == (4, 1, 1)


def test_slabs_have_two_planes_and_three_dimensions():
    assert max_slabs(8, 3, 16) == 4
    assert max_slabs(1024, 2, 16) == 1
    assert [max_slabs(32, 3, 16, "sites", tile) for tile in (0, 2)] == [4, 2]
    assert [max_slabs(128, 2, 16, "sites", tile) for tile in (0, 4)] == [8, 2]


def on_gpus(count, wanted, *command, tmp, places=1, **environment):
    words = [sys.executable, str(SCRIPTS), "jobs.on_free_gpus", str(count), str(places), str(wanted), *command]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp), **environment})


def test_jobs_get_gpus_that_no_other_has(tmp_path):
    hold = ["sh", "-c", "echo $CUDA_VISIBLE_DEVICES; read _ < hold"]
    os.mkfifo(tmp_path / "hold")
    hold[2] = hold[2].replace("hold", str(tmp_path / "hold"))
    first = on_gpus(3, 2, *hold, tmp=tmp_path)
    assert first.stdout.readline() == "0,1\n"
    second = on_gpus(3, 1, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", tmp=tmp_path)
    assert second.communicate(timeout=20)[0] == "2\n"
    third = on_gpus(3, 2, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", tmp=tmp_path)
    time.sleep(1.5)
    assert third.poll() is None, "it waits: of three GPUs one is free"
    with open(tmp_path / "hold", "w") as end:
        end.write("\n")
    assert first.wait(timeout=20) == 0
    assert third.communicate(timeout=20)[0] == "0,1\n"


def test_two_jobs_on_each_gpu(tmp_path):
    """Those without a job first; the fifth waits."""
    jobs = []
    for gpu in ("0\n", "1\n", "0\n", "1\n"):
        jobs.append(on_gpus(2, 1, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exec sleep 60", tmp=tmp_path, places=2))
        assert jobs[-1].stdout.readline() == gpu
    fifth = on_gpus(2, 1, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", tmp=tmp_path, places=2)
    time.sleep(1.5)
    assert fifth.poll() is None
    jobs[1].kill()
    assert fifth.communicate(timeout=20)[0] == "1\n"
    slabs = on_gpus(2, 2, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", tmp=tmp_path, places=2)
    for job in jobs[2:]:
        time.sleep(1.5)
        assert slabs.poll() is None, "slabs have their GPUs alone"
        job.kill()
    jobs[0].kill()
    assert slabs.communicate(timeout=20)[0] == "0,1\n"
    for job in jobs:
        job.kill()
        job.communicate()


def test_gpus_are_those_that_may_be_used(tmp_path):
    job = on_gpus(2, 1, "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exit 75", tmp=tmp_path, CUDA_VISIBLE_DEVICES="5,7,9")
    assert job.communicate(timeout=20)[0] == "5\n"
    assert job.returncode == 75, "the exit code is that of the program"
    job = on_gpus(2, 3, "true", tmp=tmp_path)
    assert "the job needs 3 GPUs, but only 2 may be used here" in job.communicate(timeout=20)[1]
    assert job.returncode == 1


def test_slabs_give_the_same_run(tmp_path, study, programs, monkeypatch):
    """The jobs of one batch with whole lattices, and with two slabs of each, the processes of mpirun."""
    if shutil.which("mpirun") is None or "MPI: yes" not in subprocess.run([programs / "thermalize", "--version"], capture_output=True, text=True).stdout:
        pytest.skip("no mpirun, or programs without MPI")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    study(disorder={"realizations": 32})
    for slabs in (1, 2):
        out = f"slabs{slabs}"
        run = f"{out}/L6/batch0000000-0000031/run-2048.h5"
        snakemake(tmp_path, run, study="tiny.yaml", bin=programs, out=out, slabs=slabs, gpus=0, mpi="mpirun --bind-to none --oversubscribe")
    files = [h5py.File(tmp_path / f"slabs{slabs}/L6/batch0000000-0000031/run-2048.h5") for slabs in (1, 2)]
    assert [int(file["provenance"].attrs.get("ranks", 1)) for file in files] == [1, 2]
    for name in ("blocks/energy", "blocks/overlap2", "blocks/kmin"):
        one, two = (file[name][()] for file in files)
        assert one.any() and (one == two).all(), name


def test_houdayer_moves_add_their_time(tmp_path):
    ladder = {"temperatures": {"list": [0.5, 1.0, 1.5, 2.0]}, "lattice": {"L": [16]}}
    with_moves, without = (Campaign(Study(validate({**ladder, "dynamics": more})), tmp_path, 2) for more in ({"houdayer_every": 10, "houdayer_below": 1.0}, {}))
    assert Rates(with_moves, False).rate(16).ps == pytest.approx(Rates(without, False).rate(16).ps + 30 / 10 * 2 / 4, rel=0.01)


def test_clusters_have_share_1_rates_and_no_slabs(tmp_path):
    def of(**dynamics):
        return Campaign(Study(validate({"model": {"kind": "ferromagnet", "dimension": 2}, "lattice": {"L": [64]}, "dynamics": dynamics})), tmp_path, 2)

    swendsen_wang, one, three = of(update="swendsen-wang"), of(update="wolff"), of(update="wolff", wolff_clusters=3)
    assert swendsen_wang.study.data["multispin"]["share"] == 1
    assert Rates(swendsen_wang, False).rate(64).ps == pytest.approx(2800 * (1 + 1.5 / 100))  # 1.5 sweeps every 100
    assert Rates(three, False).rate(64).ps == 3 * Rates(one, False).rate(64).ps
    assert Estimate(one, Rates(one, True), placement=Placement(8, 4)).slabs(64) == 1


def test_squares_are_cut_on_request(tmp_path):
    """Ranks of a square hold all of it, so the memory grows with their number."""
    study = Campaign(Study(validate({"multispin": {"lanes": "sites"}, "lattice": {"L": [1024]}, "model": {"dimension": 2}})), tmp_path, 2)
    wanted, auto = (Estimate(study, Rates(study, True), placement=Placement(4, slabs)) for slabs in (8, "auto"))
    assert (wanted.slabs(1024), auto.slabs(1024)) == (4, 1)
    cut, whole = (estimate.simulation(1024, 1, 100, 1000.0, 0.0, 0.0) for estimate in (wanted, auto))
    assert cut.memory_mb > 4000 > 3000 > whole.memory_mb and cut.seconds < whole.seconds


def test_houdayer_moves_need_whole_lattices(tmp_path):
    large = {"lattice": {"L": [64]}, "disorder": {"realizations": 128, "batch": 128}}
    for more, slabs in (({}, 4), ({"houdayer_every": 10}, 1)):
        study = Campaign(Study(validate({**large, "dynamics": more})), tmp_path, 2)
        assert Estimate(study, Rates(study, True), placement=Placement(4, 4)).slabs(64) == slabs


def test_tiles_of_vector_spins_need_whole_lattices(tmp_path):
    large = {"model": {"kind": "heisenberg"}, "lattice": {"L": [64]}, "disorder": {"realizations": 2, "batch": 2}}
    for more, slabs in (({}, 4), ({"tile": 8}, 1)):
        study = Campaign(Study(validate({**large, "dynamics": more})), tmp_path, 2)
        assert Estimate(study, Rates(study, True), placement=Placement(4, 4)).slabs(64) == slabs


def test_demons_have_share_1_rates_and_no_slabs(tmp_path):
    study = validate({"dynamics": {"update": "demon"}})
    assert study["multispin"]["share"] == 1
    for multispin, factor in (({"share": 1, "lanes": "replicas"}, 0.46), ({"share": 1}, 0.3)):
        demons, glass = (Campaign(Study(validate({"multispin": multispin, "lattice": {"L": [64]}, **more})), tmp_path, 2) for more in ({"dynamics": {"update": "demon"}}, {}))
        assert Rates(demons, False).rate(64).ps == pytest.approx(factor * Rates(glass, False).rate(64).ps)
    large = {"multispin": {"lanes": "sites"}, "lattice": {"L": [64]}}
    demons_of_sites, sites = (Campaign(Study(validate({**large, **more})), tmp_path, 2) for more in ({"dynamics": {"update": "demon"}}, {}))
    assert Rates(demons_of_sites, False).rate(64).ps == pytest.approx(0.25 * Rates(sites, False).rate(64).ps)
    assert Estimate(demons_of_sites, Rates(demons_of_sites, False)).slabs(64) == 1
    assert Estimate(demons, Rates(demons, True), placement=Placement(8, 4)).slabs(64) == 1
    diluted, plain = (
        Campaign(Study(validate({"multispin": {"share": 1}, "lattice": {"L": [64]}, "model": model, "dynamics": {"update": "demon"}})), tmp_path, 2)
        for model in ({"p_absent": 0.2}, {})
    )
    assert Rates(diluted, False).rate(64).ps == pytest.approx(2.0 * Rates(plain, False).rate(64).ps)
    assert Estimate(glass, Rates(glass, True), placement=Placement(8, 4)).slabs(64) == 4
