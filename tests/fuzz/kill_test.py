#!/usr/bin/env python3
"""Kills thermalize and pt-run at random moments (SIGTERM, SIGINT, SIGUSR1, SIGKILL, --time-limit) and resumes them until they
end. Each call has another number of threads, another instruction set and, if mpirun exists, whole lattices or two slabs of each lattice. The
outputs must equal the outputs of undisturbed calls in every dataset and attribute but the provenance. A case is one such sequence. The
programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import contextlib
import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import time

from driver import Failure, run_driver

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from interrupted import BIN, MPIRUN, Study, assert_same, checkpoint_of, names_in, ranks_of  # noqa: E402

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGKILL, signal.SIGKILL]
NEEDED = {"scalar": set(), "avx2": {"avx2"}, "avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}
STOPPED = 75
TIMEOUT = 300


def instruction_sets():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = set(text.partition("flags")[2].partition("\n")[0].split())
    return [name for name, needed in NEEDED.items() if needed <= flags]


def numbers_of_ranks():
    """Each as often as it is named. L = 4 can be cut into two slabs."""
    version = subprocess.run([BIN / "pt-run", "--version"], capture_output=True, text=True, check=True).stdout
    return [1, 1, 1, 2] if MPIRUN and "MPI: yes" in version else [1]


@dataclasses.dataclass
class Setting:
    """What a call has one of."""

    levels: list
    ranks: list


class Stops:
    """How often what stopped a call, and how often a call went on from a checkpoint."""

    def __init__(self):
        self.counts = {}

    def note(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def total(self):
        return sum(n for what, n in self.counts.items() if what not in ("resumed", "of ranks"))

    def __str__(self):
        return f"{self.total()} stops: " + ", ".join(f"{what} {n}" for what, n in sorted(self.counts.items()))


def send(process, ranks, signal_number, numbers):
    """To the process, or to any one of its ranks. Nothing where it has ended. Returns its ranks: an mpirun may end before them."""
    started = ranks_of(process)
    if ranks == 1:
        process.send_signal(signal_number)
    elif len(started) == ranks:
        with contextlib.suppress(ProcessLookupError):
            os.kill(numbers.choice(started), signal_number)
    return started


def wait_for_end(processes):
    """Failure where one of them goes on."""
    begin = time.monotonic()
    while any(pathlib.Path(f"/proc/{number}").exists() for number in processes):
        if time.monotonic() - begin > TIMEOUT:
            raise Failure(f"ranks go on without mpirun: {processes}")
        time.sleep(0.01)


def call(study, arguments, numbers, setting, stops, patience):
    """One call that may be stopped, up to 0.5 s times `patience` after its start, or after its ranks began to sweep: an mpirun whose ranks
    end while it starts them may never end. Its exit code."""
    threads, level, ranks = numbers.choice([1, 2, 3]), numbers.choice(setting.levels), numbers.choice(setting.ranks)
    moment = patience * 0.5 * 10 ** numbers.uniform(-2.5, 0)  # s
    often = ["--set", f"checkpoint.every_seconds={numbers.choice([0, 0, 0.05, 300])}"]
    way = numbers.choice([*SIGNALS, "time limit"])
    head, started, limit = "", [], ["--time-limit", f"{moment:.4f}"] if way == "time limit" else []
    process = study.start(*arguments, *often, *limit, "--threads", threads, environment={"PSFLIP_SIMD": level}, ranks=ranks)
    try:
        if way != "time limit":
            if ranks > 1:
                head = study.head(process)
            time.sleep(moment)
            started = send(process, ranks, way, numbers)
        stderr = head + process.communicate(timeout=TIMEOUT)[1].decode()
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {TIMEOUT} s: {arguments}") from None
    finally:
        process.kill()
        process.wait()
    wait_for_end(started)
    code = process.returncode
    name = way if way == "time limit" else way.name
    if code == 0:
        return code
    if not ends_like_any(way, code, ranks, stderr) and (code != STOPPED or f"stopped by {name} at sweep " not in stderr):
        raise Failure(f"exit code {code} after {name}: {stderr}")
    stops.note(name)
    if ranks > 1:
        stops.note("of ranks")
    if "continuing from " in stderr:
        stops.note("resumed")
    return code


def ends_like_any(way, code, ranks, stderr):
    """As every process ends by SIGKILL, and by a signal that comes before the program listens."""
    if way == "time limit":
        return False
    if ranks > 1:  # mpirun reports the signal in words and with its own exit code
        return way == signal.SIGKILL
    return code == -way and (way == signal.SIGKILL or not stderr)


def sequence(study, numbers, folder, setting, stops):
    if numbers.random() < 0.4:
        out, made = folder / "state.h5", ["state.h5"]
        arguments = study.thermalize(out)
    else:
        out, made = folder / "run.h5", ["next.h5", "run.h5"]
        arguments = study.pt_run(out, folder / "next.h5")
    for attempt in range(400):  # later stops come later, so that there is an end on slow machines, too
        code = call(study, arguments, numbers, setting, stops, 1 + attempt / 20)
        if code and out.exists():  # killed at the very end, perhaps before the checkpoint was removed
            assert_same(out, study.folder / out.name)
        if code == 0:
            break
    else:
        raise Failure(f"no end after 400 stops: {arguments}")
    if names_in(folder) != made:
        raise Failure(f"left: {names_in(folder)}")
    if checkpoint_of(out).exists():
        raise Failure("the checkpoint is still there")
    for name in made:
        assert_same(folder / name, study.folder / name)


def main():
    stops = Stops()

    def make_target(shared, _options):
        study, setting = Study(shared), Setting(instruction_sets(), numbers_of_ranks())

        def case(numbers, folder):
            try:
                sequence(study, numbers, folder, setting, stops)
            except AssertionError as error:
                raise Failure(str(error)) from None

        return case

    code = run_driver("kill_test", __doc__, make_target, cases=10)
    print(f"kill_test: {stops}")
    return code if stops.total() else 1


if __name__ == "__main__":
    sys.exit(main())
