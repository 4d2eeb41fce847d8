"""The loop of the drivers in Python: cases decided by seed and number, what failed and how to repeat it, the closing line."""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

MAX_FAILURES = 50


class Failure(Exception):
    """A case that did not end as it must."""


def run_driver(name, description, make_target, cases=100, add_options=None):
    """make_target(folder, options) prepares what all cases share and returns a function case(numbers, folder) that raises Failure;
    numbers is a random.Random, folder an empty one that is removed afterwards. A case that tried nothing returns False and does not count.
    Returns the exit code: 1 if a case failed, or if no case tried anything."""
    parser = argparse.ArgumentParser(prog=f"tests/fuzz/{name}.py", description=description)
    parser.add_argument("--seed", type=int, default=1, help="of all cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--cases", type=int, default=cases, help="how many (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=1e9, help="maximum number of seconds")
    parser.add_argument("--only", type=int, help="this case alone")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files of failed cases")
    if add_options:
        add_options(parser)
    options = parser.parse_args()
    if options.only is not None:
        options.first, options.cases = options.only, 1
    begin, done, failed = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="psflip-fuzz-") as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "shared").mkdir()
        case = make_target(scratch / "shared", options)
        for number in range(options.first, options.first + options.cases):
            if time.monotonic() - begin > options.seconds or failed >= MAX_FAILURES:
                break
            folder = scratch / str(number)
            folder.mkdir()
            try:
                done += case(random.Random(f"{options.seed} {number}"), folder) is not False
            except Failure as failure:
                done += 1
                failed += 1
                print(f"{name}: case {number} FAILED: {failure}; repeat: tests/fuzz/{name}.py --seed {options.seed} --only {number}",
                      flush=True)
                if options.keep:
                    kept = options.keep / f"{name}-{number}"
                    shutil.rmtree(kept, ignore_errors=True)
                    shutil.copytree(folder, kept, symlinks=True, copy_function=copy_regular)
            shutil.rmtree(folder, ignore_errors=True)
    if failed >= MAX_FAILURES:
        print(f"{name}: stopped after {MAX_FAILURES} failures")
    rate = done / max(1e-9, time.monotonic() - begin)
    print(f"{name}: {done} cases, {failed} failed, {rate:.3g} per second (seed {options.seed})", flush=True)
    return 1 if failed or not done else 0


def copy_regular(source, target):
    if pathlib.Path(source).is_file():
        shutil.copy2(source, target)


def main(*arguments, **options):
    sys.exit(run_driver(*arguments, **options))
