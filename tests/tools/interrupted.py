"""A small study for the tests of interruptions and faults: its programs, its results when nothing happens, comparing files.
The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import os
import pathlib
import resource
import shutil
import subprocess
import time

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKEND = os.environ.get("PSFLIP_TEST_BACKEND", "cpu")
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONFIG = """\
seed: 5
lattice: {L: 4}
disorder: {realizations: 96, batch: 96}
temperatures: {min: 0.8, max: 2.0, count: 4}
multispin: {share: 32}
thermalize: {sweeps: 1005}
run: {sweeps: 8000, measure_every: 20, blocks: 4, snapshots: 5}
"""
TIMEOUT = 120
MPIRUN = shutil.which("mpirun")
# More ranks than cores, on any of them, and also as root: for Open MPI 4 and, with PRTE, for Open MPI 5.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "PRTE_MCA_hwloc_default_binding_policy": "none"}


class Study:
    """A folder with a configuration, a disorder file, and the uninterrupted results of both programs."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "study.yaml").write_text(CONFIG)
        self.finish("gen-disorder", "--first", 0, "--count", 96, "--out", folder / "disorder.h5")
        rate = self.sweeps_per_second()
        self.thermalize_sweeps, self.run_sweeps = round(rate / 100) * 100 + 5, round(rate / 400) * 400
        text = CONFIG.replace("1005", str(self.thermalize_sweeps)).replace("8000", str(self.run_sweeps))
        (folder / "study.yaml").write_text(text)
        self.finish(*self.thermalize(folder / "state.h5"))
        self.finish(*self.pt_run(folder / "run.h5", folder / "next.h5"))

    def sweeps_per_second(self):
        """Of processor time, so that each program has about a second of work, whatever else the machine does."""
        seconds = []
        for sweeps in [0, 40000]:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.finish(*self.thermalize(self.folder / "trial.h5"), "--set", f"thermalize.sweeps={sweeps}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return 40000 / max(0.02, seconds[1] - seconds[0])

    def thermalize(self, out):
        return ["thermalize", "--disorder", self.folder / "disorder.h5", "--out", out]

    def pt_run(self, out, state_out=None):
        more = ["--state-out", state_out] if state_out else []
        return ["pt-run", "--disorder", self.folder / "disorder.h5", "--state", self.folder / "state.h5", "--out", out, *more]

    def command(self, program, *arguments):
        threads = [] if "--threads" in arguments or program == "gen-disorder" else ["--threads", 1]
        config = ["--config", self.folder / "study.yaml", "--backend", BACKEND]
        return [str(a) for a in [BIN / program, *config, *arguments, *threads]]

    def run(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=TIMEOUT)

    def finish(self, *arguments):
        result = self.run(*arguments)
        assert result.returncode == 0, result.stderr

    def start(self, *arguments, environment=None, ranks=1):
        """Starts a program with `ranks` ranks of mpirun and additions to its environment. Its standard error is read unbuffered (bytes), because a
        buffer would keep lines back from communicate()."""
        mpirun = [MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        return subprocess.Popen([*mpirun, *self.command(*arguments)], stderr=subprocess.PIPE, bufsize=0,
                                env={**os.environ, **MPI_ENVIRONMENT, **(environment or {})})

    @staticmethod
    def head(process):
        """What a program says until it begins to sweep."""
        lines = ""
        while " realizations from " not in lines:
            line = process.stderr.readline().decode()
            assert line, lines
            lines += line
        return lines

    def interrupt(self, arguments, signal_number, seconds):
        """Starts a program and sends the signal `seconds` after it said that it began to sweep."""
        process = self.start(*arguments)
        try:
            head = self.head(process)
            time.sleep(seconds)
            process.send_signal(signal_number)
            stderr = head + process.communicate(timeout=TIMEOUT)[1].decode()
            return subprocess.CompletedProcess(process.args, process.returncode, "", stderr)
        finally:
            process.kill()
            process.wait()


def ranks_of(process):
    """Process numbers of the ranks of an mpirun, in the order in which it started them."""
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    except FileNotFoundError:  # it has ended
        return []


def contents(path):
    """All attributes and datasets but the provenance."""
    found = {}

    def visit(name, item):
        if name.startswith("provenance"):
            return
        found.update({f"{name}@{key}": value for key, value in item.attrs.items()})
        if isinstance(item, h5py.Dataset):
            found[name] = item[...]

    with h5py.File(path) as file:
        found.update({f"@{key}": value for key, value in file.attrs.items()})
        file.visititems(visit)
    return found


def assert_same(a, b):
    first, second = contents(a), contents(b)
    assert first.keys() == second.keys()
    for key in first:
        assert np.array_equal(first[key], second[key]), f"{key} differs between {a} and {b}"


def checkpoint_of(out):
    return out.with_name(out.name + ".checkpoint.h5")


def names_in(folder):
    return sorted(p.name for p in folder.iterdir())
