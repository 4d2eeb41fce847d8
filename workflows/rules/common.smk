# The only place that reads options (--config) and the study file. Everything else uses the names defined here.
import signal
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(workflow.basedir) / "scripts"
sys.path.insert(0, str(SCRIPTS))
import figures
import runs
import study as psflip_study

OPTIONS = {"study", "out", "bin", "backend", "gpus", "time_limit", "extend"}


def option(name, default=None):
    value = config.get(name, default)
    return default if value is None else value


def start():
    """The study, its file, the programs and the output folder; a WorkflowError tells what is wrong."""
    unknown = sorted(set(config) - OPTIONS)
    if unknown:
        raise WorkflowError(
            f"unknown --config {', '.join(unknown)}; known are {', '.join(sorted(OPTIONS))}. "
            "The study file goes in as --config study=FILE.yaml, not as --configfile."
        )
    if "study" not in config:
        raise WorkflowError("which study? Give --config study=FILE.yaml")
    file = Path(str(config["study"])).resolve()
    try:
        programs = psflip_study.Programs.find(option("bin", Path(workflow.basedir).parent / "build" / "bin"))
        loaded = psflip_study.Study.read(file)
        programs.check(file)
    except psflip_study.StudyError as error:
        raise WorkflowError(str(error)) from None
    return loaded, file, programs, str(option("out", f"results/{file.stem}")).rstrip("/")


STUDY, STUDY_FILE, PROGRAMS, OUT = start()
BIN = PROGRAMS.folder
PHYSICS = PROGRAMS.physics_version
PYTHON = sys.executable

# --- backend, devices, threads ---------------------------------------------------------------------------------------
def on_cluster():
    """Whether jobs are handed to a scheduler: told in the main process and in the jobs themselves."""
    plugin = workflow.executor_plugin
    return workflow.remote_exec or (plugin is not None and plugin.common_settings.non_local_exec)


BACKEND = option("backend", "auto")
GPUS = option("gpus", "auto")
CLUSTER_GPUS = 1  # per job, where the programs can use one
if BACKEND == "cpu" or not PROGRAMS.cuda or str(GPUS) == "0":
    GPUS = CLUSTER_GPUS = 0
elif GPUS == "auto":
    GPUS = psflip_study.count_gpus()
GPUS = int(GPUS)
if GPUS and "gpu" not in workflow.global_resources:
    workflow.register_resource("gpu", GPUS)
# On this machine, a job takes the first GPU that no other job holds. On a cluster the scheduler gives it one, and a job that stopped with a
# checkpoint goes back into the queue. There, signals reach all processes of the job; all but the program let them pass.
ON_DEVICE = f"{SCRIPTS}/on_free_gpu.sh {GPUS}" if GPUS else ""
if workflow.remote_exec:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    ON_DEVICE = f"trap '' TERM USR1; {SCRIPTS}/resumable.sh"


def job_gpus(wildcards):
    return CLUSTER_GPUS if on_cluster() else min(GPUS, 1)


def job_threads(wildcards):
    """All cores where there are few batches; one per job where there are enough jobs to fill the machine. On a cluster one, or what
    the profile sets (set-threads)."""
    if GPUS or on_cluster() or not workflow.resource_settings.cores:
        return 1
    return max(1, workflow.cores // len(STUDY.batches(int(wildcards.L))))


TIME_LIMIT = f"--time-limit {option('time_limit')}" if option("time_limit") else ""

# --- batches and run files -------------------------------------------------------------------------------------------
EXTEND = str(option("extend", "no")).lower() in ("yes", "true", "1")


def run_count(L, first):
    batch = STUDY.batch(L, first)
    return runs.wanted(f"{OUT}/{batch.folder}", EXTEND, STUDY.data["equilibration"]["max_doublings"])


RUN_COUNTS = {(b.L, b.first): run_count(b.L, b.first) for b in STUDY.all_batches()}


def run_files(wildcards):
    """run.h5, run2.h5, ... of one batch: one, or after doublings 2, 4, 8, ..."""
    folder = f"{OUT}/L{wildcards.L}/batch{wildcards.first}"
    return [f"{folder}/{name}" for name in runs.names(RUN_COUNTS[int(wildcards.L), int(wildcards.first)])]


OBSERVABLES = [f"{OUT}/{batch.folder}/observables.h5" for batch in STUDY.all_batches()]
FIGURES = [f"{OUT}/plots/{name}.{ending}" for name in figures.NAMES for ending in figures.FORMATS]


wildcard_constraints:
    L=r"\d+",
    first=r"\d+",
    k=r"[2-9]|[1-9]\d+",


onerror:
    waiting = len(list(Path(OUT).glob("L*/batch*/*.checkpoint.h5")))
    if waiting:
        print(f"Jobs that stopped early and saved a checkpoint: {waiting}. The same command goes on from there.")
