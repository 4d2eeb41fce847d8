"""Calls reduce-disorder on the observables files that rounds/L*-final-*.json name."""

import subprocess
import sys
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.json_files import read_json
from psflip.campaign.whole_files import write_json, write_text


def files_from(names: Path, files: list[Path]) -> list[str]:
    """Returns the options that give the files to reduce-disorder. The files of a large study do not fit on a command line, so `names` lists them."""
    write_text(names, "".join(f"{file}\n" for file in files), "list of observables")
    return ["--files-from", str(names)]


def read_final(file: Path) -> tuple[int, list[str]]:
    """Size and names of the observables files."""
    final = read_json(file, "a list of final observables (remove it, and it is made anew)", {"L": int, "observables": [str]})
    return final["L"], [str(Path(name)) for name in final["observables"]]


def main() -> int:
    parser = Parser(__doc__)
    parser.add_argument("--program", required=True, help="reduce-disorder")
    parser.add_input("--study", required=True)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_argument("--out", required=True)
    parser.add_argument("--csv", required=True)
    parser.add_output("--list", "list of observables", required=True, help="the names of the observables files, written first")
    parser.add_output("--stamp", "note on averages", required=True, help="written at the end")
    parser.add_argument("--threads", default="0", help="of reduce-disorder; 0: all cores (default)")
    parser.add_input("final", nargs="+", help="L*-final-*.json of each size")
    given = parser.parse_args()
    finals = [read_final(final) for final in given.final]
    files = [given.results / name for _, names in finals for name in names]
    command = [given.program, "--config", given.study, "--out", given.out, "--csv", given.csv, "--threads", given.threads, *files_from(given.list, files)]
    code = subprocess.run(command).returncode
    if code == 0:
        write_json(given.stamp, {"files": {L: len(names) for L, names in finals}}, "note on averages")
    return code


if __name__ == "__main__":
    sys.exit(main())
