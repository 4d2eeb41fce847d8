# What all rules read: PLAN (psflip/workflow/job_plan.py) knows options (--config), study and folder of results. The names below are short for parts of it.
import os
import shlex
import sys
from pathlib import Path

os.environ["PYTHONSAFEPATH"] = "1"  # no Python that is started from here on imports modules from the working directory

if (Path(workflow.basedir) / "psflip").is_dir():  # in a checkout; else psflip is installed
    sys.path.insert(0, str(workflow.basedir))
from snakemake.logging import logger

from psflip.campaign import ladders, manifest
from psflip.campaign.audit_sample import read_sample
from psflip.campaign.errors import StudyError
from psflip.campaign.study import PAGES, RELAXATION
from psflip.campaign.whole_files import visible
from psflip.jobs.events import Events, plain_errors
from psflip.places import PACKAGE
from psflip.plots import figures
from psflip.results.literature import model_of
from psflip.workflow.job_plan import BEFORE_SWEEPS, JobPlan, batch_of, module
from psflip.workflow.lifetime import Lifetime
from psflip.workflow.setting import Setting

EVENTS = Events.of_environment() if workflow.is_main_process else Events(None)  # for psflip run
with plain_errors():
    PLAN = JobPlan(Setting(workflow, sys.argv[1:]), config)
LIFETIME = Lifetime(PLAN, workflow, EVENTS)
if EVENTS.pipe:
    logger.addHandler(EVENTS)

OUT, BIN, PYTHON, BACKEND, TIME_LIMIT = PLAN.out, PLAN.bin, sys.executable, PLAN.backend, PLAN.time_limit
CAMPAIGN, STUDY, STUDY_COPY = PLAN.campaign, PLAN.study, PLAN.study_copy
START = PLAN.start  # stands before a program that saves no checkpoint
BATCH = f"{OUT}/L{{L}}/batch{{batch}}"
JOB = "L{L}-{batch}"  # names of logs and benchmarks


wildcard_constraints:
    L=r"\d+",
    batch=r"\d{7,8}-\d{7,8}",
    sweeps=r"[1-9]\d*",
    content=r"[0-9a-f]{16}",


onstart:
    LIFETIME.begin()


onsuccess:
    LIFETIME.succeed()


onerror:
    LIFETIME.fail()
