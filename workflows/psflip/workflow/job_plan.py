"""The jobs of a study, as the rules ask for them: files, commands, threads, GPUs, time and memory."""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snakemake.io import ancient

from psflip.campaign import ladders, manifest, options, own_couplings, programs
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.study import RELAXATION, Study
from psflip.jobs import slurm, snakemake_patches
from psflip.jobs.events import plain_errors
from psflip.places import PACKAGE
from psflip.plan.estimate import Cost, Estimate, Placement
from psflip.plan.planning import cost as planned_cost
from psflip.plan.rates import Rates
from psflip.workflow.setting import Setting

BEFORE_SWEEPS = 10**9  # priority of jobs that others wait for, or that make room
RELAXED = re.compile(r"relax-(\d+)\.state\.h5")
Resource = Callable[[Any, int], int] | int  # of wildcards and attempt


def module(name: str) -> str:
    """Returns the command that runs a module of psflip, for a shell."""
    return shlex.join([sys.executable, str(PACKAGE), name])


def batch_of(wildcards: Any) -> Batch:
    return Batch.of(wildcards.L, wildcards.batch)


class JobPlan:
    """Reads options (--config), the study file and the folder of results; nothing else does. StudyError if they are wrong.

    A process that Snakemake started for a job reads the copy of the study file that was made at the start, so that the study file may be edited meanwhile."""

    def __init__(self, setting: Setting, config: dict):
        self.setting = setting
        options.check_whole(config, setting.words)
        self.options = dict[str, Any](options.read(config))
        self.study_file, self.out = Path(self.options["study"]).resolve(), str(self.options["out"])
        self.ladder, self.ladder_options = self.options["ladder"], self.options["ladder_options"]
        self.study_copy = f"{self.out}/study.yaml"
        self.programs = programs.Programs.find(self.options["bin"])
        self.bin = self.programs.folder
        self._read_study()
        self.given_study_file = self.study_copy if self.ladder == "study" else self.study_file  # with its own temperatures
        self.backend, self.max_runtime = self.options["backend"], self.options["max_runtime"]
        self.time_limit = f"--time-limit {self.options['time_limit']}" if self.options["time_limit"] else ""
        self._choose_devices()
        placement = Placement(
            self.options["node_gpus"] if self.on_cluster else max(1, self.gpus), self.options["slabs"], 60 * self.max_runtime if self.on_cluster else None)
        self.estimate = Estimate(self.campaign, Rates(self.campaign, bool(self.job_gpus(None)), self.options["rates"]), self.job_threads(None), placement)
        self.groups = self._groups() if setting.is_main else {}

    def _read_study(self) -> None:
        main, opts = self.setting.is_main, self.options
        if main:
            options.check_out(self.out)
            options.check_rates(opts["rates"])
            self.programs.check(self.study_file)
        self.given_study = Study.read(self.study_file if main or self.ladder != "study" else self.study_copy)
        if opts["kind"] != "auto":
            self.given_study.choose(opts["kind"])
        self.study = ladders.with_ladder(self.given_study, self.out, self.ladder) if main else Study.read(self.study_copy)
        self.study.kind = self.given_study.kind
        whole = main or not self.setting.is_of_one_batch
        self.campaign = Campaign(self.study, self.out, self.programs.physics_version, self.programs.analysis_version, whole=whole)
        if main:
            manifest.check(self.campaign)
            manifest.check_folder(self.campaign, self.study_file)
        self.own_couplings = own_couplings.check(self.campaign, opts["couplings"]) if main else {}

    def _choose_devices(self) -> None:
        """`gpus`: of this machine; `cluster_gpus`: of a job on a cluster, if the programs can use one; `gpu_jobs`: on each GPU of this machine."""
        gpus = self.options["gpus"]
        if self.on_cluster and self.setting.is_main:
            programs.refuse_gpu_jobs(self.programs, self.backend, gpus, self.setting.profile_asks_gpus)
        without = self.backend == "cpu" or not self.programs.cuda or gpus == 0
        self.cluster_gpus = 0 if without else 1
        self.gpus = 0 if without else programs.count_gpus() if gpus == "auto" else gpus
        self.gpu_jobs = self.options["gpu_jobs"]
        self.mpi = self.options["mpi"]
        if self.mpi == "auto":
            self.mpi = "srun --overlap --mpi=pmix" if self.on_cluster else "mpirun --bind-to none"

    @property
    def on_cluster(self) -> bool:
        return self.setting.on_cluster

    # --- commands ------------------------------------------------------------------------------------------------------
    @property
    def start(self) -> str:
        """What comes before a program that saves no checkpoint."""
        return f"{module('jobs.resumable')} --once" if self.setting.is_remote else ""

    @property
    def resumable(self) -> str:
        """What comes before a program that can stop with a checkpoint: on a cluster, its job goes back into the queue. A job of several does not, because it would do all of
        them again. Signals reach all processes of a job, and all but the program ignore them."""
        return f"trap '' TERM USR1; {module('jobs.resumable')}" if self.setting.is_remote and not self.setting.in_group else self.start

    def started(self, wildcards: Any) -> str:
        """What comes before a program that sweeps. On this machine, a job takes the first GPUs that no other job holds. On a cluster the scheduler gives it some."""
        slabs = self.slabs(wildcards) if hasattr(wildcards, "batch") else 1
        on_gpus = f"{module('jobs.on_free_gpus')} {self.gpus} {self.gpu_jobs} {slabs}" if self.gpus and not self.setting.is_remote else ""
        ranks = f"{self.mpi} -n {slabs}" if slabs > 1 else ""
        asked = "env PSFLIP_GPU=asked" if self.backend == "auto" and self.job_gpus(wildcards) else ""  # then a program that finds no GPU warns
        return " ".join(part for part in (self.resumable, on_gpus, asked, ranks) if part)

    def drawing(self, study_file: str | Path, *words: str) -> str:
        """Returns the command that makes a disorder file: by the law of the model, or from the files that were given."""
        if self.campaign.draws:
            return shlex.join([f"{self.bin}/gen-disorder", "--config", str(study_file), *words])
        given = ["--couplings", str(self.options["couplings"]), "--dimension", str(self.study.data["model"]["dimension"]), "--results", self.out]
        return f"{module('campaign.own_couplings')} {shlex.join([*given, *words])}"

    # --- GPUs, threads, priority ---------------------------------------------------------------------------------------
    def slabs(self, wildcards: Any) -> int:
        """Returns into how many slabs the lattices of a job are cut: processes of the program, each with a GPU if there are some. A job of Slurm has as many as it was given."""
        if self.setting.is_remote and "SLURM_JOB_ID" in os.environ:
            with plain_errors():
                return slurm.tasks()
        return self.estimate.slabs(int(wildcards.L))

    def job_gpus(self, wildcards: Any) -> int:
        """Returns one place on a GPU, or all places on a GPU for each of several slabs. wildcards: None stands for a job of whole lattices."""
        gpus = self.cluster_gpus if self.on_cluster else min(self.gpus, 1)
        slabs = self.slabs(wildcards) if gpus and hasattr(wildcards, "L") else 1
        return gpus * slabs * (self.gpu_jobs if slabs > 1 and not self.on_cluster else 1)

    def job_threads(self, wildcards: Any) -> int:
        """Returns all cores for few batches, and one core if there are enough jobs to fill the machine. If GPUs sweep, half of the cores read and write for them, shared by all
        jobs on GPUs, and the other half is left to the analysis. On a cluster 1, or what the profile sets (set-threads)."""
        cores = self.setting.cores
        if self.gpus and cores:
            return max(1, cores // (2 * self.gpus * self.gpu_jobs))
        disorder = self.study.data["disorder"]
        return max(1, cores // -(-disorder["realizations"] // disorder["batch"]))

    def rank_threads(self, wildcards: Any, threads: int) -> int:
        """Returns the threads of each process: on a cluster, every task of a job has as many cores as the job has threads."""
        return threads if self.on_cluster else max(1, threads // self.slabs(wildcards))

    def all_threads(self, wildcards: Any) -> int:
        return self.setting.cores or 1

    def tuning_threads(self, wildcards: Any) -> int:
        return self.job_threads(wildcards) if self.gpus else self.all_threads(wildcards)

    def drawing_threads(self, spared: int) -> Callable[[Any], int]:
        """All cores of this machine but some, for other jobs."""
        return lambda wildcards: min(max(1, self.setting.cores - spared), 16)

    def sweep_priority(self, wildcards: Any) -> int:
        """Large lattices first, so that none is left for the end. On GPUs of this machine batch after batch: jobs of small lattices are mostly work for the cores, which do it
        while a large lattice sweeps."""
        L = int(wildcards.L)
        before = batch_of(wildcards).first // self.study.data["disorder"]["batch"]
        return L if not self.gpus or self.on_cluster else L + 10_000 * max(0, 10_000 - before)

    # --- time and memory, as the profile for a cluster asks for them -----------------------------------------------------
    def cost(self, rule: str, batch: Batch, end: int) -> Cost:
        """Of the job of a batch that gets to `end` sweeps."""
        if rule == "run":
            return self.estimate.run(batch.L, batch.count, self.campaign.start(batch, end), end)
        if rule == "relax":
            return self.estimate.relax(batch.L, batch.count, max((at for at in self.campaign.relaxed(batch) if at < end), default=0), end)
        return getattr(self.estimate, rule)(batch.L, batch.count, *([end] if rule == "measure" else []))

    def cost_of(self, rule: str, wildcards: Any) -> Cost:
        return self.cost(rule, batch_of(wildcards), int(wildcards.get("sweeps", 0)))

    def minutes(self, seconds: float, attempt: int = 1) -> int:
        """Returns what a job of that length asks for; more after a failure. It includes room for the start and for the signal before the limit, which may come three minutes
        before the limit."""
        return min(self.max_runtime, max(10, math.ceil(seconds / 60 * attempt) + 5))

    @staticmethod
    def grouped_minutes(seconds: float, attempt: int = 1) -> int:
        """Returns the share of one of several jobs that are submitted as one. Its estimate has a minute for surprises, of which several jobs need only 20 s each."""
        return math.ceil(((seconds - 60) * attempt + 20) / 60)

    def runtime(self, rule: str) -> Resource:
        """Minutes. A job that needs longer than max_runtime stops with a checkpoint and resumes. In the job itself there is nothing left to ask for."""
        if not self.setting.is_main:
            return 1
        return lambda wildcards, attempt: (self.minutes if self.group(wildcards) is None else self.grouped_minutes)(self.cost_of(rule, wildcards).safe, attempt)

    def memory(self, rule: str) -> Resource:
        """Megabytes, with what Python and the system need around the program; more after a failure."""
        if not self.setting.is_main:
            return 1
        return lambda wildcards, attempt: math.ceil(500 + 1.5 * self.cost_of(rule, wildcards).memory_mb) * attempt

    def analysis_runtime(self, rule: str) -> Resource:
        """Minutes of a job that comes after the averages. It has no checkpoint, so that a retry asks for three times as much."""
        return lambda wildcards, attempt: min(self.max_runtime, self.minutes(planned_cost(self.estimate, (rule, 0, 0, 0, 0)).safe) * 3 ** (attempt - 1))

    def analysis_memory(self, rule: str) -> Resource:
        """Megabytes of a job that comes after the averages, with what Python and the system need around it."""
        return lambda wildcards, attempt: math.ceil(500 + 1.5 * planned_cost(self.estimate, (rule, 0, 0, 0, 0)).memory_mb) * attempt

    def reduce_runtime(self, wildcards: Any, attempt: int) -> int:
        return self.minutes(self.estimate.reduce().safe, attempt)

    def reduce_memory(self, wildcards: Any, attempt: int) -> int:
        return math.ceil(self.estimate.reduce().memory_mb) * attempt

    # --- groups --------------------------------------------------------------------------------------------------------
    def _groups(self) -> dict[int, int]:
        """Returns how many batches of a size are one job of about group_minutes, if their short jobs, one after the other, take less than half of it."""
        found: dict[int, int] = {}
        wanted = self.options["group_minutes"]
        for L in self.study.sizes if wanted and self.on_cluster and self.study.kind != RELAXATION else []:
            batch, end = self.campaign.batches(L)[0], self.campaign.sweeps(L)
            whole = sum(self.grouped_minutes(self.cost(rule, batch, end).safe) for rule in ("disorder", "thermalize", "run", "measure"))
            if 2 * whole <= wanted:
                found[L] = min(wanted // whole, len(self.campaign.batches(L)))
        return found

    def group(self, wildcards: Any) -> str | None:
        """Returns the name of the group of a job that is done together with others of its size, one by one. Snakemake asks when it has settings of groups, which it has not
        while the Snakefile is read."""
        if self.groups:
            snakemake_patches.set_group_sizes(self.setting.workflow, {f"L{L}": number for L, number in self.groups.items()})
        return f"L{wildcards.L}" if self.setting.in_group or int(wildcards.L) in self.groups else None

    # --- files ---------------------------------------------------------------------------------------------------------
    def needed(self, wildcards: Any, outputs: list[str], inputs: list[str], end: int) -> list[str]:
        """`inputs` of a simulation to `end` (0: thermalized); [] if its outputs are there: what is finished is not made again, whatever became of its inputs. Lost outputs of
        a batch that has got further are made again when something needs them, and not because an input has another time (ancient). Everywhere else no input may be
        `ancient`: when Snakemake plans anew after a checkpoint, it forgets the jobs behind such a file that has just been finished."""
        batch = batch_of(wildcards)
        if self.campaign.names(batch).issuperset(outputs):
            return []
        files = [f"{self.out}/{batch.folder}/{name}" for name in inputs]
        return [ancient(file) for file in files] if self.campaign.reached(batch) >= max(end, 1) else files

    def runs_until(self, wildcards: Any) -> list[str]:
        return [f"run-{stop}.h5" for stop in self.campaign.chain(batch_of(wildcards), int(wildcards.sweeps))]

    def measure_input(self, wildcards: Any) -> list[str]:
        """For a batch that is measured only what was lost: it is measured again if the criteria are new, not if a file is."""
        batch = batch_of(wildcards)
        names = self.campaign.names(batch)
        finished = f"observables-{wildcards.sweeps}.h5" in names
        return [f"{self.out}/{batch.folder}/{name}" for name in ["disorder.h5", *self.runs_until(wildcards)] if not finished or name not in names]

    def audit_input(self, wildcards: Any) -> list[str]:
        end = int(wildcards.sweeps)
        start = self.campaign.start(batch_of(wildcards), end)
        return [f"{self.out}/{batch_of(wildcards).folder}/{name}" for name in ["disorder.h5", f"state-{start}.h5", f"run-{end}.h5", f"state-{end}.h5"]]

    @property
    def relax_last(self) -> int:
        return self.study.data.get("relax", {}).get("last", 65536)

    def relax_ends(self, batch: Batch) -> list[int]:
        """Returns the ends of finished relaxations of a batch from which this one continues, or that it is, ascending."""
        names = [RELAXED.fullmatch(file.name) for file in Path(self.out, batch.folder).glob("relax-*.state.h5")]
        return sorted(int(name[1]) for name in names if name and int(name[1]) <= self.relax_last)

    def relax_state(self, wildcards: Any) -> str:
        """Returns the option that names the state from which a relaxation continues."""
        earlier = [end for end in self.relax_ends(batch_of(wildcards)) if end < int(wildcards.sweeps)]
        return "--state " + shlex.quote(f"{self.out}/{batch_of(wildcards).folder}/relax-{earlier[-1]}.state.h5") if earlier else ""

    def relaxations(self, wildcards: Any) -> list[str]:
        """Returns the files of all sizes, batches and parts."""
        batches = [batch for L in self.study.sizes for batch in self.campaign.batches(L)]
        return [f"{self.out}/{batch.folder}/relax-{end}.h5" for batch in batches for end in dict.fromkeys([*self.relax_ends(batch), self.relax_last])]
