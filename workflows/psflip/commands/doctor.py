"""What this machine has, and what psflip will use of it: programs, processor, GPUs, MPI, Slurm, versions.

    psflip doctor
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from psflip.campaign.audit_sample import LEVELS, processor_flags
from psflip.campaign.colour import coloured
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.programs import NAMES, Programs, call, count_gpus
from psflip.places import BIN, INSTALLED, PACKAGE
from psflip.plan.machine import first_line, slurm_version

PACKAGES = ("snakemake", "snakemake-executor-plugin-slurm", "numpy", "scipy", "h5py", "xxhash", "pandas", "xarray", "matplotlib", "Jinja2")
Line = tuple[str, str]


def processor() -> Line:
    names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines() if line.startswith("model name")]
    level = next(level for level, needs in LEVELS.items() if needs <= processor_flags())
    chosen = os.environ.get("PSFLIP_SIMD", level)
    cores = len(os.sched_getaffinity(0))
    return "processor", f"{names[0] if names else platform.machine()}, {cores} cores for this process; instructions: {chosen}" + ("" if chosen == level else " (PSFLIP_SIMD)")


def without_mpi(folder: Path) -> bool:
    """Whether the programs say that they are built without MPI, as in the wheel."""
    program = folder / NAMES[0]
    return program.is_file() and bool(re.search(r"^MPI: no\b", call([program, "--version"]).stdout, re.MULTILINE))


def programs(folder: Path) -> Iterator[Line]:
    """Reports the versions of the programs; StudyError if they are missing."""
    found = Programs.find(folder)
    version = (call([found.folder / NAMES[0], "--version"]).stdout.strip().splitlines() or ["?"])[0]
    yield "programs", f"{found.folder}: {version}, physics version {found.physics_version}, analysis version {found.analysis_version}"
    gpus = count_gpus()
    names = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    yield "GPUs", f"{gpus}: {names}" if gpus else "none that nvidia-smi lists"
    if found.cuda and gpus:
        yield "backend", "cuda: a job on each GPU"
    else:
        yield "backend", "cpu: " + ("the programs are built without CUDA" + (", though there are GPUs; build them where nvcc is" if gpus else "") if not found.cuda else "no GPU here")


ROOT_MAY = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")


def refusal(mpi: str) -> str:
    """What the line on MPI adds if Open MPI starts no process of this user."""
    if "Open MPI" not in mpi or os.geteuid() != 0 or all(os.environ.get(name) == "1" for name in ROOT_MAY):
        return ""
    return f"; but mpirun refuses to start processes of root: work as another user, or set {' and '.join(f'{name}=1' for name in ROOT_MAY)}"


def mpi_line(mpi: str, unused: bool) -> str:
    """`mpi`: what mpirun says of itself. `unused`: the programs are built without MPI."""
    if unused:
        return "not in the programs; each lattice stays in one process"
    return (f"{mpi}; large lattices can be cut into slabs" if mpi else "no mpirun; each lattice stays in one process") + refusal(mpi)


def around(folder: Path) -> Iterator[Line]:
    mpi, slurm = first_line(["mpirun", "--version"]), slurm_version()
    yield "MPI", mpi_line(mpi, without_mpi(folder))
    yield "Slurm", f"{slurm}; psflip run STUDY --profile slurm" if slurm else "not here; jobs run on this machine"
    yield "Python", f"{sys.executable}, {platform.python_version()}; psflip in {PACKAGE}{' (installed)' if INSTALLED else ' (checkout)'}"
    for name in PACKAGES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, f"missing; pip install {name}"


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip doctor")
    parser.add_argument("--bin", type=Path, default=BIN, help="folder of the psflip programs")
    given = parser.parse_args(words)
    problem = ""
    lines = [processor()]
    try:
        lines += programs(given.bin)
    except StudyError as error:
        problem = str(error)
    lines += around(given.bin)
    width = max(len(name) for name, _ in lines)
    for name, text in lines:
        print(coloured(printable(f"{name:{width}}  {text}"), "bad" if text.startswith("missing") else "", sys.stdout))
    if problem:
        raise StudyError(problem)
    return 0
