#!/usr/bin/env python3
"""Kills thermalize and pt-run at random moments (SIGTERM, SIGINT, SIGUSR1, SIGKILL, --time-limit) and goes on, each time with another
number of threads and another instruction set, until they end: the outputs must be those of calls that nobody disturbed, in every
dataset and attribute but the provenance. A case is one such sequence. The programs are taken from the folder PSFLIP_BIN;
PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import pathlib
import signal
import subprocess
import sys
import time

from driver import Failure, run_driver

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from interrupted import Study, assert_same, checkpoint_of, names_in  # noqa: E402

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGKILL, signal.SIGKILL]
NEEDED = {"scalar": set(), "avx2": {"avx2"}, "avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}
STOPPED = 75
TIMEOUT = 300


def instruction_sets():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    flags = set(text.partition("flags")[2].partition("\n")[0].split())
    return [name for name, needed in NEEDED.items() if needed <= flags]


class Stops:
    """How often what stopped a call, and how often a call went on from a checkpoint."""

    def __init__(self):
        self.counts = {}

    def note(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def total(self):
        return sum(n for what, n in self.counts.items() if what != "resumed")

    def __str__(self):
        return f"{self.total()} stops: " + ", ".join(f"{what} {n}" for what, n in sorted(self.counts.items()))


def call(study, arguments, numbers, levels, stops, patience):
    """One call that may be stopped, up to 0.5 s times `patience` after its start; its exit code."""
    threads, level = numbers.choice([1, 2, 3]), numbers.choice(levels)
    moment = patience * 0.5 * 10 ** numbers.uniform(-2.5, 0)  # s
    often = ["--set", f"checkpoint.every_seconds={numbers.choice([0, 0, 0.05, 300])}"]
    way = numbers.choice([*SIGNALS, "time limit"])
    limit = ["--time-limit", f"{moment:.4f}"] if way == "time limit" else []
    process = study.start(*arguments, *often, *limit, "--threads", threads, environment={"PSFLIP_SIMD": level})
    try:
        if way != "time limit":
            time.sleep(moment)
            process.send_signal(way)
        stderr = process.communicate(timeout=TIMEOUT)[1].decode()
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {TIMEOUT} s: {arguments}") from None
    finally:
        process.kill()
        process.wait()
    code = process.returncode
    name = way if way == "time limit" else way.name
    if code == 0:
        return code
    # A signal that comes before the program listens ends it as it ends every process.
    early = way != "time limit" and code == -way and (way == signal.SIGKILL or not stderr)
    if not early and (code != STOPPED or f"stopped by {name} at sweep " not in stderr):
        raise Failure(f"exit code {code} after {name}: {stderr}")
    stops.note(name)
    if "going on from " in stderr:
        stops.note("resumed")
    return code


def sequence(study, numbers, folder, levels, stops):
    if numbers.random() < 0.4:
        out, made = folder / "state.h5", ["state.h5"]
        arguments = study.thermalize(out)
    else:
        out, made = folder / "run.h5", ["next.h5", "run.h5"]
        arguments = study.pt_run(out, folder / "next.h5")
    for attempt in range(400):  # later stops come later, so that there is an end on slow machines, too
        code = call(study, arguments, numbers, levels, stops, 1 + attempt / 20)
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
        study, levels = Study(shared), instruction_sets()

        def case(numbers, folder):
            try:
                sequence(study, numbers, folder, levels, stops)
            except AssertionError as error:
                raise Failure(str(error)) from None

        return case

    code = run_driver("kill_test", __doc__, make_target, cases=10)
    print(f"kill_test: {stops}")
    return code


if __name__ == "__main__":
    sys.exit(main())
