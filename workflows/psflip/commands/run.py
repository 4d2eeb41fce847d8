"""Runs a study: all that is missing, to plots and report. It calls Snakemake with psflip's Snakefile; what comes after -- are options of Snakemake.

    psflip run my.yaml
    psflip run my.yaml --dry-run
    psflip run my.yaml --profile slurm --node-gpus 4 -- --keep-incomplete
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

from psflip.campaign import options
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.programs import Programs
from psflip.commands.workflow_options import add_workflow_options, config_of, words_of
from psflip.places import SNAKEFILE, WORKFLOWS


def profile_of(name: str | None) -> list[str]:
    """slurm, or a folder with a profile.yaml; none: that of one machine. It is always named: Snakemake would take profiles/default of the working directory."""
    name = name or "default"
    own, known = Path(name), sorted(folder.name for folder in (WORKFLOWS / "profiles").iterdir() if folder.is_dir())
    folder = WORKFLOWS / "profiles" / name if name in known else own
    if not any((folder / f"{stem}.yaml").is_file() for stem in ("profile", "config", "profile.v9+", "config.v8+")):
        raise StudyError(f"--profile {name}: neither one of psflip ({', '.join(known)}) nor a folder with a profile.yaml; give one of them")
    return ["--workflow-profile", str(folder)]


def cores_of(text: str | None) -> list[str]:
    if text is None:
        return []
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise StudyError(f"--cores {text}: a whole number from 1 on, or all, is needed")
    return ["--cores", text]


def parse(words: list[str], about: str, prog: str) -> tuple[argparse.Namespace, list[str]]:
    """The options, and those of Snakemake after --."""
    own, more = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    parser = Parser(about, prog)
    add_workflow_options(parser)
    parser.add_argument("--profile", help="slurm, or a folder with a profile.yaml (default: this machine)")
    parser.add_argument("--cores", help="of this machine, for all jobs (default: all)")
    parser.add_argument("--retries", type=parser.whole(0, 10**6), help="how often a job that stopped or failed is tried again")
    parser.add_argument("-n", "--dry-run", action="store_true", help="tell what would run, and run nothing")
    return parser.parse_args(own), more


def check_here() -> None:
    """StudyError if Snakemake cannot write its notes."""
    here = Path.cwd()
    notes = here / ".snakemake"
    if not os.access(notes if notes.is_dir() else here, os.W_OK | os.X_OK):
        raise StudyError(f"{here}: Snakemake keeps notes in .snakemake in the working directory, which is read-only; change to a folder of your own, and name the results with --out")


def environment(more: list[str]) -> dict[str, str]:
    """Of Snakemake and its jobs: no Python of theirs imports modules from the working directory, and no profile sends jobs elsewhere that the command does
    not name."""
    found = {**os.environ, "PYTHONSAFEPATH": "1"}
    profile = found.pop("SNAKEMAKE_PROFILE", "")
    if profile and "--profile" not in more:
        print(printable(f"psflip: SNAKEMAKE_PROFILE={profile} in the environment is not used; --profile FOLDER takes a profile, -- --profile NAME one of Snakemake"), file=sys.stderr, flush=True)
    return found


def command(given: argparse.Namespace, more: list[str], target: str) -> list[str]:
    """Of Snakemake; StudyError where an option, the study file or the programs are wrong, before anything runs."""
    config = config_of(given)
    check_here()
    profile, cores = profile_of(given.profile), cores_of(given.cores)
    if importlib.util.find_spec("snakemake") is None:
        raise StudyError(f"Snakemake is not installed for {sys.executable}; install it (pip install snakemake), or use envs/quickstart")
    Programs.find(str(config.get("bin", options.OPTIONS["bin"].default))).check(given.study)
    words = [sys.executable, "-P", "-m", "snakemake", *([target] if target != "all" else []), "--snakefile", str(SNAKEFILE), *profile, *cores]
    words += ["--retries", str(given.retries)] if given.retries is not None else []
    words += ["--dry-run"] if given.dry_run else []
    return [*words, *more, "--config", *words_of(config)]


def call(words: list[str], more: list[str]) -> int:
    """The exit code of Snakemake; `more`: its own options. Ctrl-C reaches it by itself: it ends its jobs, and this waits for it; other signals are handed on."""
    signal.signal(signal.SIGINT, lambda *_: None)
    process = subprocess.Popen(words, env=environment(more))
    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, lambda received, _: process.send_signal(received))
    code = process.wait()
    if code and "all" in more:
        print(f"psflip: Snakemake ended with exit code {abs(code)}; without --quiet all it says more", file=sys.stderr, flush=True)
    return code if code >= 0 else 128 - code


def out_of(given: argparse.Namespace) -> Path:
    return Path(given.out or f"results/{given.study.stem}")


def main(words: list[str]) -> int:
    given, more = parse(words, __doc__ or "", "psflip run")
    code = call(command(given, more, "all"), more)
    if code == 0 and not given.dry_run and (out_of(given) / "report.html").is_file():
        from psflip.results.print_summary import summary
        from psflip.results.reduced import read_reduced

        print(printable("\n".join(summary(read_reduced(out_of(given) / "reduced.h5"), out_of(given)))))
    return code
