"""Runs a study: all that is missing, to plots and report. It calls Snakemake with psflip's Snakefile; what comes after -- are options of Snakemake.

    psflip run my.yaml
    psflip run my.yaml --dry-run
    psflip run my.yaml --profile slurm --node-gpus 4 -- --keep-incomplete

One line shows how far it is. The log of the workflow lies in the folder of results, in logs/. --verbose, or options of Snakemake, show its own output.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import IO

from psflip.campaign import manifest, options, profiles
from psflip.campaign.campaign import Campaign
from psflip.campaign.colour import coloured
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.ladders import with_ladder
from psflip.campaign.programs import Programs, count_gpus
from psflip.campaign.study import PAGES, Study
from psflip.commands.progress_line import Line, State, follow
from psflip.jobs import events, job_table
from psflip.places import SNAKEFILE
from psflip.plan.machine import slurm_version

MAX_FAILURES = 20  # failures that are printed
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)
KILL_AFTER = 3  # requests to stop after which Snakemake is killed
TAIL = 12  # lines of the log that are printed if nothing else says what went wrong


def cores_of(text: str | None) -> list[str]:
    if text is None:
        return []
    if text != "all" and not (text.isdecimal() and int(text) > 0):
        raise StudyError(f"--cores {text} is not possible; use a whole number from 1 on, or all")
    return ["--cores", text]


def parse(words: list[str], about: str, prog: str) -> tuple[argparse.Namespace, list[str]]:
    """Returns the options, and the options of Snakemake after --."""
    own, more = (words[: words.index("--")], words[words.index("--") + 1 :]) if "--" in words else (words, [])
    parser = Parser(about, prog)
    options.add_options(parser)
    parser.add_argument("--profile", help="slurm, or a folder with a profile.yaml (default: this machine)")
    parser.add_argument("--cores", help="of this machine, for all jobs (default: all)")
    parser.add_argument("--retries", type=parser.whole(0, 10**6), help="how often a job that stopped or failed is tried again")
    parser.add_argument("-n", "--dry-run", action="store_true", help="print what would run, and run nothing")
    parser.add_argument("--verbose", action="store_true", help="show all that the workflow prints")
    return parser.parse_args(own), more


def check_here() -> None:
    """StudyError if Snakemake cannot write its notes."""
    here = Path.cwd()
    notes = here / ".snakemake"
    if not os.access(notes if notes.is_dir() else here, os.W_OK | os.X_OK):
        raise StudyError(f"{here}: Snakemake keeps notes in .snakemake in the working directory, which is read-only; change to your own folder, and name the results with --out")


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
    config = options.config_of(given)
    check_here()
    # A profile is always named: Snakemake would take profiles/default of the working directory.
    profile, cores = ["--workflow-profile", str(profiles.folder_of(given.profile))], cores_of(given.cores)
    if importlib.util.find_spec("snakemake") is None:
        raise StudyError(f"Snakemake is not installed for {sys.executable}; install it (pip install snakemake), or use envs/quickstart")
    Programs.find(str(config.get("bin", options.OPTIONS["bin"].default))).check(given.study)
    words = [sys.executable, "-P", "-m", "snakemake", *([target] if target != "all" else []), "--snakefile", str(SNAKEFILE), *profile, *cores]
    words += ["--retries", str(given.retries)] if given.retries is not None else []
    words += ["--dry-run"] if given.dry_run else []
    return [*words, *more, "--config", *(f"{name}={value}" for name, value in config.items())]


def log_file(out: Path) -> Path:
    """Makes logs/ in the folder of results and returns the name of the workflow's log of this call."""
    folder = out / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"workflow-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"


def call(words: list[str], more: list[str], out: Path, dry_run: bool = False, verbose: bool = True, head: list[str] | None = None) -> int:
    """Calls Snakemake and returns its exit code; `more`: its own options; `head`: lines that its log begins with. Snakemake and its jobs run in a separate process group, so that a
    request to stop (Ctrl-C, SIGTERM, SIGUSR1, the end of the terminal) reaches them once, as SIGINT. Waits for their end."""
    verbose = verbose or bool(more)
    stopped: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: stopped.append(number))
    listen, send = os.pipe()
    os.set_inheritable(send, True)
    line = None if verbose or dry_run else Line("psflip: ")
    with open_log(out, dry_run, verbose) as log:
        if log is not None:
            log.write("".join(f"{text}\n" for text in head or []).encode())
            log.flush()
        streams = {} if log is None else {"stdout": log, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(words, env=environment(more) | {events.VARIABLE: str(send)}, pass_fds=(send,), process_group=0, **streams)
        os.close(send)
        if stopped:
            os.killpg(process.pid, signal.SIGINT)
        for number in STOPS if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN else STOPS[:-1]:  # nohup ignores the last
            signal.signal(number, lambda received, _: stop(process, received, stopped))
        state = follow(listen, line)
        code = process.wait()
        os.close(listen)
        if line:
            line.clear()
        if state.without_gpu:
            print(printable("\n".join(state.warnings())), file=sys.stderr, flush=True)
        if log is not None and code:
            end_of(log, state, out, bool(stopped))
    if state.table is not None and code == 0:
        print(printable("\n".join(job_table.as_text(state.table["rows"], state.table["groups"]))), flush=True)
    if code and "all" in more:
        print(f"psflip: Snakemake ended with exit code {abs(code)}; without --quiet all it says more", file=sys.stderr, flush=True)
    return code if code >= 0 else 128 - code


def stop(snakemake: subprocess.Popen, received: int, stopped: list[int]) -> None:
    """Handles a request to stop: the first one interrupts Snakemake and its jobs, and the last one kills Snakemake."""
    stopped.append(received)
    text = {1: "stopping the jobs; this can take a minute, because they save checkpoints", KILL_AFTER: "killing Snakemake; jobs of Slurm may continue, and the next psflip run waits for them"}
    try:
        if len(stopped) in text:
            os.write(sys.stderr.fileno(), f"{chr(10) if sys.stderr.isatty() else ''}psflip run: {text[len(stopped)]}\n".encode())  # print may be under way
    except OSError:
        pass  # the terminal is gone
    with suppress(ProcessLookupError):  # ended meanwhile
        if snakemake.poll() is None and len(stopped) == 1:
            os.killpg(snakemake.pid, signal.SIGINT)
        elif len(stopped) >= KILL_AFTER:
            snakemake.kill()


def open_log(out: Path, dry_run: bool, verbose: bool) -> AbstractContextManager[IO[bytes] | None]:
    """None if Snakemake's output is shown. A dry run leaves no file."""
    if verbose:
        return nullcontext()
    return tempfile.TemporaryFile() if dry_run else log_file(out).open("w+b")


def end_of(log: IO[bytes], state: State, out: Path, stopped: bool) -> None:
    """Prints why a workflow ended early; the cause comes last."""
    name = log.name if isinstance(log.name, str) else ""
    lines = [f"psflip run: stopped with {state.done} of {state.total} jobs done" if stopped else "psflip run: not all is done"]
    lines[0] += f"; the workflow's log: {name}" if name else ""
    if state.waiting:
        lines.append(f"jobs that stopped early and saved a checkpoint: {state.waiting}")
    if state.waiting or stopped:
        lines.append("the same command resumes them")
    if state.refused:
        lines.append(state.refused)
    elif state.failed:
        lines += [f"failed: {file}: {text}" if text else f"failed: {file}" for file, text in state.failed[:MAX_FAILURES]]
        lines += [f"and {len(state.failed) - MAX_FAILURES} more; psflip status {out} shows all"] if len(state.failed) > MAX_FAILURES else []
    elif not stopped:
        log.seek(0)
        lines += log.read().decode(errors="replace").splitlines()[-TAIL:]
    for line in printable("\n".join(lines)).splitlines():
        print(coloured(line, "bad" if line.startswith("failed: ") else "", sys.stderr), file=sys.stderr, flush=True)


def out_of(given: argparse.Namespace) -> Path:
    return Path(given.out or f"results/{given.study.stem}")


def obstacles(given: argparse.Namespace, programs: Programs) -> list[str]:
    """Returns what keeps the first job from running: no scheduler, no GPU, programs without CUDA."""
    executor = profiles.executor_in(profiles.folder_of(given.profile))
    found = []
    if executor == "slurm":
        if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
            found.append(f"--profile {given.profile}: Snakemake's plugin for Slurm is not installed for {sys.executable}; install it: pip install snakemake-executor-plugin-slurm")
        if not slurm_version():
            found.append(f"--profile {given.profile}: there is no Slurm here (no command sbatch, or SLURM_CONF is not set); give the command on a login node of the cluster, or without --profile")
    if given.backend == "cuda" and given.gpus == "0":
        found.append("--backend cuda and --gpus 0 exclude each other; leave one of them out")
    if given.backend == "cuda" and not executor:
        if not programs.cuda:
            found.append(f"--backend cuda: the programs in {programs.folder} are built without CUDA; build them with envs/quickstart --cuda, or give --backend cpu")
        elif not count_gpus():
            found.append("--backend cuda: nvidia-smi lists no GPU on this machine; give --backend cpu, or --profile for a cluster with GPUs")
    return found


def prepare(given: argparse.Namespace) -> list[str]:
    """Returns what is to be known before the first job: work, limits of this machine, advice. StudyError if the study does not fit the folder of results, or its disk."""
    from psflip.plan import advice, plan_text
    from psflip.plan.estimate import Estimate
    from psflip.plan.machine import Machine
    from psflip.plan.planning import make_plan, on_gpu
    from psflip.plan.rates import Rates

    out, config = out_of(given), options.read(options.config_of(given))
    programs = Programs.find(str(config["bin"]))
    study = Study.read(given.study)
    study.choose(given.kind)
    campaign = Campaign(with_ladder(study, out, str(config["ladder"])), out, programs.physics_version, programs.analysis_version)
    manifest.check(campaign)
    manifest.check_folder(campaign, given.study)
    stops = obstacles(given, programs)
    if stops and not given.dry_run:
        raise StudyError(stops[0])
    cluster = profiles.is_cluster(folder := profiles.folder_of(given.profile))
    gpus = config["gpus"] if isinstance(config["gpus"], int) else count_gpus()
    cores = int(given.cores) if given.cores not in (None, "all") else None
    here = Machine.here(out, gpus, cores)
    gpu = on_gpu(programs, str(config["backend"]), config["gpus"] != 0 if cluster else gpus)
    plan = make_plan(Estimate(campaign, Rates(campaign, gpu, config["rates"])))
    left_out = ("memory", "GPU") if cluster else ("GPU",) if stops else ()
    if lack := plan_text.lack_of_disk(plan, here):
        stops.append(lack)
        left_out += ("disk",)
    if stops and not given.dry_run:
        raise StudyError(stops[0])
    limits = plan_text.limits(plan, here)
    texts = [*advice.of(campaign, plan), *(text for text in limits if not text.startswith(left_out))]
    notes = [f"note: {text}" for text in texts] + [f"note: without --dry-run psflip run refuses: {text}" for text in stops]
    return [plan_text.announced(plan, here, plan_text.Wait(cluster, profiles.seconds_of_stage(folder)), f"{given.study} ({study.kind})", out), *notes]


def main(words: list[str]) -> int:
    given, more = parse(words, __doc__ or "", "psflip run")
    snakemake, out = command(given, more, "all"), out_of(given)
    head = [printable(text) for text in prepare(given)]
    for line in head:
        print(coloured(line, "doubt" if line.startswith("note: ") else "", sys.stderr), file=sys.stderr, flush=True)
    code = call(snakemake, more, out, given.dry_run, given.verbose, head)
    kind = Study.read(given.study).choose(given.kind)
    if code == 0 and not given.dry_run and (out / PAGES[kind]).is_file():
        from psflip.results.print_summary import of_kind

        print(printable("\n".join(of_kind(kind, out))))
    return code
