"""Describes this machine for plans: cores, GPUs, memory, free disk space, Slurm."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from psflip.campaign.programs import count_gpus
from psflip.jobs.slurm import answer
from psflip.jobs.slurm import version as slurm_version


@dataclass(frozen=True)
class Machine:
    """`memory` and `free` are bytes; `free` is the free space of the disk that holds `folder`. `slurm`: whether jobs can be submitted to Slurm from here."""

    cores: int
    gpus: int
    memory: float
    free: float
    folder: Path
    slurm: bool = False

    @classmethod
    def here(cls, out: Path, gpus: int | None = None, cores: int | None = None) -> "Machine":
        """`out`: the folder of results, which need not exist; `gpus` and `cores`: those to use instead of all."""
        folder = out.absolute()
        while not folder.is_dir() and folder != folder.parent:
            folder = folder.parent
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return cls(cores or len(os.sched_getaffinity(0)), count_gpus() if gpus is None else gpus, float(memory), float(shutil.disk_usage(folder).free), folder, bool(slurm_version()))

    @property
    def place(self) -> str:
        """Names the folder, by its path from the working directory if it lies in there."""
        here = Path.cwd()
        inside = self.folder.relative_to(here) if self.folder.is_relative_to(here) else self.folder
        return "this folder" if inside == Path(".") else str(inside)

    def workers(self, gpu: bool) -> str:
        """Names what does the sweeps: `2 cores`, `1 GPU`."""
        number, unit = (max(1, self.gpus), "GPU") if gpu else (self.cores, "core")
        return f"{number} {unit}{'s' if number > 1 else ''}"

    def seconds(self, planned: dict) -> float:
        """Returns how long the jobs of a plan take here. The longest job and, at the end, the analysis do not get shorter with more cores."""
        last = planned["last_seconds"]
        at_once = max(planned["gpu_hours"] * 3600 / max(1, self.gpus), (planned["core_hours"] * 3600 - last) / self.cores)
        longest = planned["longest_job"]["seconds"] if planned["longest_job"] else 0.0
        return max(at_once, longest) + last


def first_line(command: list[str]) -> str:
    """Returns the first line of what a command prints; empty if the command is absent or fails."""
    return (answer(*command).strip().splitlines() or [""])[0]
