#!/usr/bin/env python3
"""Random command lines of all programs: options that are missing, repeated, unknown or with odd values; inputs that are damaged, FIFOs,
devices, folders or links; outputs onto inputs and onto what is not psflip's. Each call ends with exit code 0, with 75 under
--time-limit, or with 1 or 2 and one line that says why, in bounded time and memory; no file changes that is not an output, and what
does not succeed leaves nothing behind. The programs are taken from the folder PSFLIP_BIN."""

import os
import shutil

from driver import Failure, main
from programs import PROGRAMS, SITES, STOPPED, STUDY, VECTOR, check_messages, contents, good_files, run

FILES = ["study.yaml", "disorder.h5", "state.h5", "end.h5", "run.h5", "observables.h5", "reduced.h5", "results.csv", "ladder.h5",
         "ladder.yaml", "relax.h5", "relaxed.h5"]
# Files next to the good files, see odd_files.
ODD = ["fifo", "folder", "link", "loop", "hole", "notes.txt", "empty", "cut.h5", "list", "bench.json", "foreign.h5", "hard.h5",
       "with space.h5", "\x1b[31m.h5", "a\nb.h5", "-x.h5", "umlaut ä.h5"]
ELSEWHERE = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/proc/self/mem", "/proc/version", "/", ".", "..", "", "nowhere.h5",
             "nowhere/x.h5", "study.yaml/x.h5", "./state.h5", "folder/../state.h5", "x" * 300 + ".h5", "\udcff.h5"]
OUTPUTS = ["new.h5", "new.csv", "folder/new.h5", "./new.h5", "new2.h5", "new.h5.checkpoint.h5", "new.h5.lock", "new.h5.tmp-vm-1-1"]
NUMBERS = ["0", "1", "-1", "2", "3", "4", "32", "64", "1.5", "1e3", "nan", "inf", "-inf", "0x10", "", " ", "two", "16777216", "2147483648",
           "9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999999", "-9223372036854775808",
           "\x1b[2J"]
SETS = ["seed=6", "run.sweeps=128", "run.sweeps=0", "run.sweeps=-1", "replicas=1", "replicas=9", "lattice.L=[4,6]", "lattice.L=5", "x=1",
        "=", "", "run", "run.blocks=1", "temperatures={list: [1]}", "multispin.share=1", "multispin={share: 64}", "model.p_ferro=0.6",
        "run.snapshots=8", "checkpoint.every_seconds=0", "lattice.L=\x1b[31m", "thermalize.sweeps=1000000", "disorder.realizations=1",
        "dynamics.sweeps_per_swap=3", "run.histogram_bins=10000", "temperatures.list=[.nan]", "a.b.c=1", "run={sweeps: 64"]

COUNTS = ["0", "1", "-1", "2", "3", "64", "1,2", "2,,", "", "two", "nan", "1.5", "-2147483649", "99999999999999999999999"]  # none takes long

IN, OUT = "a file to read", "a file to write"
SHARED = {"--set": SETS, "--L": NUMBERS, "--backend": ["auto", "cpu", "cuda", "gpu", ""], "--threads": ["0", "1", "2", "4096", *NUMBERS],
          "--device": ["0", *NUMBERS], "--seconds": ["0.001", "0", "-1", "nan", "two"], "--repeats": ["1", "0", "-1", "two"],
          "--progress": ["auto", "on", "off", "x"], "--time-limit": ["0.01", "0.000001", *NUMBERS],
          "--log-level": ["off", "info", "trace", "\x1b[31m"], "--validate": None, "--version": None, "--help": None, "--force": None,
          **dict.fromkeys(["--slabs", "--columns", "--words", "--copies", "--relax", "--sweeps", "--thermalize", "--numbers", "--square",
                           "--tile", "--hits", "--together", "--lattices", "--sites-of-thread"], COUNTS),
          "--measure": ["0", "64", "100", "-1", "two"], "--beta": ["0.4,0.5", "0", "-1", "nan", "inf", "two", "1e300"],
          "--model": ["ferromagnet2d", "glass3d", "glass", "ising-glass2d", "canted,perovskite", "x", "\x1b[31m"],
          "--update": ["cone", "heat-bath,over-relaxation", "x"], "--precision": ["double", "float,double", "x"],
          "--lanes": ["replicas", "sites", "x"], "--tile-order": ["alternating", "fixed", "x"], "--heat-bath": None, "--start-up": None,
          "--halo": ["auto", "host", "peer,host", "x", ""], "--halo-order": ["auto", "sliced", "standard,sliced", "x", ""], "--": None, "-": None, "--no-such": None, "surplus": None}
# What a good call of each program says, then what else it knows.
TIMERS = {"bench-flip", "bench-rng", "bench-slab", "bench-sites", "bench-vector"}
TIMING = [("--threads", "1"), ("--seconds", "0.001"), ("--repeats", "1")]  # one that ends soon
GENERATOR = [("--generators", "philox,lcg32")]
LARGE = [("--threads", "1"), ("--L", "64"), ("--model", "glass2d"), ("--beta", "0.4,0.5")]
FEW = [("--sweeps", "640"), ("--thermalize", "8")]
BATCH = [("--disorder", "disorder.h5")]
PT_RUN = [*BATCH, ("--state", "state.h5"), ("--out", "new.h5")]
TUNE = [*BATCH, ("--tune-ladder", None), ("--tune-sweeps", "100"), ("--count", "3"), ("--out", "new.yaml"), ("--numbers", "new.h5")]
CALLS = [
    ("gen-disorder", [("--out", "new.h5")]),
    ("gen-disorder", [("--first", "32"), ("--count", "32"), ("--out", "new.h5")]),
    ("thermalize", [*BATCH, ("--out", "new.h5")]),
    ("pt-run", PT_RUN),
    ("pt-run", [*PT_RUN, ("--state-out", "new2.h5")]),
    ("pt-run", [*BATCH, ("--state", "end.h5"), ("--until", "128"), ("--out", "new.h5")]),
    ("pt-run", TUNE),
    ("measure", [*BATCH, ("--run", "run.h5"), ("--out", "new.h5")]),
    ("measure", [*BATCH, ("--run", "run.h5"), ("--from-snapshots", None), ("--out", "new.h5")]),
    ("reduce-disorder", [("--out", "new.h5"), ("--csv", "new.csv"), ("observables.h5", None)]),
    ("reduce-disorder", [("--out", "new.h5"), ("--csv", "new.csv"), ("--files-from", "list")]),
    ("audit", [*BATCH, ("--state", "state.h5"), ("--run", "run.h5"), ("--out", "new.json")]),
    ("audit", [*BATCH, ("--state", "state.h5"), ("--run", "run.h5"), ("--end-state", "end.h5"), ("--out", "new.json")]),
    ("bench-flip", [*TIMING, ("--L", "4"), ("--share", "32"), ("--columns", "1"), ("--temperatures", "4"), ("--json", "new.json")]),
    ("bench-flip", [*TIMING, ("--compare", "bench.json"), ("--csv", "new.csv")]),
    ("bench-slab", [*TIMING, ("--L", "4"), ("--slabs", "1,2"), ("--share", "32"), ("--columns", "1"), ("--json", "new.json")]),
    ("bench-rng", [*TIMING, *GENERATOR, ("--L", "4"), ("--words", "1"), ("--numbers", "64"), ("--square", "64"), ("--json", "new.json")]),
    ("bench-rng", [*GENERATOR, ("--quality", None), *FEW, ("--square", "64"), ("--json", "new.json")]),
    ("bench-rng", [*GENERATOR, ("--quality", None), *FEW, ("--L", "4"), ("--square", "64"), *BATCH, ("--json", "new.json")]),
    ("bench-rng", [*GENERATOR, ("--relax", "8"), ("--L", "4"), ("--copies", "2"), ("--json", "new.json")]),
    ("relax", [*BATCH, ("--out", "new.h5")]),
    ("relax", [*BATCH, ("--set", "relax.start=state"), ("--state", "state.h5"), ("--out", "new.h5"), ("--state-out", "new2.h5")]),
    ("relax", [*BATCH, ("--set", "relax.last=32"), ("--state", "relaxed.h5"), ("--out", "new.h5"), ("--state-out", "new2.h5")]),
    ("bench-sites", [*TIMING, ("--L", "64"), ("--tile", "0,2"), ("--json", "new.json")]),
    ("bench-sites", [*LARGE, ("--measure", "64"), ("--thermalize", "8"), ("--json", "new.json")]),
    ("bench-vector", [*TIMING, ("--L", "4"), ("--model", "canted,ising-glass2d"), ("--update", "cone,metropolis"), ("--json", "new.json")]),
]
READ = {"--config", "--disorder", "--state", "--run", "--files-from", "--end-state", "--compare", "observables.h5"}
# Without these, timings take long, and numbers have no end.
KEPT = {"--seconds", "--repeats", "--L", "--compare", "--slabs", "--columns", "--generators", "--words", "--numbers", "--square", "--quality",
        "--relax", "--sweeps", "--measure"}
WRITTEN = {"--out", "--state-out", "--csv", "--numbers", "--json"}


def odd_files(folder):
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("run.h5")
    (folder / "loop").symlink_to("loop")
    (folder / "hole").symlink_to("nowhere")
    (folder / "notes.txt").write_text("these are notes\n")
    (folder / "empty").touch()
    (folder / "cut.h5").write_bytes((folder / "state.h5").read_bytes()[:3000])
    (folder / "list").write_text("observables.h5\n")
    (folder / "foreign.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(2000))
    (folder / "bench.json").write_text('[{"backend": "cpu", "L": 4, "share": 32, "replicas": 1, "temperatures": 2, "columns": 1, '
                                       '"threads": 1, "ps_per_flip": 1e9}]\n')
    os.link(folder / "disorder.h5", folder / "hard.h5")
    for name in ["with space.h5", "\x1b[31m.h5", "a\nb.h5", "-x.h5", "umlaut ä.h5"]:
        shutil.copy(folder / "disorder.h5", folder / name)


def any_file(numbers):
    return numbers.choice(numbers.choice([FILES, FILES, ODD, ELSEWHERE, OUTPUTS]))


def any_value(option, numbers):
    if option in READ or option in WRITTEN:
        return any_file(numbers)
    return numbers.choice(SHARED.get(option) or NUMBERS)


def change_call(words, numbers):
    """One change of a list of (option, value)."""
    kind, at = numbers.randrange(7), numbers.randrange(len(words))
    option, value = words[at]
    if kind == 0 and option not in KEPT:
        del words[at]
    elif kind == 1:
        words.insert(numbers.randrange(len(words) + 1), words[at])
    elif kind <= 3:
        words[at] = (any_file(numbers), None) if value is None and option in READ else (option, any_value(option, numbers))
    elif kind == 4:
        option = numbers.choice(list(SHARED))
        words.insert(numbers.randrange(len(words) + 1), (option, numbers.choice(SHARED[option]) if SHARED[option] else None))
    elif kind == 5:  # an option of another program
        words.append(numbers.choice(numbers.choice(CALLS)[1]))
    else:  # an output onto something of this call, or onto one of the files that it makes itself
        others = [v for o, v in words if v and (o in READ or o in WRITTEN)] or ["study.yaml"]
        outputs = [i for i, (o, v) in enumerate(words) if o in WRITTEN and v]
        if outputs:
            place = numbers.choice(outputs)
            name = numbers.choice(others)
            onto = [name, "./" + name, name + ".checkpoint.h5", name + ".lock", "link", "hard.h5"]
            words[place] = (words[place][0], numbers.choice(onto))
    return words or [("--help", None)]


def make_target(folder_of_all, _options):
    studies = []
    for study in (STUDY, SITES, VECTOR):
        studies.append(folder_of_all / str(len(studies)))
        studies[-1].mkdir()
        good_files(studies[-1], study)

    def case(numbers, folder):
        shutil.rmtree(folder)
        # FIFOs and links are made anew, hard links stay what they are.
        folder.mkdir()
        shared = numbers.choice(studies)
        for name in FILES:
            if (shared / name).exists():
                shutil.copy(shared / name, folder)
        odd_files(folder)
        program, words = numbers.choice(CALLS)
        words = [("--config", "study.yaml"), *words] if program not in TIMERS else list(words)
        if program in ("thermalize", "pt-run", "audit", "relax"):
            words.append(("--time-limit", "2"))
        for _ in range(numbers.choice([1, 1, 1, 2, 2, 3, 5])):
            words = change_call(words, numbers)
        if numbers.random() < 0.05:
            program = numbers.choice(PROGRAMS)
        arguments = [word for option, value in words for word in ([option] if value is None else [option, value])]
        check_call(folder, program, arguments, [value for option, value in words if option in WRITTEN and value])

    return case


def check_call(folder, program, arguments, outputs):
    before = contents(folder)
    targets = [link_target(folder, name) for name in outputs]
    inputs = {os.path.realpath(folder / word) for word in arguments if word not in outputs}
    done = run(folder, program, *arguments)
    command = " ".join(ascii(word) for word in [program, *arguments])
    check_messages(done, program, command)
    after, allowed = contents(folder), may_be_written(done.returncode, program, targets)
    for name, digest in before.items():
        if after.get(name) == digest or (name == "folder" and any(output.startswith("folder/") for output in allowed)):
            continue
        # A file of an earlier call may be replaced; an input, a link, or what is not psflip's, may not.
        psflips = name.endswith(".h5") or name in ("results.csv", "ladder.yaml", "bench.json", "empty")
        if name not in allowed or os.path.realpath(folder / name) in inputs or not psflips:
            raise Failure(f"{name!a} was changed or deleted, exit code {done.returncode}: {command}")
    if more := sorted(after.keys() - before.keys() - allowed):
        raise Failure(f"{more} left by exit code {done.returncode}: {command}")


def link_target(folder, name):
    """What is written for an output that is a link, in the words of contents()."""
    links = 0
    while os.path.islink(folder / name) and links < 40:
        name, links = os.path.join(os.path.dirname(name), os.readlink(folder / name)), links + 1
    return name


def may_be_written(code, program, outputs):
    outputs = [os.path.normpath(name) for name in outputs]
    if code == STOPPED:
        return {f"{name}.checkpoint{end}.h5" for name in outputs for end in ("", ".previous")}
    # The results of an audit that differ are written, too, and timings that are slower or come before what cannot be timed.
    return set(outputs) if code == 0 or program in TIMERS or (code == 1 and program == "audit") else set()


if __name__ == "__main__":
    main("fuzz_command_lines", __doc__, make_target)
