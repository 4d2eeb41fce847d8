"""The psflip programs: their folder, what they report about themselves and about a study file; GPUs of this machine."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.jobs import slurm

NAMES = ("gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder")
OTHERS = ("relax", "audit")  # that not every study needs
PATIENCE = 60  # seconds for an answer of a program that has nothing to compute


def call(command: list[object], seconds: float | None = None) -> subprocess.CompletedProcess:
    """Runs a program that has to end within a time (PATIENCE). StudyError where it does not, or cannot be started."""
    words, seconds = [str(word) for word in command], seconds or PATIENCE
    try:
        return subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise StudyError(f"{' '.join(words)}: psflip stopped this program, because it did not end within {seconds:g} s; try again when the machine and its disk are less busy") from None
    except OSError as error:
        raise StudyError(f"{words[0]} cannot be started: {error.strerror}; build the programs for this machine or name their folder") from None


@dataclass(frozen=True)
class Programs:
    """The psflip programs in a folder, and what they say of themselves."""

    folder: Path
    physics_version: int
    analysis_version: int
    cuda: bool

    @classmethod
    def find(cls, folder: str | Path) -> "Programs":
        folder = Path(folder).resolve()
        missing = [name for name in NAMES if not (folder / name).is_file() or not os.access(folder / name, os.X_OK)]
        if missing:
            what = "are no psflip programs" if len(missing) == len(NAMES) else f"is no {' and no '.join(missing)}"
            raise StudyError(f"there {what} in {folder}; build them (envs/quickstart does) or name their folder (snakemake: --config bin=FOLDER; plan, partial: --bin FOLDER)")
        done = call([folder / NAMES[0], "--version"])
        found = re.search(r"physics version: (\d+)", done.stdout)
        if done.returncode or not found:
            raise StudyError(f"{folder / NAMES[0]} --version reports no physics version (exit code {done.returncode}): {(done.stderr or done.stdout).strip()!r}")
        analysis = re.search(r"analysis version: (\d+)", done.stdout)
        return cls(folder, int(found[1]), int(analysis[1]) if analysis else 1, bool(re.search(r"backends:.*\bcuda\b", done.stdout)))

    def need(self, name: str) -> None:
        """StudyError where a program that not every study needs is not there."""
        if not os.access(self.folder / name, os.X_OK):
            raise StudyError(f"there is no {name} in {self.folder}, which audit=N needs; build it")

    def check(self, study: Path) -> None:
        """Lets the programs check the study file, before the schema does: their messages name the line and what would be right."""
        if not study.is_file():
            return  # Study.read reports it
        done = call([self.folder / NAMES[0], "--config", study, "--validate"])
        if done.returncode:
            raise StudyError((done.stderr or done.stdout).strip().removeprefix(f"{NAMES[0]}: error: ") or f"{study}: {NAMES[0]} --validate ended with exit code {done.returncode} and without a message")


def count_gpus() -> int:
    """Returns the number of NVIDIA GPUs of this machine."""
    return sum(line.startswith("GPU ") for line in slurm.answer("nvidia-smi", "-L").splitlines())


def refuse_gpu_jobs(found: Programs, backend: str, gpus: object, profile_asks: bool) -> None:
    """Raises StudyError if jobs on a cluster would get GPUs that programs without CUDA cannot use. `profile_asks`: the profile gives GPUs to a rule."""
    if found.cuda or backend == "cpu" or gpus == 0:
        return
    reason = "backend=cuda asks for GPUs" if backend == "cuda" else "the profile asks for GPUs" if profile_asks else "this Slurm offers GPUs" if slurm.offers_gpus() else ""
    if reason:
        raise StudyError(
            f"{reason}, but the programs in {found.folder} are built without CUDA; build them with envs/quickstart --cuda, or run on CPUs: --backend cpu (snakemake: --config backend=cpu)"
        )
