"""Chooses the runs that are audited, runs `audit` on another backend than theirs, and says whether all were equal.

    python workflows/psflip campaign.audit_sample choose --study study.yaml --results OUT --pieces 5 --out OUT/audit/sample.json
    python workflows/psflip campaign.audit_sample run build/bin/audit --run run-8192.h5 ... (the options of audit)
    python workflows/psflip campaign.audit_sample check --out OUT/audit/passed.txt --files OUT/audit/L*.json
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from pathlib import Path

from psflip.campaign.campaign import BATCH_NAME, Batch, Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.json_files import read_json
from psflip.campaign.manifest import campaign_of
from psflip.campaign.whole_files import write_json, write_text

KIND = "result of audits"
SAMPLE = {"runs": int, "pieces": [{"L": int, "batch": BATCH_NAME, "sweeps": int}]}
FIRST = {"file?": str, "dataset": str, "index": [int], "realization?": (int, None), "in_file": str, "in_rerun": str}
# Of audit, as libcore/audit/audit.cpp writes it.
AUDIT = {"format": {"psflip audit"}, "equal": bool, "L": int, "realizations": int, "values": int, "differences": int, "flips": float, "original": {"backend?": str},
         "rerun": {"backend?": str}, "files?": {"run": {"path": str}}, "first_difference": (None, FIRST)}  # fmt: skip
LEVELS = {"avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}, "avx2": {"avx2"}, "scalar": set()}  # fastest first


def pieces(campaign: Campaign) -> list[tuple[Batch, int]]:
    """Every run that the averages stand on: batch and end."""
    final = [found for L in campaign.study.sizes for found in campaign.final(L)]
    return [(batch, end) for batch, last in final for end in campaign.chain(batch, last)]


def chosen(runs: list[tuple[Batch, int]], number: int, seed: int) -> list[tuple[Batch, int]]:
    """Returns `number` of the runs, or all. Each run has a fixed rank that looks random. So the choice is the same every time, a larger choice
    contains a smaller one, and most of the choice stays when the campaign grows."""

    def rank(run: tuple[Batch, int]) -> str:
        batch, end = run
        return hashlib.sha256(f"{seed} {batch.folder} {end}".encode()).hexdigest()

    return sorted(sorted(runs, key=rank)[:number])


def processor_flags() -> set[str]:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("flags"):
            return set(line.split(":", 1)[1].split())
    return set()


def other_level(backend: str, flags: set[str]) -> str | None:
    """The instruction set to audit with, for a run on "cuda NVIDIA ..." or "cpu avx512, ...": none in particular after a GPU."""
    words = backend.replace(",", " ").split()
    if words[0] != "cpu":
        return None
    able = [level for level, needs in LEVELS.items() if needs <= flags]
    return next((level for level in able if level != words[1]), words[1])


def choose(given: argparse.Namespace) -> int:
    if None in (given.study, given.results, given.pieces):
        raise StudyError("choose needs --study, --results and --pieces")
    campaign = campaign_of(given.study, given.results)
    runs = pieces(campaign)
    found = chosen(runs, given.pieces, campaign.study.data["seed"])
    listed = [{"L": batch.L, "batch": batch.name, "sweeps": end} for batch, end in found]
    write_json(given.out, {"runs": len(runs), "pieces": listed}, KIND)
    return 0


def run(words: list[str]) -> int:
    """Becomes the program, so that it gets the signals."""
    from psflip.campaign.hdf5 import hdf5_file, text_of  # here, because most jobs do not need HDF5, which takes long to load

    if "--run" not in words[1:-1]:
        raise StudyError("run needs a program and its options, among them --run")
    file = Path(words[words.index("--run") + 1])
    with hdf5_file(file, "a run as pt-run writes it") as opened:
        level = other_level(text_of(opened["provenance"].attrs["backend"]), processor_flags())
    if level:
        os.environ["PSFLIP_SIMD"] = level
    os.execv(words[0], [*words, "--backend", "cpu"])


def read_audit(file: Path) -> dict:
    found = read_json(file, "a result of audit (remove it, and the run is audited again)", AUDIT)
    if not found["equal"] and found["first_difference"] is None:
        raise StudyError(f"{file}: this is not a result of audit, or it is damaged (it has no first_difference, but is not equal)")
    return found


def read_sample(file: Path) -> list[dict]:
    """The runs that were drawn."""
    return read_json(file, "a sample of runs (remove it, and it is drawn anew)", SAMPLE)["pieces"]


def difference(file: Path) -> str:
    """Returns what the result of an audit says about a rerun that differs; empty if the rerun is equal."""
    result = read_audit(file)
    if result["equal"]:
        return ""
    first, run = result["first_difference"], result.get("files", {}).get("run", {}).get("path", "a run")
    where = f"{first['dataset']} {first['index']} is {first['in_file']}, but {first['in_rerun']} on {result['rerun'].get('backend')}"
    return (
        f"audit: {run} differs from its rerun: {where}.\n    Its averages cannot be trusted: {result['differences']} of "
        f"{result['values']} values differ. An audit on a third machine shows which of the two is wrong. To make it again, remove the batch, or "
        f"this run and all that follows it, and {file.parent.parent / 'rounds'} and {file}."
    )


def check(given: argparse.Namespace) -> int:
    told = [difference(file) for file in given.files if file.suffix == ".json"]
    if not told:
        raise StudyError("check needs results of audit, as in --files OUT/audit/L*.json")
    if any(told):
        print(printable("\n".join(filter(None, told))), file=sys.stderr)
        return 1
    write_text(given.out, f"{len(told)} runs audited, all equal\n", KIND)
    return 0


def main() -> int:
    if sys.argv[1:2] == ["run"]:
        return run(sys.argv[2:])
    parser = Parser(__doc__)
    parser.add_argument("what", choices=("choose", "check"))
    parser.add_input("--study")
    parser.add_input("--results", folder=True, help="folder of the study's results")
    parser.add_argument("--pieces", type=int, help="how many runs")
    parser.add_output("--out", KIND, required=True)
    parser.add_input("--files", nargs="*", default=[], help="results of audit; others are passed over")
    given = parser.parse_args()
    return choose(given) if given.what == "choose" else check(given)


if __name__ == "__main__":
    sys.exit(main())
