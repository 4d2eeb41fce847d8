"""What happens once in a call of Snakemake: before it plans, before its first job, after its last one, and after a failure."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from snakemake.settings.types import Quietness, RerunTrigger

from psflip.campaign import manifest, own_couplings
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.study import PAGES, RELAXATION
from psflip.campaign.whole_files import visible, write_text
from psflip.jobs import earlier_jobs, failures, job_table, locks, snakemake_patches
from psflip.jobs.events import Events, plain_errors
from psflip.jobs.writer import one_writer
from psflip.plan.planning import SECONDS, SIMULATIONS, cost, count_jobs, make_plan, plan_file, save
from psflip.workflow.job_plan import JobPlan


class Lifetime:
    """`workflow`: Snakemake's object of that name."""

    def __init__(self, plan: JobPlan, workflow: Any, events: Events):
        self.plan, self.workflow, self.events = plan, workflow, events
        self.out = Path(plan.out)
        self.has_turn = self.has_succeeded = False
        self.done_before: Counter = Counter()
        events.seconds, events.count = self.seconds, self.count
        if plan.setting.is_remote:
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # for the program of the job
        if not plan.setting.is_main:
            return
        snakemake_patches.apply(workflow)
        if plan.gpus:
            snakemake_patches.limit_resource(workflow, "gpu", plan.gpus * plan.gpu_jobs)
        if plan.groups:
            snakemake_patches.limit_resource(workflow, "one_by_one", 1, "local")
        if not workflow.dryrun:
            from psflip.results import print_summary  # noqa: F401  before the next line: `end` must come before what h5py does at the end

            atexit.register(self.end)

    def planned(self) -> tuple[Counter, Counter]:
        """Returns all jobs and the missing jobs, as the plan counts them. The folder is read anew, because the campaign of the plan keeps its lists of files, on which the DAG rests."""
        programs = self.plan.programs
        return count_jobs(Campaign(self.plan.study, self.plan.out, programs.physics_version, programs.analysis_version), most=False)

    def count(self) -> tuple[int, float]:
        """Returns number and seconds of the jobs of this call that are known to be needed. Each round of a study may add some."""
        jobs = self.planned()[0] - self.done_before
        return jobs.total(), sum(number * cost(self.plan.estimate, key).seconds for key, number in jobs.items())

    def seconds(self, rule: str, wildcards: dict[str, str]) -> float:
        """Returns the estimated time of a job; 1 for a short job."""
        if "batch" in wildcards and rule in ("disorder", "measure", *SIMULATIONS):
            return self.plan.cost(rule, Batch.of(wildcards["L"], wildcards["batch"]), int(wildcards.get("sweeps", 0))).seconds
        return self.plan.estimate.reduce().seconds if rule == "reduce" else SECONDS.get(rule, 1.0)

    def take_turn(self, *_: object) -> list[str]:
        """Before Snakemake looks which files are missing: takes the lock of the folder, and waits for the end of jobs that an earlier Snakemake left. An input without files."""
        plan = self.plan
        if plan.setting.is_main and self.workflow.executor_plugin is not None and not self.workflow.dryrun and not self.has_turn:
            with plain_errors():
                one_writer(plan.out)
                planned = plan.campaign.averaged()
                earlier_jobs.wait(plan.out)
                plan.campaign.forget()
                manifest.check(plan.campaign)  # again: those jobs may have had another study
                if plan.campaign.averaged() != planned:  # or other batches
                    raise StudyError(f"{plan.out}: other batches appeared there since the start of this command; run the same command again")
            self.has_turn = True
        return []

    def locks(self) -> list[Path]:
        """Returns the locks in the folder of results, without listing the folders of batches again."""
        campaign = self.plan.campaign
        batches = [batch for L in self.plan.study.sizes for batch in campaign.batches(L)]
        found = [self.out / batch.folder / name for batch in batches for name in campaign.names(batch) if name.endswith(locks.SUFFIXES)]
        return found + [file for folder in (".", "ladder", "audit") for suffix in locks.SUFFIXES for file in self.out.glob(f"{folder}/*{suffix}")]

    def begin(self) -> None:
        """Before the first job. Finished files stay, whatever Snakemake remembers of the rules that made them (or, in another folder, does not): manifest.py refuses what
        contradicts them, and the names in rounds/ show what is outdated."""
        plan = self.plan
        with plain_errors():
            if set(self.workflow.rerun_triggers) != {RerunTrigger.MTIME}:
                raise StudyError("the profile lacks `rerun-triggers: [mtime]`, without which finished files could be made again; use a profile such as workflows/profiles/default")
            one_writer(plan.out)
            os.environ[locks.VARIABLE] = locks.ended_jobs(self.locks())
            earlier_jobs.begin(plan.out, snakemake_patches.name_of_jobs(self.workflow))
            plan.campaign.remove_outdated()
            manifest.write(plan.campaign)
            own_couplings.write_index(self.out, plan.own_couplings)
            copy = Path(plan.study_copy)
            if not copy.is_file() or copy.read_text(encoding="utf-8", errors="replace") != plan.study.text:
                write_text(copy, plan.study.text)
            save(make_plan(plan.estimate), self.out / plan_file(plan.study))
            if self.events.pipe and job_table.has_jobs(self.workflow):
                whole, missing = self.planned()
                self.done_before = whole - missing
                if +missing:
                    self.events.send_count()

    def succeed(self) -> None:
        self.has_succeeded = True

    def fail(self) -> None:
        """Prints what failed and how many jobs have a checkpoint."""
        quiet = Quietness.ALL in (self.workflow.output_settings.quiet or ())  # then Snakemake does not print which jobs failed
        failed: list[tuple[str, str]] = []
        for job in snakemake_patches.failed_jobs(self.workflow):
            failed += [(str(file), failures.cause(Path(file))) for file in job.log] or [(str(job), "")]
        for file, text in failed if quiet else []:
            print(printable(f"failed: {file}: {text}" if text else f"failed: {file}"), file=sys.stderr, flush=True)
        waiting = len(visible(self.out, "L*/batch*/*.checkpoint.h5"))
        self.events.send(event="failed", jobs=failed, waiting=waiting)
        if waiting:
            print(f"Jobs that stopped early and saved a checkpoint: {waiting}. The same command resumes them.")

    def end(self) -> None:
        """After all that Snakemake prints: prints the result, if the report was asked for and all is done or was done before."""
        from psflip.results.print_summary import last_line, relaxation_line

        plan, dag = self.plan, self.workflow.dag
        relaxes, page = plan.study.kind == RELAXATION, f"{plan.out}/{PAGES[plan.study.kind]}"
        stamp = plan.campaign.relaxation_stamp() if relaxes else plan.campaign.stamp()
        nothing_to_do = self.has_turn and dag is not None and not len(dag) and stamp.is_file()
        if self.workflow.dryrun:
            self.events.send(event="table", rows=job_table.rows(self.workflow, plan.on_cluster), groups=plan.groups)
        elif (self.has_succeeded or nothing_to_do) and any(page in job.output for job in dag.jobs):
            print(relaxation_line(self.out) if relaxes else last_line(self.out), flush=True)
