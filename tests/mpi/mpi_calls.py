"""How the tests of this folder call programs on several ranks that mpirun starts. The programs are taken from the folder PSFLIP_BIN;
PSFLIP_TEST_BACKEND=cuda runs them on a GPU, ranks by turns."""

import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
from interrupted import BACKEND, BIN, MPI_ENVIRONMENT, MPIRUN, Study, ranks_of  # noqa: E402

ENVIRONMENT = {**os.environ, **MPI_ENVIRONMENT}
CONFIG = """\
seed: 5
lattice: {L: 8}
disorder: {realizations: 96, batch: 96}
temperatures: {min: 0.8, max: 2.0, count: 4}
multispin: {share: 32}
thermalize: {sweeps: 205}
run: {sweeps: 400, measure_every: 10, blocks: 4, snapshots: 2}
"""
TIMEOUT = 120
MANY = ["--set", "run.sweeps=4000000"]


class Call:
    """A folder with configuration and couplings, and how programs are started there."""

    def __init__(self, folder, config=CONFIG, realizations=96):
        self.folder = folder
        (folder / "study.yaml").write_text(config)
        self.finish(1, "gen-disorder", "--first", 0, "--count", realizations, "--out", "disorder.h5")

    def command(self, ranks, program, *arguments):
        call = [BIN / program, "--config", "study.yaml", "--backend", BACKEND, *arguments]
        call += [] if program == "gen-disorder" else ["--threads", 1]
        return [str(a) for a in ([MPIRUN, "-n", ranks, *call] if ranks > 1 else call)]

    def run(self, ranks, program, *arguments):
        return subprocess.run(self.command(ranks, program, *arguments), cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=TIMEOUT)

    def finish(self, ranks, program, *arguments):
        result = self.run(ranks, program, *arguments)
        assert result.returncode == 0, result.stderr
        return result

    def start(self, ranks, program, *arguments, **more):
        return start_sweeps(self.command(ranks, program, *arguments), self.folder, **more)


def start_sweeps(command, folder, environment=ENVIRONMENT, blocked=()):
    """Starts a call of several ranks and waits until it sweeps. mpirun gets these signals blocked, and all other signals unblocked, whatever the caller of
    the tests blocks: mpirun does not forward a signal that is blocked."""

    def set_mask():
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, bufsize=0, preexec_fn=set_mask)
    Study.head(process)
    return process


def messages_at_end(process, seconds):
    """Waits for the end and returns the standard error. A process that does not end in time is killed with its ranks, and fails the test."""
    try:
        return process.communicate(timeout=seconds)[1].decode()
    except subprocess.TimeoutExpired:
        for number in [*ranks_of(process), process.pid]:
            os.kill(number, signal.SIGKILL)
        raise


def thermalize(out):
    return ["thermalize", "--disorder", "disorder.h5", "--out", out]


def pt_run(out, state="state.h5", *more):
    return ["pt-run", "--disorder", "disorder.h5", "--state", state, "--out", out, *more]


def relax(out, *more):
    return ["relax", "--disorder", "disorder.h5", "--out", out, *more]


def errors_in(text):
    return [line for line in text.splitlines() if ": error: " in line]
