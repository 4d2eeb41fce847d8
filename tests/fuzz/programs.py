"""One call of a program under bounds of time and memory, and the rules that every call obeys however wrong its input is."""

import functools
import hashlib
import os
import pathlib
import re
import resource
import signal
import stat
import subprocess

from driver import Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin")).resolve()
PROGRAMS = ["gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder", "audit", "relax", "bench-flip", "bench-rng", "bench-slab",
            "bench-sites", "bench-vector"]
WALL_SECONDS, PROCESSOR_SECONDS = 60, 20
MEMORY, FILE_SIZE = 4 << 30, 64 << 20  # bytes
STOPPED = 75

STUDY = """\
seed: 5
lattice: {L: 4}
disorder: {realizations: 32, batch: 32}
temperatures: {list: [0.9, 1.3, 1.9]}
multispin: {share: 32}
dynamics: {sweeps_per_swap: 4}
thermalize: {sweeps: 12}
run: {sweeps: 64, measure_every: 8, blocks: 4, snapshots: 2, histogram_bins: 8}
relax: {last: 16, per_decade: 4, waiting: [0, 4]}
"""
# Of other models, whose files hold other sums.
FERROMAGNET = STUDY.replace("share: 32", "share: 1") + "model: {kind: ferromagnet, dimension: 2}\n"
FIELD = STUDY + "model: {field: 0.3}\nreplicas: 4\n"
DILUTED = STUDY + "model: {p_absent: 0.3, boundary: open}\n"
SITES = (STUDY.replace("L: 4", "L: 64").replace("share: 32", "lanes: sites").replace("realizations: 32, batch: 32", "realizations: 2, batch: 2")
         .replace("list: [0.9, 1.3, 1.9]", "list: [2.2, 2.4]") + "model: {kind: ferromagnet, dimension: 2}\n")
VECTOR = (STUDY.replace("share: 32", "share: 1").replace("swap: 4", "swap: 4, update: cone").replace("realizations: 32, batch: 32", "realizations: 3, batch: 3")
          + "model: {kind: heisenberg, concentration: 0.3, dm_pattern: constant, dm: [0.1, 0, 0.2], anisotropy: [0, 0.2], moments: [1, 2], field: 0.2}\n")
SANITIZERS = {"ASAN_OPTIONS": f"hard_rss_limit_mb={MEMORY >> 20}:detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
# What no message may contain: words of the language and its libraries, and of what dies.
FOREIGN_WORDS = re.compile(r"std::|basic_string|(?<!bench-)vector(?! spins)|stoi|stoll|stod|bad_alloc|terminate called|Traceback|HDF5-DIAG|Sanitizer"
                           r"|runtime error|what\(\)|map::at|_M_|filesystem error|No such node|yaml-cpp|\d{40}")
PROGRESS_BAR = re.compile(r"\r\[[^\r\n]*\n?")
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+ ")


@functools.cache
def sanitized(program):
    linked = subprocess.run(["ldd", BIN / program], capture_output=True, text=True, check=True).stdout
    return "libasan" in linked


def limit(program):
    """Limits resources of the new process. Sanitizers reserve more address space than there is memory, and have their own bound."""
    if not sanitized(program):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(folder, program, *arguments, environment=None):
    """Failure where it neither ends in time nor by itself."""
    command = [BIN / program, *map(str, arguments)]
    try:
        # Not text: a message may hold bytes that are none, which is what is looked for.
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=WALL_SECONDS,
                              env={**os.environ, **SANITIZERS, **(environment or {})}, preexec_fn=lambda: limit(program))
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {WALL_SECONDS} s: {shown(command)}") from None
    if done.returncode < 0:
        raise Failure(f"ended by {signal.Signals(-done.returncode).name}: {shown(command)}: {ascii(done.stderr[-300:])}")
    return done


def shown(command):
    return " ".join(ascii(str(word)) for word in [command[0].name, *command[1:]])


def check_messages(done, program, command):
    """Checks that the exit code is 0, 1, 2 or 75. If it is not 0, one printable line in words of the program says why."""
    def fail(what):
        raise Failure(f"{what}: {command}: exit code {done.returncode}: {ascii(done.stderr[-400:])}")

    if done.returncode not in (0, 1, 2, STOPPED):
        fail("another exit code")
    try:
        text = done.stderr.decode()
    except UnicodeDecodeError:
        fail("the message is no UTF-8")
    text = PROGRESS_BAR.sub("", text)
    if any(not (c.isprintable() or c == "\n") for c in text):
        fail("control characters")
    if FOREIGN_WORDS.search(text):
        fail(f"'{FOREIGN_WORDS.search(text)[0]}' in the message")
    plain = [line for line in text.splitlines() if not LOG_LINE.match(line)]
    if done.returncode == 0 and plain:
        fail("lines that are none of the log")
    if done.returncode and (len(plain) != 1 or not plain[0].startswith(f"{program}: ")):
        fail("not one line that says why")
    if done.returncode in (1, 2) and not plain[0].startswith(f"{program}: error: "):
        fail("no error in the line that says why")


def contents(folder):
    """What lies in the folder: relative name to SHA-256 of a file, else what it is."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = folder / name
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif stat.S_ISLNK(mode):
            found[name] = "link to " + os.readlink(path)
        elif stat.S_ISDIR(mode):
            found[name] = "folder of " + " ".join(sorted(os.listdir(path)))
        else:
            found[name] = f"special {stat.S_IFMT(mode)}"
    return found


def good_files(folder, study=STUDY):
    """A small study with a good file of every kind that its model has; checkpoint.h5 is that of a stopped pt-run as run.h5.checkpoint.h5
    would be, relax-checkpoint.h5 that of a stopped relax."""
    (folder / "study.yaml").write_text(study)
    batch = ["--disorder", "disorder.h5"]
    stopped = ["--out", "stopped.h5", "--time-limit", 1e-6]
    make(folder, "gen-disorder", "--out", "disorder.h5")
    make(folder, "thermalize", *batch, "--out", "state.h5")
    make(folder, "pt-run", *batch, "--state", "state.h5", "--out", "run.h5", "--state-out", "end.h5")
    make(folder, "measure", *batch, "--run", "run.h5", "--out", "observables.h5")
    make(folder, "reduce-disorder", "--out", "reduced.h5", "--csv", "results.csv", "observables.h5")
    make(folder, "pt-run", *batch, "--state", "state.h5", *stopped)
    (folder / "stopped.h5.checkpoint.h5").rename(folder / "checkpoint.h5")
    if study == VECTOR:
        return
    make(folder, "pt-run", *batch, "--tune-ladder", "--tune-sweeps", 100, "--count", 2, "--out", "ladder.yaml", "--numbers", "ladder.h5")
    if study == DILUTED:
        return
    make(folder, "relax", *batch, "--out", "relax.h5", "--state-out", "relaxed.h5")
    make(folder, "relax", *batch, *stopped)
    (folder / "stopped.h5.checkpoint.h5").rename(folder / "relax-checkpoint.h5")


def make(folder, program, *arguments):
    done = run(folder, program, "--config", "study.yaml", "--threads", 1, *arguments)
    if done.returncode not in (0, STOPPED):
        raise RuntimeError(f"the good files cannot be made: {done.stderr.decode()}")
