"""What Snakemake was started for: to plan a study or to run one job of it, on this machine or for a cluster."""

from __future__ import annotations

import itertools
import re
from typing import Any

from psflip.campaign import profiles

BATCH_RULES = {"disorder", "thermalize", "run", "measure"}  # there may be tens of thousands of their jobs


class Setting:
    """`workflow`: Snakemake's object of that name; `words`: its command line without the name of the program. `is_main`: this process plans the study. `is_remote`: it runs a
    job on a cluster, for the main process elsewhere. `in_group`: that job is one of several. `dry_run_executor`: the executor that the command line names."""

    def __init__(self, workflow: Any, words: list[str]):
        self.workflow, self.words = workflow, words
        self.is_main: bool = workflow.is_main_process
        self.is_remote: bool = workflow.remote_exec
        self.in_group = self.is_remote and "--local-groupid" in words
        self.dry_run_executor = profiles.executor_of(words)
        self.is_dry_run = self.is_main and any(re.fullmatch(r"--dry-?run|-[a-zA-Z]*n[a-zA-Z]*", word) for word in words)

    @property
    def on_cluster(self) -> bool:
        """Whether jobs are handed to a scheduler. While the Snakefile is read, Snakemake does not know its executor yet, but has numbers of jobs instead of cores. In a dry run
        it never knows the executor, and the command line decides."""
        plugin, settings = self.workflow.executor_plugin, self.workflow.resource_settings
        if self.is_remote or (plugin is not None and not plugin.common_settings.dryrun_exec):
            return self.is_remote or plugin.common_settings.non_local_exec
        if self.is_dry_run:
            return self.dry_run_executor not in ("", "local", "dryrun", "touch")
        return settings.nodes is not None and settings.cores is None

    @property
    def cores(self) -> int:
        """Returns the cores of this machine for all jobs; 0 if the jobs run elsewhere."""
        return 0 if self.on_cluster or not self.workflow.resource_settings.cores else self.workflow.cores

    @property
    def is_of_one_batch(self) -> bool:
        """Whether Snakemake started this process for one job of one batch."""
        words = self.words[self.words.index("--allowed-rules") + 1 :] if "--allowed-rules" in self.words else [""]
        rules = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
        return bool(rules) and set(rules) <= BATCH_RULES

    @property
    def profile_asks_gpus(self) -> bool:
        """Whether set-resources of the profile gives GPUs to jobs of a rule."""
        return any(values.get("gpu") or "gpu" in str(values.get("gres", "")) for values in self.workflow.resource_settings.overwrite_resources.values())
