# The only place that reads options (--config), the study file and the folder of results. Everything else uses the names defined here.
import atexit
import itertools
import math
import os
import re
import shlex
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

from snakemake.dag import DAG
from snakemake.logging import logger
from snakemake.settings.types import Quietness, RerunTrigger

os.environ["PYTHONSAFEPATH"] = "1"  # no Python that is started from here on imports modules from the working directory

if (Path(workflow.basedir) / "psflip").is_dir():  # in a checkout; else psflip is installed
    sys.path.insert(0, str(workflow.basedir))
from psflip.campaign import ladders, manifest, options, own_couplings, profiles, programs
from psflip.campaign.audit_sample import read_sample
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.study import PAGES, RELAXATION, Study
from psflip.campaign.whole_files import visible, write_text
from psflip.jobs import earlier_jobs, events, failures, job_table, locks, slurm, slurm_patience
from psflip.jobs.writer import one_writer
from psflip.places import PACKAGE
from psflip.plan.estimate import Estimate
from psflip.plan.node_filling import Placement
from psflip.plan.planning import SECONDS, count_jobs, make_plan, plan_file, save
from psflip.plan.planning import cost as planned_cost
from psflip.plan.rates import Rates
from psflip.plots import figures
from psflip.results.literature import model_of


EVENTS = events.Events.of_environment() if workflow.is_main_process else events.Events(None)  # for psflip run


@contextmanager
def told():
    """Ends Snakemake with what is wrong, in the words of the error alone: of other exceptions it tells the lines of code, too."""
    try:
        yield
    except StudyError as error:
        EVENTS.send(event="refused", text=str(error))
        raise SystemExit(f"psflip: {error}") from None


def of_one_batch():
    """Whether this process was started by Snakemake for one job of one batch; there may be tens of thousands of them."""
    words = sys.argv[sys.argv.index("--allowed-rules") + 1 :] if "--allowed-rules" in sys.argv else [""]
    rules = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    return bool(rules) and set(rules) <= {"disorder", "thermalize", "run", "measure"}


def start():
    """The campaign, the study file as it was given, the programs, and the couplings of one's own. A job that Snakemake started reads the copy of the study file that
    was made at the start, so that it does not matter if the file is edited meanwhile."""
    main, out = workflow.is_main_process, OPTIONS["out"]
    found = programs.Programs.find(OPTIONS["bin"])
    if main:
        options.check_out(out)
        options.check_rates(OPTIONS["rates"])
        found.check(STUDY_FILE)
    given = Study.read(STUDY_FILE if main or LADDER != "study" else f"{out}/study.yaml")
    if OPTIONS["kind"] != "auto":
        given.choose(OPTIONS["kind"])
    taken = ladders.with_ladder(given, out, LADDER) if main else Study.read(f"{out}/study.yaml")
    taken.kind = given.kind
    campaign = Campaign(taken, out, found.physics_version, found.analysis_version, whole=main or not of_one_batch())
    if main:
        manifest.check(campaign)
        manifest.check_folder(campaign, STUDY_FILE)
    return campaign, given, found, own_couplings.check(campaign, OPTIONS["couplings"]) if main else {}


with told():
    options.check_whole(config, sys.argv)
    OPTIONS = options.read(config)
    STUDY_FILE, OUT = Path(OPTIONS["study"]).resolve(), OPTIONS["out"]
    LADDER, LADDER_OPTIONS = OPTIONS["ladder"], OPTIONS["ladder_options"]
    CAMPAIGN, GIVEN_STUDY, PROGRAMS, OWN_COUPLINGS = start()
STUDY = CAMPAIGN.study
STUDY_COPY = f"{OUT}/study.yaml"
GIVEN_STUDY_FILE = STUDY_COPY if LADDER == "study" else STUDY_FILE  # with its own temperatures
BIN = PROGRAMS.folder
PYTHON = sys.executable

DRY_RUN = workflow.is_main_process and any(re.fullmatch(r"--dry-?run|-[a-zA-Z]*n[a-zA-Z]*", word) for word in sys.argv[1:])

# --- backend, devices, threads ---------------------------------------------------------------------------------------
def on_cluster():
    """Whether jobs are handed to a scheduler: told in the main process and in the jobs themselves. While this file is read, Snakemake does not
    know its executor yet, but has numbers of jobs instead of cores. In a dry run it never does, and the command line decides."""
    plugin, settings = workflow.executor_plugin, workflow.resource_settings
    if workflow.remote_exec or (plugin is not None and not plugin.common_settings.dryrun_exec):
        return workflow.remote_exec or plugin.common_settings.non_local_exec
    if DRY_RUN:
        return profiles.executor_of(sys.argv[1:]) not in ("", "local", "dryrun", "touch")
    return settings.nodes is not None and settings.cores is None


def profile_asks_gpus():
    """Whether set-resources of the profile gives GPUs to jobs of a rule."""
    return any(values.get("gpu") or "gpu" in str(values.get("gres", "")) for values in workflow.resource_settings.overwrite_resources.values())


BACKEND = OPTIONS["backend"]
GPUS = OPTIONS["gpus"]
if on_cluster() and workflow.is_main_process:
    with told():
        programs.refuse_gpu_jobs(PROGRAMS, BACKEND, GPUS, profile_asks_gpus())
CLUSTER_GPUS = 1  # per job, where the programs can use one
if BACKEND == "cpu" or not PROGRAMS.cuda or GPUS == 0:
    GPUS = CLUSTER_GPUS = 0
elif GPUS == "auto":
    GPUS = programs.count_gpus()
GPU_JOBS = OPTIONS["gpu_jobs"]  # on each GPU of this machine
if GPUS and "gpu" not in workflow.global_resources:
    workflow.register_resource("gpu", GPUS * GPU_JOBS)
MPI = OPTIONS["mpi"]
if MPI == "auto":
    MPI = "srun --overlap --mpi=pmix" if on_cluster() else "mpirun --bind-to none"
IN_GROUP = workflow.remote_exec and "--local-groupid" in sys.argv  # a job of several
START = f"{shlex.quote(PYTHON)} {shlex.quote(str(PACKAGE))} jobs.resumable --once" if workflow.remote_exec else ""  # stands before a program in a job of a cluster
RESUMABLE = START
if workflow.remote_exec:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
if workflow.remote_exec and not IN_GROUP:  # a job of several that stopped is a failure: back in the queue it would do all of them again
    RESUMABLE = f"trap '' TERM USR1; {START.removesuffix(' --once')}"


def slabs_of(wildcards):
    """Into how many slabs the lattices of a job are cut: processes of the program, each with a GPU where there are some. A job of Slurm takes
    as many as it was given."""
    if workflow.remote_exec and "SLURM_JOB_ID" in os.environ:
        with told():
            return slurm.tasks()
    return ESTIMATE.slabs(int(wildcards.L))


def job_gpus(wildcards):
    """A place on one, or all places on one for each of several slabs. wildcards: None stands for a job of whole lattices."""
    gpus = CLUSTER_GPUS if on_cluster() else min(GPUS, 1)
    slabs = slabs_of(wildcards) if gpus and hasattr(wildcards, "L") else 1
    return gpus * slabs * (GPU_JOBS if slabs > 1 and not on_cluster() else 1)


def started(wildcards):
    """What comes before a program. On this machine, a job takes the first GPUs that no other job holds. On a cluster the scheduler gives it
    some, and a job that stopped with a checkpoint goes back into the queue; there, signals reach all processes of the job, and all but the
    program let them pass."""
    slabs = slabs_of(wildcards) if hasattr(wildcards, "batch") else 1
    ranks = f"{MPI} -n {slabs}" if slabs > 1 else ""
    on_gpus = f"{shlex.quote(PYTHON)} {shlex.quote(str(PACKAGE))} jobs.on_free_gpus {GPUS} {GPU_JOBS} {slabs}" if GPUS and not workflow.remote_exec else ""
    return " ".join(part for part in (RESUMABLE, on_gpus, ranks) if part)


def rank_threads(wildcards, threads):
    """Of each process: on a cluster, every task of a job has as many cores as the job has threads."""
    return threads if on_cluster() else max(1, threads // slabs_of(wildcards))


def job_threads(wildcards):
    """All cores where there are few batches; one per job where there are enough jobs to fill the machine. Where GPUs sweep, half of the cores
    read and write for them, shared by all jobs on GPUs, and the others are left to the analysis. On a cluster one, or what the profile sets
    (set-threads)."""
    if on_cluster() or not workflow.resource_settings.cores:
        return 1
    if GPUS:
        return max(1, workflow.cores // (2 * GPUS * GPU_JOBS))
    disorder = STUDY.data["disorder"]
    return max(1, workflow.cores // -(-disorder["realizations"] // disorder["batch"]))


BEFORE_SWEEPS = 10**9  # priority of jobs that others wait for, or that make room


def sweep_priority(wildcards):
    """Large lattices first, so that none is left for the end. On GPUs of this machine batch after batch: jobs of small lattices are mostly
    work for the cores, which get it done while a large lattice sweeps."""
    L = int(wildcards.L)
    return L if not GPUS or on_cluster() else L + 10_000 * max(0, 10_000 - batch_of(wildcards).first // STUDY.data["disorder"]["batch"])


# --- files -----------------------------------------------------------------------------------------------------------
BATCH = f"{OUT}/L{{L}}/batch{{batch}}"
JOB = "L{L}-{batch}"  # names of logs and benchmarks


def batch_of(wildcards):
    return Batch.of(wildcards.L, wildcards.batch)


# --- time and memory of jobs, as the profile for a cluster asks for them -----------------------------------------------------
MAX_RUNTIME = OPTIONS["max_runtime"]
PLACEMENT = Placement(OPTIONS["node_gpus"] if on_cluster() else max(1, GPUS), OPTIONS["slabs"], 60 * MAX_RUNTIME if on_cluster() else None)
ESTIMATE = Estimate(CAMPAIGN, Rates(CAMPAIGN, bool(job_gpus(None)), OPTIONS["rates"]), job_threads(None), PLACEMENT)


def cost(rule, wildcards):
    return cost_of(rule, batch_of(wildcards), int(wildcards.get("sweeps", 0)))


def cost_of(rule, batch, end):
    if rule == "run":
        return ESTIMATE.run(batch.L, batch.count, CAMPAIGN.start(batch, end), end)
    if rule == "relax":
        return ESTIMATE.relax(batch.L, batch.count, max((at for at in CAMPAIGN.relaxed(batch) if at < end), default=0), end)
    return getattr(ESTIMATE, rule)(batch.L, batch.count, *([end] if rule == "measure" else []))


def minutes(seconds, attempt=1):
    """What a job of that length asks for; more after a failure. With room for its start and for the signal before the limit, which may come
    three minutes before it."""
    return min(MAX_RUNTIME, max(10, math.ceil(seconds / 60 * attempt) + 5))


def runtime(rule):
    """Minutes. A job that needs longer than max_runtime stops with a checkpoint and goes on. In the job itself there is nothing left
    to ask for."""
    if not workflow.is_main_process:
        return 1
    return lambda wildcards, attempt: (minutes if group_of(wildcards) is None else grouped_minutes)(cost(rule, wildcards).safe, attempt)


def grouped_minutes(seconds, attempt=1):
    """The part of a job of several that one of them takes. Its estimate has a minute for surprises, which several need only 20 s of."""
    return math.ceil(((seconds - 60) * attempt + 20) / 60)


def groups():
    """How many batches of a size are one job of about group_minutes: where their short jobs, one after the other, take less than half of it."""
    found = {}
    for L in STUDY.sizes if OPTIONS["group_minutes"] and on_cluster() and STUDY.kind != RELAXATION else []:
        batch, end = CAMPAIGN.batches(L)[0], CAMPAIGN.sweeps(L)
        whole = sum(grouped_minutes(cost_of(rule, batch, end).safe) for rule in ("disorder", "thermalize", "run", "measure"))
        if 2 * whole <= OPTIONS["group_minutes"]:
            found[L] = OPTIONS["group_minutes"] // whole
    return found


GROUPS = groups() if workflow.is_main_process else {}
if GROUPS:
    workflow.register_resource("one_by_one", 1)
    workflow.resource_scopes.update({"one_by_one": "local"})


def group_of(wildcards):
    """The name of the group of a job that is done together with others of its size, one by one. Snakemake asks when it has settings of groups, which it
    has not while this file is read."""
    if GROUPS and "L" not in workflow.group_settings.group_components:
        workflow.group_settings.group_components = {"L": 1} | {f"L{L}": number for L, number in GROUPS.items()}
    return f"L{wildcards.L}" if IN_GROUP or int(wildcards.L) in GROUPS else None


def memory(rule):
    """Megabytes, with what Python and the system need around the program; more after a failure."""
    if not workflow.is_main_process:
        return 1
    return lambda wildcards, attempt: math.ceil(500 + 1.5 * cost(rule, wildcards).memory_mb) * attempt


def analysis_runtime(rule):
    """Minutes of a job that comes after the averages. It has no checkpoint, so that a retry asks for three times as much."""
    return lambda wildcards, attempt: min(MAX_RUNTIME, minutes(planned_cost(ESTIMATE, (rule, 0, 0, 0, 0)).safe) * 3 ** (attempt - 1))


def analysis_memory(rule):
    """Megabytes of a job that comes after the averages, with what Python and the system need around it."""
    return lambda wildcards, attempt: math.ceil(500 + 1.5 * planned_cost(ESTIMATE, (rule, 0, 0, 0, 0)).memory_mb) * attempt


TIME_LIMIT = f"--time-limit {OPTIONS['time_limit']}" if OPTIONS["time_limit"] else ""


def needed(wildcards, outputs, inputs, end):
    """`inputs` of a simulation to `end` (0: thermalized); [] where its outputs are there: what is finished is not made again, whatever
    became of its inputs. Where outputs are lost of a batch that has gone on, they are made again when something needs them, and not
    because an input has another time (ancient). Everywhere else no input may be `ancient`: when Snakemake plans anew after a checkpoint,
    it forgets the jobs behind such a file that has just been finished."""
    batch = batch_of(wildcards)
    if CAMPAIGN.names(batch).issuperset(outputs):
        return []
    files = [f"{OUT}/{batch.folder}/{name}" for name in inputs]
    return [ancient(file) for file in files] if CAMPAIGN.reached(batch) >= max(end, 1) else files


def drawing(study_file, *words):
    """The command that makes a disorder file: by the law of the model, or of the files that were given."""
    if CAMPAIGN.draws:
        return shlex.join([f"{BIN}/gen-disorder", "--config", str(study_file), *words])
    given = ["--couplings", str(OPTIONS["couplings"]), "--dimension", str(STUDY.data["model"]["dimension"]), "--results", str(OUT)]
    return shlex.join([PYTHON, str(PACKAGE), "campaign.own_couplings", *given, *words])


wildcard_constraints:
    L=r"\d+",
    batch=r"\d{7,8}-\d{7,8}",
    sweeps=r"[1-9]\d*",
    content=r"[0-9a-f]{16}",


if workflow.is_main_process:
    slurm_patience.keep_asking()
    failures.listen()

TURN = []  # not empty: it is this Snakemake's


def take_turn(*_):
    """Before Snakemake looks which files are missing: the lock of the folder, and the end of jobs that an earlier Snakemake left."""
    if workflow.is_main_process and workflow.executor_plugin is not None and not workflow.dryrun and not TURN:
        with told():
            one_writer(OUT)
            planned = CAMPAIGN.averaged()
            earlier_jobs.wait(OUT)
            CAMPAIGN.forget()
            manifest.check(CAMPAIGN)  # again: those jobs may have had another study
            if CAMPAIGN.averaged() != planned:  # or other batches
                raise StudyError(f"{OUT}: other batches appeared there meanwhile; give the same command again")
        TURN.append(True)
    return []


SUCCEEDED = []  # not empty: jobs were run, and none failed


def tell():
    """At the end of Snakemake, after all that it says: what came out, where the report was asked for and all is done or was done before."""
    relaxes, page = STUDY.kind == RELAXATION, f"{OUT}/{PAGES[STUDY.kind]}"
    stamp = CAMPAIGN.relaxation_stamp() if relaxes else CAMPAIGN.stamp()
    nothing_to_do = TURN and workflow.dag is not None and not len(workflow.dag) and stamp.is_file()
    if workflow.dryrun:
        EVENTS.send(event="table", rows=job_table.rows(workflow, on_cluster()), groups=GROUPS)
    elif (SUCCEEDED or nothing_to_do) and any(page in job.output for job in workflow.dag.jobs):
        print(relaxation_line(Path(OUT)) if relaxes else last_line(Path(OUT)), flush=True)


def seconds_of(rule, wildcards):
    """Of a job, by the plan; 1 for a job of seconds."""
    if "batch" in wildcards and rule in ("disorder", "thermalize", "run", "measure", "relax"):
        return cost_of(rule, Batch.of(wildcards["L"], wildcards["batch"]), int(wildcards.get("sweeps", 0))).seconds
    return ESTIMATE.reduce().seconds if rule == "reduce" else SECONDS.get(rule, 1.0)


EVENTS.seconds = seconds_of
if EVENTS.pipe:
    logger.addHandler(EVENTS)

if workflow.is_main_process and not workflow.dryrun:
    from psflip.results.print_summary import last_line, relaxation_line  # before the next line: `tell` must come before what h5py does at the end

    atexit.register(tell)


async def any_time(self, job, files):
    """In place of a check that makes a job fail where its output is older than its input: the clock may go backwards, or those of
    two machines differ. A simulation depends on the names of its files alone; what is tested and averaged is made again some time."""


DAG.check_output_mtime = any_time


# Finished files stay, whatever Snakemake remembers of the rules that made them (or, in another folder, does not): manifest.py refuses
# what contradicts them, and the names in rounds/ tell what is outdated.
onstart:
    with told():
        if set(workflow.rerun_triggers) != {RerunTrigger.MTIME}:
            raise StudyError("a profile with `rerun-triggers: [mtime]` is needed, such as workflows/profiles/default; finished files could be made again")
        one_writer(OUT)
        os.environ[locks.VARIABLE] = locks.ended_jobs(locks.locks_in(Path(OUT)))
        earlier_jobs.begin(OUT, getattr(workflow.scheduler._executor, "run_uuid", None))
        CAMPAIGN.remove_outdated()
        manifest.write(CAMPAIGN)
        own_couplings.write_index(Path(OUT), OWN_COUPLINGS)
        if not Path(STUDY_COPY).is_file() or Path(STUDY_COPY).read_text(encoding="utf-8", errors="replace") != STUDY.text:
            write_text(Path(STUDY_COPY), STUDY.text)
        plan = make_plan(ESTIMATE)
        save(plan, Path(OUT) / plan_file(STUDY))
        EVENTS.send(event="begin", seconds=sum(number * planned_cost(ESTIMATE, key).seconds for key, number in count_jobs(CAMPAIGN, most=False)[1].items()))


onsuccess:
    SUCCEEDED.append(True)


onerror:
    quiet = Quietness.ALL in (workflow.output_settings.quiet or ())  # then Snakemake does not say which jobs failed
    failed = []
    for job in sorted(workflow.scheduler.failed, key=str):
        failed += [(str(file), failures.cause(Path(file))) for file in job.log] or [(str(job), "")]
    for file, text in failed if quiet else []:
        print(printable(f"failed: {file}: {text}" if text else f"failed: {file}"), file=sys.stderr, flush=True)
    waiting = len(visible(Path(OUT), "L*/batch*/*.checkpoint.h5"))
    EVENTS.send(event="failed", jobs=failed, waiting=waiting)
    if waiting:
        print(f"Jobs that stopped early and saved a checkpoint: {waiting}. The same command resumes them.")
