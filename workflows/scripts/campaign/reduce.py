"""Calls reduce-disorder on the observables files that rounds/L*-final-*.json name."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from campaign.whole_files import write_json, write_text


def files_from(names: Path, files: list[Path]) -> list[str]:
    """The options that give the files to reduce-disorder. Those of a large study do not fit on a command line, so they are listed in `names`."""
    write_text(names, "".join(f"{file}\n" for file in files))
    return ["--files-from", str(names)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="reduce-disorder")
    parser.add_argument("--study", required=True)
    parser.add_argument("--results", required=True, type=Path, help="folder of the study's results")
    parser.add_argument("--out", required=True)
    parser.add_argument("--csv", required=True)
    parser.add_argument("--list", required=True, type=Path, help="the names of the observables files, written first")
    parser.add_argument("--stamp", required=True, type=Path, help="written at the end")
    parser.add_argument("final", nargs="+", type=Path, help="L*-final-*.json of each size")
    given = parser.parse_args()
    finals = [json.loads(final.read_text()) for final in given.final]
    files = [given.results / name for final in finals for name in final["observables"]]
    command = [given.program, "--config", given.study, "--out", given.out, "--csv", given.csv, *files_from(given.list, files)]
    code = subprocess.run(command).returncode
    if code == 0:
        write_json(given.stamp, {"files": {final["L"]: len(final["observables"]) for final in finals}})
    return code


if __name__ == "__main__":
    sys.exit(main())
