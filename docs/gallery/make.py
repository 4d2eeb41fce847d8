#!/usr/bin/env python3
"""Runs the studies of the gallery, keeps their pictures, and writes docs/gallery.md.

    python docs/gallery/make.py                          # writes the page from the stored runs
    python docs/gallery/make.py --run --bin build/bin    # runs all studies; about 20 minutes of processor time
    python docs/gallery/make.py --run ising2d            # runs one study

The processor time of a study is the time of all its processes, from the command to the picture.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNS = HERE / "runs.json"
PAGE = ROOT / "docs/gallery.md"

import yaml  # noqa: E402


def pictures() -> list[dict]:
    """Returns the rows of gallery.yaml."""
    return yaml.safe_load((HERE / "gallery.yaml").read_text())


def command_of(row: dict, out: str) -> str:
    """Returns the command of a picture, as the page shows it."""
    default = f"psflip run STUDY{'' if out == default_out(row) else ' --out OUT'}"
    return row.get("command", default).replace("STUDY", row["study"]).replace("OUT", out)


def default_out(row: dict) -> str:
    return f"results/{Path(row['study']).stem}"


def picture_of(row: dict) -> str:
    """Returns the file with the picture, as the page names it."""
    return f"{default_out(row)}/{row['picture']}"


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    flags = next((line for line in lines if line.startswith("flags")), "")
    return name + (" with AVX-512" if "avx512vl" in flags else " with AVX2" if "avx2" in flags else "")


def commit() -> str:
    """Returns the last commit that the branch main has too; without this branch, the last commit."""
    for words in (["merge-base", "HEAD", "main"], ["rev-parse", "HEAD"]):
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout[:8]
    return "unknown"


def run(rows: list[dict], bin: Path, work: Path) -> dict:
    """Runs the command that rows have in common, and keeps their pictures. Returns what the page shows of each row."""
    out = work / rows[0]["name"]
    shutil.rmtree(out, ignore_errors=True)
    words = shlex.split(command_of(rows[0], str(out)))
    words[:1] = [sys.executable, "-m", "psflip"] if words[0] == "psflip" else [sys.executable]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*words, "--bin", str(bin)], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT / "workflows")}, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{rows[0]['name']}: {' '.join(words)} ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    facts = {"seconds": round(seconds), "processor": processor(), "date": date.today().isoformat(), "commit": commit()}
    printed = done.stdout.replace(f"{out}/", f"{default_out(rows[0])}/").splitlines()
    for row in rows:
        shutil.copy(out / row["picture"], HERE / f"{row['name']}.png")
    return {row["name"]: facts | {"lines": [line for line in printed if re.search(row["lines"], line)]} for row in rows}


def minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} minutes" if seconds >= 60 else f"{seconds:.0f} seconds"


def section(row: dict, found: dict) -> str:
    shown = [f"    $ {command_of(row, default_out(row))}", *(f"    {line}" for line in found["lines"])]
    return (
        f"## {row['title']}\n\n![{row['title']}](gallery/{row['name']}.png)\n\n{row['text']}\n\n" + "\n".join(shown)
        + f"\n\nStudy: [{row['study']}](../{row['study']}). Picture: `{picture_of(row)}`. Processor time: {minutes(found['seconds'])}.\n"
    )


def page(rows: list[dict], runs: dict[str, dict]) -> str:
    total = sum({command_of(row, default_out(row)): runs[row["name"]]["seconds"] for row in rows}.values())
    known = [runs[row["name"]] for row in rows]
    machines, days, commits = (sorted({found[key] for found in known}) for key in ("processor", "date", "commit"))
    head = (
        "# Gallery\n\nEach picture comes from one study file and one command. The studies are small, so their errors are large. "
        f"All of them together take {minutes(total)} of processor time on two cores of an {', '.join(machines)} "
        f"({', '.join(days)}, commit{'s' * (len(commits) > 1)} {' and '.join(commits)}). Processor time includes analysis, plots and report. Below each command are lines of its output.\n\n"
        "The report of a study, `report.html` or `relaxation.html` in the folder of its results, has more pictures. "
        "[gallery/make.py](gallery/make.py) runs all studies and writes this page.\n\n"
    )
    return head + "\n".join(section(row, runs[row["name"]]) for row in rows)


def front(rows: list[dict]) -> str:
    """Returns four pictures for the front page of the documentation site."""
    cells = [f"[![{row['title']}](docs/gallery/{row['name']}.png)](docs/gallery.md#{anchor(row)})\n" for row in rows if row.get("front")]
    return '<div class="gallery" markdown>\n\n' + "\n".join(cells) + "\n</div>\n"


def anchor(row: dict) -> str:
    return re.sub(r"[^\w-]+", "-", row["title"].lower()).strip("-")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs="*", metavar="NAME", help="run these studies, or all")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="folder of the programs")
    parser.add_argument("--work", type=Path, default=ROOT / "build/gallery", help="folder of the results")
    given = parser.parse_args()
    rows = pictures()
    runs = json.loads(RUNS.read_text()) if RUNS.is_file() else {}
    if unknown := set(given.run or []) - {row["name"] for row in rows}:
        parser.error(f"there is no picture {', '.join(sorted(unknown))}")
    together: dict[str, list[dict]] = {}  # by the command
    for row in rows:
        together.setdefault(command_of(row, default_out(row)), []).append(row)
    for group in together.values():
        if given.run is not None and (not given.run or any(row["name"] in given.run for row in group)):
            runs |= run(group, given.bin.resolve(), given.work.resolve())
            RUNS.write_text(json.dumps({name: runs[name] for name in sorted(runs)}, indent=1, ensure_ascii=False) + "\n")
            for row in group:
                print(f"{row['name']}: {minutes(runs[row['name']]['seconds'])}", *runs[row["name"]]["lines"], sep="\n    ", flush=True)
    if missing := [row["name"] for row in rows if row["name"] not in runs]:
        print(f"not run yet: {', '.join(missing)}", file=sys.stderr)
        return 1
    PAGE.write_text(page(rows, runs))
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
