"""Calls reduce-disorder on the observables files of all batches of a study. (The names of the files of a large study do not fit
into one line of a shell.)"""

import argparse
import subprocess
import sys
from pathlib import Path

from study import Study


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="reduce-disorder")
    parser.add_argument("--study", required=True, type=Path)
    parser.add_argument("--results", required=True, type=Path, help="folder of the study's results")
    parser.add_argument("--out", required=True)
    parser.add_argument("--csv", required=True)
    given = parser.parse_args()
    files = [given.results / batch.folder / "observables.h5" for batch in Study.read(given.study).all_batches()]
    command = [given.program, "--config", given.study, "--out", given.out, "--csv", given.csv, *files]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
