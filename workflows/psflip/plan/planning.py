"""Plans a study: jobs, flips, time, disk space, files, memory and longest job, of the whole study and of what is missing of it now.
Only the runs show which batches are not equilibrated: `least` counts no doubling that is not decided yet, `most` counts all of them.

    psflip plan configs/ea3d.yaml
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from psflip.campaign import manifest, options, profiles
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable, reading
from psflip.campaign.json_files import read_json
from psflip.campaign.ladders import with_ladder
from psflip.campaign.programs import Programs, count_gpus
from psflip.campaign.study import EQUILIBRIUM, RELAXATION, Study, add_kinds, digest
from psflip.campaign.whole_files import write_json
from psflip.places import BIN
from psflip.plan import advice, plan_text
from psflip.plan.estimate import Cost, Estimate, Placement
from psflip.plan.machine import Machine
from psflip.plan.rates import Rates, codings, filling_up

SIMULATIONS = ("thermalize", "run", "relax")
DRAWING = {"plots": 4.0, "crossings": 3.0, "critical": 3.0, "paired": 1.0, "provenance": 1.0, "report": 2.0, "study_zip": 10.0}  # seconds
ANALYSIS = {EQUILIBRIUM: ("reduce", *DRAWING), RELAXATION: ("relaxation",)}  # jobs of all sizes, which come last
SECONDS = {**DRAWING, "relaxation": 15.0}
MEMORY_MB = {"plots": 470, "crossings": 180, "critical": 180, "paired": 60, "provenance": 60, "report": 170, "study_zip": 480, "relaxation": 200}  # most of several studies
LOGS = 2  # log and benchmark of each job
JOBS = {"disorder", "thermalize", "run", "measure", "relax", *(rule for rules in ANALYSIS.values() for rule in rules)}  # rules that count as jobs: programs and analysis, not the bookkeeping of the workflow
STAGE = {"report": 3, "study_zip": 4} | dict.fromkeys(("reduce", "relaxation"), 1)  # of the analysis; 2 for the others
Key = tuple[str, int, int, int, int]  # rule, L, realizations, start, end


def last_end(campaign: Campaign, batch: Batch, most: bool) -> int:
    """How far a batch runs: as the rounds that are over have decided, then not on (or, `most`, always on)."""
    *tested, last = campaign.rounds(batch.L)
    for end in tested:
        if campaign.round_file(batch.L, end).is_file():
            if batch.name not in campaign.go_on(batch.L, end):
                return end
        elif not most:
            return end
    return last


def batch_jobs(campaign: Campaign, batch: Batch, end: int) -> list[tuple[Key, bool]]:
    """The jobs of a batch that gets to `end`, and whether each is missing."""
    names, L, count = campaign.names(batch), batch.L, batch.count
    found = [(("disorder", L, count, 0, 0), "disorder.h5" not in names), (("thermalize", L, count, 0, 0), "state-0.h5" not in names)]
    start = 0
    for stop in campaign.chain(batch, end):
        found.append((("run", L, count, start, stop), not names.issuperset((f"run-{stop}.h5", f"state-{stop}.h5"))))
        if stop >= campaign.sweeps(L):
            found.append((("measure", L, count, 0, stop), f"observables-{stop}.h5" not in names))
        start = stop
    if f"observables-{end}.h5" in names:  # nothing that was lost on the way is needed any more
        found = [(key, False) for key, _ in found]
    return found


def relaxation_jobs(campaign: Campaign, batch: Batch) -> list[tuple[Key, bool]]:
    """Returns the jobs of a batch that relaxes to relax.last, in parts if files to earlier times are there, and whether each is missing."""
    last, L, count = campaign.study.data["relax"]["last"], batch.L, batch.count
    there = [end for end in campaign.relaxed(batch) if end <= last]
    steps = [0, *dict.fromkeys([*there, last])]
    parts = [(("relax", L, count, start, end), end not in there) for start, end in zip(steps, steps[1:])]
    return [(("disorder", L, count, 0, 0), parts[-1][1] and "disorder.h5" not in campaign.names(batch)), *parts]


def count_jobs(campaign: Campaign, most: bool) -> tuple[Counter, Counter]:
    """Numbers of all jobs and of those that are missing."""
    whole, missing, relaxes = Counter(), Counter(), campaign.study.kind == RELAXATION
    for L in campaign.study.sizes:
        for batch in campaign.batches(L):
            for key, is_missing in relaxation_jobs(campaign, batch) if relaxes else batch_jobs(campaign, batch, last_end(campaign, batch, most)):
                whole[key] += 1
                missing[key] += is_missing
    rest = Counter({(rule, 0, 0, 0, 0): 1 for rule in ANALYSIS[campaign.study.kind]})
    stamp = campaign.relaxation_stamp() if relaxes else campaign.stamp()
    return whole + rest, missing + (rest if +missing or not stamp.is_file() else Counter())


def stages(jobs: Counter) -> int:
    """Returns how many jobs wait for one another: the longest chain."""
    ends: dict[int, set[tuple[str, int]]] = {}
    for rule, L, _, _, end in +jobs:
        ends.setdefault(L, set()).add((rule, end) if L else (STAGE.get(rule, 2), 0))
    return max((len(found) for L, found in ends.items() if L), default=0) + len(ends.get(0, ()))


def cost(estimate: Estimate, key: Key) -> Cost:
    rule, L, count, start, end = key
    if rule == "disorder" or rule == "thermalize":
        return getattr(estimate, rule)(L, count)
    if rule in ("run", "relax"):
        return getattr(estimate, rule)(L, count, start, end)
    if rule == "measure":
        return estimate.measure(L, count, end)
    return estimate.reduce() if rule == "reduce" else Cost(seconds=SECONDS[rule], safe=5 * SECONDS[rule], memory_mb=MEMORY_MB[rule], disk=2e6, files=1)


def total(estimate: Estimate, jobs: Counter) -> dict:
    """Returns the sums of the plan. Core hours are of the CPU. In GPU hours, a job has a GPU and a core for each slab."""
    found = {"jobs": {}, "stages": stages(jobs), "flips": 0.0, "gpu_hours": 0.0, "core_hours": 0.0, "disk_bytes": 0.0, "files": 0, "memory_mb": 0.0, "longest_job": None, "last_seconds": 0.0}
    for key, number in sorted(jobs.items()):
        if number == 0:
            continue
        one, rule = cost(estimate, key), key[0]
        on_gpu = estimate.rates.gpu and rule in SIMULATIONS
        found["jobs"][rule] = found["jobs"].get(rule, 0) + number
        found["flips"] += number * one.flips
        workers = (estimate.slabs(key[1]) if on_gpu else estimate.threads) if rule in SIMULATIONS else 1
        found["gpu_hours" if on_gpu else "core_hours"] += number * one.seconds / 3600 * workers
        found["disk_bytes"] += number * one.disk
        found["last_seconds"] += one.seconds if rule in ANALYSIS[estimate.campaign.study.kind] else 0.0
        found["files"] += number * (one.files + LOGS)
        found["memory_mb"] = max(found["memory_mb"], one.memory_mb)
        if not found["longest_job"] or one.seconds > found["longest_job"]["seconds"]:
            found["longest_job"] = {"rule": rule, "L": key[1], "seconds": one.seconds}
    return found


def by_size(estimate: Estimate, jobs: Counter) -> dict[str, dict]:
    found = {}
    for L in estimate.campaign.study.sizes:
        of_size = total(estimate, Counter({key: number for key, number in jobs.items() if key[1] == L}))
        rate = estimate.rates.rate(L)
        batches = estimate.campaign.batches(L)
        realizations = sum(batch.count for batch in batches)
        ps = rate.ps * sum(batch.count * filling_up(batch.count, estimate.campaign.study, L) for batch in batches) / realizations  # of a realization, not of a lane
        here = {"batches": len(batches), "realizations": realizations, "slabs": estimate.slabs(L), "ps_per_flip": ps, "rate_from": rate.source}
        found[str(L)] = here | {key: of_size[key] for key in ("flips", "gpu_hours", "core_hours", "disk_bytes")}
    return found


def make_plan(estimate: Estimate) -> dict:
    campaign = estimate.campaign
    plan = {"made": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "device": "gpu" if estimate.rates.gpu else "cpu"}
    relaxes = campaign.study.kind == RELAXATION
    plan |= {"kind": campaign.study.kind, "threads": estimate.threads}
    plan["of"] = digest(campaign.relaxation_stamp().name if relaxes else campaign.averaged(), campaign.study.data)
    for name, most in (("least", False), ("most", True)):
        whole, missing = count_jobs(campaign, most)
        plan.setdefault("whole", {})[name] = total(estimate, whole)
        plan.setdefault("missing", {})[name] = total(estimate, missing)
        plan.setdefault("sizes", {})[name] = by_size(estimate, whole)
    plan["codings"] = codings(campaign, estimate.rates.gpu, estimate.threads)
    plan["multispin"] = {key: campaign.study.data["multispin"][key] for key in ("share", "lanes")}
    return plan


def plan_file(study: Study) -> str:
    """The name of the plan in the folder of results, which may hold a study in equilibrium and a relaxation."""
    return "relaxation-plan.json" if study.kind == RELAXATION else "plan.json"


def save(plan: dict, file: Path) -> None:
    """Keeps the plan that was made when the study was first started as it is now; that is what to compare with what was used."""
    try:
        if read_json(file, "a plan of psflip", {"of": str})["of"] == plan["of"]:
            return
    except StudyError:
        pass
    write_json(file, plan, "plan")


OF_SIZE = dict.fromkeys(("flips", "gpu_hours", "core_hours"), float)
PLAN = {"made": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "device": {"cpu", "gpu"}, "whole": {"least": OF_SIZE, "most": OF_SIZE},
        "sizes": dict.fromkeys(("least", "most"), {re.compile(r"[1-9]\d{0,8}"): {**OF_SIZE, "ps_per_flip": float}})}  # fmt: skip


def read_plan(file: Path) -> dict:
    """plan.json, as far as the report shows it."""
    what = "a plan of psflip (remove it, and the next start plans anew)"
    plan = read_json(file, what, PLAN)
    with reading(file, what):
        if plan["sizes"]["least"].keys() != plan["sizes"]["most"].keys():
            raise ValueError("sizes.least and sizes.most have different sizes")
    return plan


def on_gpu(programs: Programs, backend: str, gpus: object) -> bool:
    """Whether sweeps run on a GPU. `gpus`: their number."""
    return backend == "cuda" or (backend == "auto" and programs.cuda and bool(gpus))


def main() -> int:
    parser = Parser(__doc__, "psflip plan")
    parser.add_input("study", help="the study file")
    parser.add_argument("--out", help="folder of the study's results (default: results/<name of the study file>)")
    add_kinds(parser)
    parser.add_argument("--ladder", default="study", help="temperatures: study, tuned or tuned:L, as for the workflow")
    parser.add_argument("--bin", type=Path, default=BIN, help="folder of the psflip programs")
    parser.add_argument("--backend", choices=("auto", "cpu", "cuda"), default="auto", help="auto: a GPU if this machine has one")
    parser.add_argument("--gpus", type=int, help="GPUs of the machine (default: the GPUs of this machine), which a batch of large lattices may share")
    parser.add_argument("--slabs", default="auto", help="into how many a lattice is cut: auto, or a number")
    parser.add_argument("--profile", help="where jobs run, as for psflip run: slurm, or a folder with a profile.yaml")
    parser.add_argument("--threads", type=int, default=1, help="of a job on the CPU")
    parser.add_input("--rates", help="JSON or CSV of bench-flip from the machine that will do it")
    parser.add_output("--json", "plan", help="write the plan there as well")
    given = parser.parse_args()
    options.check_rates(given.rates)
    programs = Programs.find(given.bin)
    out = given.out or f"results/{given.study.stem}"
    programs.check(given.study)
    study = Study.read(given.study)
    study.choose(given.kind)
    campaign = Campaign(with_ladder(study, out, given.ladder), out, programs.physics_version, programs.analysis_version)
    manifest.check(campaign)
    here = Machine.here(campaign.out, given.gpus)
    placement = Placement(max(1, here.gpus), options.checked("slabs", options.as_number(given.slabs)))
    plan = make_plan(Estimate(campaign, Rates(campaign, on_gpu(programs, given.backend, count_gpus()), given.rates), given.threads, placement))
    folder = profiles.folder_of(given.profile)
    wait = plan_text.Wait(profiles.is_cluster(folder), profiles.seconds_of_stage(folder if given.profile else profiles.folder_of("slurm")))
    lines = plan_text.as_text(plan, here, wait) + [f"note: {text}" for text in [*advice.of(campaign, plan), *plan_text.limits(plan, here)]]
    print(printable("\n".join([f"{given.study}, {study.kind}, results in {campaign.out}", "", *lines])))
    if given.json:
        write_json(given.json, plan, "plan")
    return 0


if __name__ == "__main__":
    sys.exit(main())
