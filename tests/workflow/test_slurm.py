"""A small campaign on a real Slurm: time limits, a dead node, preemption, killed programs and a killed Snakemake; and that its results
equal the results of an undisturbed local run. One fixture runs it all, the tests look at what came of it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import h5py
import pytest
import yaml
from conftest import PROGRAMS, ROOT, TOOLS, lock_elsewhere
from one_machine_slurm import Slurm, kill, missing

from psflip.campaign.programs import Programs

pytestmark = pytest.mark.long

# Each run takes some 10 s of a fast core, several times that of one that others use too.
STUDY = {
    "seed": 7,
    "lattice": {"L": [4, 6]},
    "disorder": {"realizations": 32, "batch": 32},
    "temperatures": {"min": 0.9, "max": 2.0, "count": 8},
    "multispin": {"share": 32},
    "dynamics": {"sweeps_per_swap": 8},
    "thermalize": {"sweeps": 512},
    "run": {"sweeps": {4: 4194304, 6: 1048576}, "measure_every": 128, "blocks": 8},
    "equilibration": {"max_doublings": 1, "threshold_sigma": 1000, "min_walk_times": 1},
    "checkpoint": {"every_seconds": 1},
}
STARTS = 5  # that a run needs with the programs' time limit
# Jobs that meet Slurm's own time limit: signal that stops them -> sbatch options. Slurm looks at limits every 30 s.
LIMITED = {"SIGTERM": [], "SIGUSR1": ["--signal=USR1@10"]}
BATCHES = {4: "L4/batch0000000-0000031", 6: "L6/batch0000000-0000031"}
RUNS = {L: f"{batch}/run-{STUDY['run']['sweeps'][L]}.h5" for L, batch in BATCHES.items()}


def wait_for(what, condition, seconds=240):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"no {what} within {seconds} s"
        time.sleep(0.2)
    return found


def command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def writers(folder: Path) -> dict[str, list[int]]:
    """The pt-run processes of a folder: output file -> process numbers."""
    found: dict[str, list[int]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode().split("\0")
            if words[0].endswith("/pt-run") and (process / "cwd").resolve() == folder.resolve():
                found.setdefault(words[words.index("--out") + 1], []).append(int(process.name))
        except (OSError, ValueError, UnicodeDecodeError):
            continue
    return found


class Watch(threading.Thread):
    """Looks all the time for an output file with two writers, and for jobs that have met Slurm's time limit, which it cancels."""

    def __init__(self, campaign: "Campaign"):
        super().__init__(daemon=True)
        self.campaign, self.twice, self.done = campaign, [], threading.Event()

    def run(self):
        while not self.done.wait(0.3):
            self.twice += [(out, processes) for out, processes in writers(self.campaign.folder).items() if len(processes) > 1]
            for job in self.campaign.limited:
                job.cancel_after_second_start()


class LimitedJob:
    """A long pt-run under resumable.py, in a job with a time limit of a minute. It leaves the cores to the campaign."""

    def __init__(self, campaign: "Campaign", name: str, *options: str):
        self.campaign, self.name, self.restarts = campaign, name, 0
        batch = f"out/{BATCHES[4]}"
        program = f"nice -n 19 {PROGRAMS}/pt-run --config small.yaml --L 4 --disorder {batch}/disorder.h5 --state {batch}/state-0.h5"
        script = f"srun -n1 {sys.executable} {ROOT}/workflows/psflip jobs.resumable {program} --until {2**32} --out {name}.h5 --threads 1"
        command = ["sbatch", "--parsable", "--time=1", "--mem=100", "--requeue", "--open-mode=append", *options]
        place = [f"--chdir={campaign.folder}", f"--output={campaign.folder}/{name}.log"]
        self.number = campaign.slurm.run(*command, *place, f"--wrap={script}").strip()

    def log(self) -> str:
        file = self.campaign.folder / f"{self.name}.log"
        return file.read_text() if file.exists() else ""

    def cancel_after_second_start(self) -> None:
        if not self.restarts and "continuing from" in self.log():
            self.restarts = int(self.campaign.job(self.number)["Restarts"])
            self.campaign.slurm.run("scancel", self.number)


class Campaign:
    def __init__(self, folder: Path, slurm: Slurm, study=STUDY):
        self.folder, self.slurm = folder, slurm
        self.limited: list[LimitedJob] = []
        folder.mkdir()
        (folder / "small.yaml").write_text(yaml.safe_dump(study))

    def command(self, *arguments: str, **options: object) -> list[str]:
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflows/Snakefile"), *arguments]
        without_cuda = {} if Programs.find(PROGRAMS).cuda else {"gpus": 0}  # the nodes here offer GPUs
        options = {"study": "small.yaml", "bin": PROGRAMS, "out": "out", **without_cuda, **options}
        return [*command, "--config", *(f"{key}={value}" for key, value in options.items())]

    def start(self, name: str, **options: object) -> subprocess.Popen:
        """Snakemake with the Slurm profile, asking more often than it does on a cluster."""
        often = ["--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "20"]
        profile = ["--workflow-profile", str(ROOT / "workflows/profiles/slurm")]
        with (self.folder / name).open("w") as log:
            return subprocess.Popen(
                self.command(*profile, *often, "--until", "reduce", **options),
                cwd=self.folder,
                env=self.slurm.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def log(self, name: str) -> str:
        return (self.folder / name).read_text()

    def running(self, L: int) -> int:
        """The process that writes the run of L, once it has a checkpoint; 0 without."""
        out = f"out/{RUNS[L]}"
        processes = writers(self.folder).get(out, [])
        return processes[0] if processes and (self.folder / f"{out}.checkpoint.h5").exists() else 0

    def both_running(self) -> bool:
        return all(self.running(L) for L in RUNS)

    def job(self, number: str) -> dict[str, str]:
        """Slurm's record of a job."""
        return dict(re.findall(r"(\w+)=(\S*)", self.slurm.run("scontrol", "show", "job", "-o", number)))

    def jobs(self, L: int) -> list[dict[str, str]]:
        """Slurm's records of all jobs that ran the run of L, the newest last."""
        listing = self.slurm.run("squeue", "--states=all", "--noheader", "--sort=i", "--format=%i %k").splitlines()
        numbers = [line.split()[0] for line in listing if f"rule_run_wildcards_{L}_" in line]
        return [self.job(number) for number in numbers]


def node_dies(campaign: Campaign) -> None:
    """Slurm's daemon and everything that it started on the node are gone at once; the controller notices and the node comes back."""
    slurm = campaign.slurm
    slurm.daemons[-1].kill()
    for number, environment in slurm.processes():
        if b"SLURM_JOB_ID=" in environment or command(number).startswith(b"slurmstepd"):
            kill(number)
    slurm.daemons.pop().wait()
    slurm.run("scontrol", "update", f"NodeName={slurm.host}", "State=DOWN", "Reason=test")
    slurm.start_node()


def seconds_of_a_run(campaign: Campaign) -> float:
    """How long the run of L = 6 would take, as the machine is now, from a part of it."""
    folder = campaign.folder / "out" / BATCHES[6]
    part = STUDY["run"]["sweeps"][6] // 16
    command = [PROGRAMS / "pt-run", "--config", "small.yaml", "--L", "6", "--disorder", folder / "disorder.h5", "--state", folder / "state-0.h5"]
    begin = time.monotonic()
    subprocess.run([*command, "--until", str(part), "--out", "part.h5", "--threads", "1"], cwd=campaign.folder, check=True, capture_output=True)
    return 16 * (time.monotonic() - begin)


def disturb(campaign: Campaign) -> None:
    time_limit = max(1.5, seconds_of_a_run(campaign) / STARTS)
    first = campaign.start("first.log", time_limit=time_limit)
    wait_for("runs of both sizes", lambda: campaign.both_running() or first.poll() is not None)
    assert first.poll() is None, campaign.log("first.log")
    node_dies(campaign)
    campaign.limited += [LimitedJob(campaign, name, *options) for name, options in LIMITED.items()]
    wait_for("runs after the node came back", campaign.both_running)
    campaign.slurm.run("scontrol", "requeue", campaign.jobs(4)[-1]["JobId"])
    os.kill(campaign.running(6), signal.SIGKILL)
    wait_for("second job of L = 6", lambda: len(campaign.jobs(6)) > 1 and campaign.running(6))
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    second = campaign.start("second.log", time_limit=time_limit)
    wait_for("second Snakemake waiting", lambda: "of an earlier Snakemake" in campaign.log("second.log"))
    third = campaign.start("third.log", time_limit=time_limit)
    assert third.wait(timeout=60) != 0
    assert second.wait(timeout=400) == 0, campaign.log("second.log")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if reason := missing():
        pytest.skip(f"no Slurm: {reason}")
    absent = [name for name in TOOLS if not (PROGRAMS / name).is_file()]
    if absent:
        pytest.skip(f"{', '.join(absent)} not in {PROGRAMS}; set PSFLIP_BIN")
    with Slurm(tmp_path_factory.mktemp("slurm")) as slurm:
        yield slurm


@pytest.fixture(scope="module")
def campaign(slurm, tmp_path_factory):
    """The disturbed campaign on Slurm, and in `undisturbed` the local one. Both start from the same thermalized states."""
    folder = tmp_path_factory.mktemp("campaign")
    local, campaign = Campaign(folder / "local", slurm), Campaign(folder / "slurm", slurm)
    campaign.undisturbed = local.folder
    with (folder / "local.log").open("w") as log:
        subprocess.run(local.command("--until", "thermalize"), cwd=local.folder, stdout=log, stderr=log, check=True)
        shutil.copytree(local.folder / "out", campaign.folder / "out")
        undisturbed = subprocess.Popen(local.command("--until", "reduce"), cwd=local.folder, stdout=log, stderr=log)
    watch = Watch(campaign)
    watch.start()
    try:
        disturb(campaign)
    finally:
        watch.done.set()
        status = undisturbed.wait(timeout=400)
    assert status == 0, (folder / "local.log").read_text()
    campaign.written_twice = watch.twice
    return campaign


def test_results_are_those_of_an_undisturbed_run(campaign):
    assert (campaign.folder / "out/results.csv").read_bytes() == (campaign.undisturbed / "out/results.csv").read_bytes()
    for batch in BATCHES.values():
        compare(campaign.folder / "out" / batch, campaign.undisturbed / "out" / batch)


def compare(folder: Path, other: Path) -> None:
    """All data sets of the observables of two batches, bit for bit."""
    (file,) = folder.glob("observables-*.h5")
    with h5py.File(file) as one, h5py.File(other / file.name) as two:
        names: list[str] = []
        one.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        names = [name for name in names if not name.startswith("provenance")]
        assert len(names) > 10
        for name in names:
            assert one[name][()].tobytes() == two[name][()].tobytes(), f"{file}: {name}"


def test_every_run_was_stopped_by_its_time_limit_and_went_on_at_least_twice(campaign):
    """Besides the dead node, and for L = 4 the preemption."""
    for L, others in {4: 2, 6: 1}.items():
        assert sum(int(job["Restarts"]) for job in campaign.jobs(L)) >= others + 2, campaign.jobs(L)


def test_only_the_killed_program_counts_as_a_failure(campaign):
    assert [job["JobState"] for job in campaign.jobs(4)] == ["COMPLETED"]
    assert [job["JobState"] for job in campaign.jobs(6)] == ["FAILED", "COMPLETED"]


def test_no_file_ever_had_two_writers(campaign):
    assert campaign.written_twice == []


def test_a_second_snakemake_is_refused(campaign):
    assert "another Snakemake" in campaign.log("third.log")


def test_nothing_is_left_over(campaign):
    found = [file for pattern in ("*.checkpoint*", "*.lock", "*.tmp*") for file in (campaign.folder / "out").rglob(pattern)]
    assert found == []


@pytest.mark.parametrize("signal_name", LIMITED)
def test_time_limit_of_slurm(campaign, signal_name):
    """The job went back into the queue and on from its checkpoint; cancelled, it does not come back."""
    (job,) = (job for job in campaign.limited if job.name == signal_name)
    wait_for("second start of the job", lambda: job.cancel_after_second_start() or job.restarts)
    assert job.restarts == 1 and f"stopped by {signal_name}" in job.log()
    wait_for("end of the job", lambda: campaign.job(job.number)["JobState"] == "CANCELLED")
    assert (campaign.folder / f"{job.name}.h5.checkpoint.h5").exists()
    assert campaign.job(job.number)["Restarts"] == "1"


def test_locks_of_jobs_on_other_nodes(slurm, tmp_path):
    """The lock of a job that has ended is taken over, the lock of a job that runs is not."""
    slurm.run("sbatch", "--wait", f"--output={tmp_path}/ended.log", "--mem=10", "--wrap=true")
    running = slurm.run("sbatch", "--parsable", f"--output={tmp_path}/running.log", "--mem=10", "--wrap=sleep 300").strip()
    ended = str(int(running) - 1)
    wait_for("running job", lambda: slurm.run("squeue", "--noheader", "--states=RUNNING", f"--jobs={running}"))
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(STUDY))
    made = {}
    for number in (ended, running):
        out = tmp_path / f"{number}.h5"
        Path(f"{out}.lock").write_text(lock_elsewhere(number, slurm_cluster="psflip"))
        program = f"{PROGRAMS}/gen-disorder --config {tmp_path}/small.yaml --L 4 --count 32 --out {out}"
        script = f"{sys.executable} {ROOT}/workflows/psflip jobs.resumable --once {program}; true"
        slurm.run("sbatch", "--wait", f"--output={out}.log", "--mem=100", f"--wrap={script}")
        made[number] = (out.exists(), Path(f"{out}.log").read_text())
    slurm.run("scancel", running)
    assert made[ended][0] and "its Slurm job has ended" in made[ended][1], made
    assert not made[running][0] and f"process 1 on node7 (Slurm job {running})" in made[running][1] and "remove" in made[running][1], made


def test_jobs_of_two_ranks(slurm, tmp_path):
    """Lattices cut into two slabs, tasks of one job that srun starts, with a time limit: the results of whole lattices on this machine."""
    study = {**STUDY, "run": {"sweeps": 8192, "measure_every": 128, "blocks": 8}, "equilibration": {"test": "none"}}
    local, cut = Campaign(tmp_path / "local", slurm, study), Campaign(tmp_path / "cut", slurm, study)
    started = cut.start("cut.log", slabs=2, gpus=0, time_limit=2)
    subprocess.run(local.command("--until", "reduce", gpus=0), cwd=local.folder, capture_output=True, check=True)
    assert started.wait(timeout=400) == 0, cut.log("cut.log")
    for batch in BATCHES.values():
        compare(cut.folder / "out" / batch, local.folder / "out" / batch)
        with h5py.File(cut.folder / "out" / batch / "run-8192.h5") as file:
            assert file["provenance"].attrs["ranks"] == "2"


def test_short_jobs_of_one_size_are_put_together(slurm, tmp_path):
    """Three batches of each size, four jobs each, in two jobs of Slurm for each size, with the results of this machine alone."""
    study = {**STUDY, "disorder": {"realizations": 96, "batch": 32}, "run": {"sweeps": 8192, "measure_every": 128, "blocks": 8}, "equilibration": {"test": "none"}}
    local, grouped = Campaign(tmp_path / "local", slurm, study), Campaign(tmp_path / "grouped", slurm, study)
    before = slurm.run("squeue", "--states=all", "--noheader", "--format=%i").split()
    started = grouped.start("grouped.log", gpus=0, group_minutes=8)
    subprocess.run(local.command("--until", "reduce", gpus=0), cwd=local.folder, capture_output=True, check=True)
    assert started.wait(timeout=400) == 0, grouped.log("grouped.log")
    lines = slurm.run("squeue", "--states=all", "--noheader", "--format=%i %k %l").splitlines()
    names = [line.partition(" ")[2] for line in lines if line.split()[0] not in before]
    of_groups = [name for name in names if "_disorder_measure_run_thermalize" in name]
    assert len(of_groups) == 4 and len(names) <= 4 + 6, names  # the others: rounds and averages
    assert sorted(name.split()[-1] for name in of_groups) == ["4:00", "4:00", "8:00", "8:00"], names
    assert (grouped.folder / "out/results.csv").read_bytes() == (local.folder / "out/results.csv").read_bytes()
    batches = list((local.folder / "out").glob("L*/batch*"))
    assert len(batches) == 6
    for batch in batches:
        compare(grouped.folder / batch.relative_to(local.folder), batch)
