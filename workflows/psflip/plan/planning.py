"""What a campaign takes: jobs, flips, hours, disk space, files, memory, longest job; for the whole campaign and for what is missing of
it now. Which batches are not equilibrated shows only later: `least` counts no doubling that is not decided yet, `most` all of them.

    psflip plan configs/ea3d.yaml
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from psflip.campaign import manifest, options
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable, reading
from psflip.campaign.json_files import read_json
from psflip.campaign.ladders import with_ladder
from psflip.campaign.programs import Programs, count_gpus
from psflip.campaign.study import Study, digest, fill_defaults, load_schema, part_of_schema
from psflip.campaign.whole_files import write_json
from psflip.plan.codings import as_text as coding_lines
from psflip.plan.codings import codings
from psflip.plan.estimate import Cost, Estimate
from psflip.plan.node_filling import Placement
from psflip.plan.rates import Rates, filling_up
from psflip.places import BIN

SIMULATIONS = ("thermalize", "run")
DRAWING = {"plots": 10.0, "crossings": 1.0, "critical": 10.0, "paired": 1.0, "provenance": 1.0, "report": 2.0, "study_zip": 2.0}  # seconds
LOGS = 2  # log and benchmark of each job
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


def count_jobs(campaign: Campaign, most: bool) -> tuple[Counter, Counter]:
    """Numbers of all jobs and of those that are missing."""
    whole, missing = Counter(), Counter()
    for L in campaign.study.sizes:
        for batch in campaign.batches(L):
            for key, is_missing in batch_jobs(campaign, batch, last_end(campaign, batch, most)):
                whole[key] += 1
                missing[key] += is_missing
    rest = Counter({(rule, 0, 0, 0, 0): 1 for rule in ("reduce", *DRAWING)})
    return whole + rest, missing + (rest if +missing or not campaign.stamp().is_file() else Counter())


def cost(estimate: Estimate, key: Key) -> Cost:
    rule, L, count, start, end = key
    if rule == "disorder" or rule == "thermalize":
        return getattr(estimate, rule)(L, count)
    if rule == "run":
        return estimate.run(L, count, start, end)
    if rule == "measure":
        return estimate.measure(L, count, end)
    return estimate.reduce() if rule == "reduce" else Cost(seconds=DRAWING[rule], safe=60, memory_mb=500, disk=2e6, files=1)


def total(estimate: Estimate, jobs: Counter) -> dict:
    """The sums that the plan tells. Core hours: of the CPU; GPU hours: a job has a GPU, and a core, for each slab."""
    found = {"jobs": {}, "flips": 0.0, "gpu_hours": 0.0, "core_hours": 0.0, "disk_bytes": 0.0, "files": 0, "memory_mb": 0.0, "longest_job": None}
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


def relaxations(estimate: Estimate) -> dict[str, dict]:
    """By size, of the target `relaxation`, where the study says anything in its section `relax`."""
    found, campaign = {}, estimate.campaign
    says_nothing = campaign.study.data["relax"] == fill_defaults({}, part_of_schema("relax"), load_schema())
    for L in [] if says_nothing else campaign.study.sizes:
        costs = [estimate.relax(L, batch.count) for batch in campaign.batches(L)]
        workers = estimate.slabs(L) if estimate.rates.gpu else estimate.threads
        hours = sum(cost.seconds for cost in costs) / 3600 * workers
        found[str(L)] = {"sweeps": campaign.study.data["relax"]["last"], "flips": sum(cost.flips for cost in costs), "hours": hours}
        found[str(L)] |= {"disk_bytes": sum(cost.disk for cost in costs), "longest_seconds": max(cost.seconds for cost in costs)}
    return found


def make_plan(estimate: Estimate) -> dict:
    campaign = estimate.campaign
    plan = {"made": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "device": "gpu" if estimate.rates.gpu else "cpu"}
    plan |= {"threads": estimate.threads, "of": digest(campaign.averaged(), campaign.study.data)}
    for name, most in (("least", False), ("most", True)):
        whole, missing = count_jobs(campaign, most)
        plan.setdefault("whole", {})[name] = total(estimate, whole)
        plan.setdefault("missing", {})[name] = total(estimate, missing)
        plan.setdefault("sizes", {})[name] = by_size(estimate, whole)
    plan["relaxations"] = relaxations(estimate)
    plan["codings"] = codings(campaign, estimate.rates.gpu, estimate.threads)
    plan["multispin"] = {key: campaign.study.data["multispin"][key] for key in ("share", "lanes")}
    return plan


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
            raise ValueError("sizes.least and sizes.most have other sizes")
    return plan


# --- as text -----------------------------------------------------------------------------------------------------------
def duration(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def amount(size: float) -> str:
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size / 1e3:.0f} kB"


def longest(job: dict | None) -> str:
    return f"{duration(job['seconds'])}, {job['rule']}" + (f" L = {job['L']}" if job["L"] else "") if job else "none"


ROWS = (
    ("jobs", lambda t: f"{sum(t['jobs'].values())}"),
    ("proposed flips", lambda t: f"{t['flips']:.3g}"),
    ("GPU hours", lambda t: f"{t['gpu_hours']:.3g}"),
    ("core hours", lambda t: f"{t['core_hours']:.3g}"),
    ("disk space", lambda t: amount(t["disk_bytes"])),
    ("files, with logs", lambda t: f"{t['files']}"),
    ("memory of a job, at most", lambda t: amount(1e6 * t["memory_mb"])),
    ("longest job", lambda t: longest(t["longest_job"])),
)


def as_text(plan: dict) -> list[str]:
    columns = [plan[part][name] for part in ("whole", "missing") for name in ("least", "most")]
    lines = [f"{'':26}{'whole campaign':>44}{'missing now':>44}", f"{'':26}" + f"{'least':>22}{'most':>22}" * 2]
    lines += [f"{title:26}" + "".join(f"{show(column):>22}" for column in columns) for title, show in ROWS]
    rules = {rule: [column["jobs"].get(rule, 0) for column in columns] for rule in columns[1]["jobs"]}
    lines += ["", "jobs by rule"] + [f"  {rule:24}" + "".join(f"{n:>22}" for n in numbers) for rule, numbers in rules.items()]
    hours = "gpu_hours" if plan["device"] == "gpu" else "core_hours"
    lines += ["", f"{'L':>4}{'batches':>9}{'realizations':>14}{'slabs':>7}{'flips':>12}{hours.replace('_', ' '):>12}{'disk':>10}{'ps per flip':>13}  from   (least)"]
    for L, size in plan["sizes"]["least"].items():
        row = f"{L:>4}{size['batches']:>9}{size['realizations']:>14}{size['slabs']:>7}{size['flips']:>12.3g}{size[hours]:>12.3g}{amount(size['disk_bytes']):>10}"
        lines.append(f"{row}{size['ps_per_flip']:>13.3g}  {size['rate_from']}")
    if plan["relaxations"]:
        lines += ["", f"{'L':>4}{'sweeps':>14}{'flips':>12}{hours.replace('_', ' '):>12}{'disk':>10}{'longest job':>14}  snakemake relaxation, not in the sums above"]
    for L, of in plan["relaxations"].items():
        lines.append(f"{L:>4}{of['sweeps']:>14}{of['flips']:>12.3g}{of['hours']:>12.3g}{amount(of['disk_bytes']):>10}{duration(of['longest_seconds']):>14}")
    return [*lines, "", *coding_lines(plan["codings"], **plan["multispin"])]


def main() -> int:
    parser = Parser(__doc__, "psflip plan")
    parser.add_input("study", help="the study file")
    parser.add_argument("--out", help="folder of the study's results (default: results/<name of the study file>)")
    parser.add_argument("--ladder", default="study", help="temperatures: study, tuned or tuned:L, as for the workflow")
    parser.add_argument("--bin", type=Path, default=BIN, help="folder of the psflip programs")
    parser.add_argument("--backend", choices=("auto", "cpu", "cuda"), default="auto", help="auto: a GPU where this machine has one")
    parser.add_argument("--gpus", type=int, help="GPUs of the machine (default: those of this one), which a batch of large lattices may share")
    parser.add_argument("--slabs", default="auto", help="into how many a lattice is cut: auto, or a number")
    parser.add_argument("--threads", type=int, default=1, help="of a job on the CPU")
    parser.add_input("--rates", help="JSON or CSV of bench-flip from the machine that will do it")
    parser.add_output("--json", "plan", help="write the plan there as well")
    given = parser.parse_args()
    options.check_rates(given.rates)
    programs = Programs.find(given.bin)
    gpu = given.backend == "cuda" or (given.backend == "auto" and programs.cuda and count_gpus() > 0)
    out = given.out or f"results/{given.study.stem}"
    programs.check(given.study)
    campaign = Campaign(with_ladder(Study.read(given.study), out, given.ladder), out, programs.physics_version, programs.analysis_version)
    manifest.check(campaign)
    placement = Placement(given.gpus or max(1, count_gpus()), options.checked("slabs", options.as_number(given.slabs)))
    plan = make_plan(Estimate(campaign, Rates(campaign, gpu, given.rates), given.threads, placement))
    print(printable("\n".join([f"{given.study}, results in {campaign.out}", "", *as_text(plan)])))
    if given.json:
        write_json(given.json, plan, "plan")
    return 0


if __name__ == "__main__":
    sys.exit(main())
