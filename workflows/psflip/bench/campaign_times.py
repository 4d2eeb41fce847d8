"""Times one batch of a study through all programs: what part of the time the sweeps take, and where the rest goes.

    python workflows/psflip bench.campaign_times configs/ea3d.yaml --bin build/bin --L 8 --count 7680 --set run.sweeps=8192

The first table has a row for each program, and the second table has the steps of the programs, from their log. `CPU` is of all threads, and
`main` is of the thread that the other threads wait for. The step `load and exit` is the time outside the log: the system loads the program and frees
its memory. Files go to a folder that is removed at the end, by default where Python makes temporary ones.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.programs import Programs

STEP = re.compile(r"step: (.+): ([\d.]+) s, CPU ([\d.]+) s, this thread ([\d.]+) s$", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """What a call took: seconds of the clock and of all cores, bytes of memory, and what it said."""

    wall: float
    cpu: float
    memory: int
    text: str


@dataclass(frozen=True)
class Step:
    """A step of a program: seconds of the clock, of all threads and of the main thread."""

    name: str
    wall: float
    cpu: float
    main: float


@dataclass(frozen=True)
class Stage:
    """A program of the chain: seconds in all and of its steps, bytes of its memory and its outputs."""

    name: str
    wall: float
    cpu: float
    steps: list[Step]
    memory: int
    written: int

    @property
    def sweep(self) -> float:
        return sum(step.wall for step in self.steps if step.name == "sweep")

    @property
    def rest(self) -> float:
        return self.wall - self.sweep

    @property
    def outside(self) -> Step:
        """The time before and after the steps."""
        wall, cpu = self.wall - sum(s.wall for s in self.steps), self.cpu - sum(s.cpu for s in self.steps)
        return Step("load and exit", wall, cpu, cpu)


def call(command: list[object]) -> Call:
    """StudyError where the program fails."""
    words = [str(word) for word in command]
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode != 0:
        raise StudyError(f"{' '.join(words)} ended with exit code {process.returncode}: {text.strip()}")
    return Call(wall, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss, text)


def steps_of(text: str) -> list[Step]:
    """The steps that a program logs with --log-level debug. Steps with one name count together."""
    found: dict[str, Step] = {}
    for name, *seconds in STEP.findall(text):
        wall, cpu, main = map(float, seconds)
        before = found.get(name, Step(name, 0.0, 0.0, 0.0))
        found[name] = Step(name, before.wall + wall, before.cpu + cpu, before.main + main)
    return list(found.values())


def time_stage(programs: Programs, name: str, inputs: list[object], outputs: list[Path], options: list[object]) -> Stage:
    command = [programs.folder / name, *options, "--log-level", "debug", *inputs]
    for option, path in zip(("--out", "--csv" if name == "reduce-disorder" else "--state-out"), outputs):
        command += [option, path]
    done = call(command)
    return Stage(name, done.wall, done.cpu, steps_of(done.text), done.memory, sum(path.stat().st_size for path in outputs))


def time_chain(programs: Programs, folder: Path, L: int, count: int, options: list[object]) -> list[Stage]:
    disorder, state, end, run, observables, reduced, csv = (
        folder / name for name in ("disorder.h5", "state.h5", "end.h5", "run.h5", "observables.h5", "reduced.h5", "results.csv")
    )
    options = [*options, "--L", L]
    chain = [
        ("gen-disorder", ["--first", 0, "--count", count], [disorder]),
        ("thermalize", ["--disorder", disorder], [state]),
        ("pt-run", ["--disorder", disorder, "--state", state], [run, end]),
        ("measure", ["--disorder", disorder, "--run", run], [observables]),
        ("reduce-disorder", [observables], [reduced, csv]),
    ]
    return [time_stage(programs, name, inputs, outputs, options) for name, inputs, outputs in chain]


def table(stages: list[Stage]) -> str:
    """Seconds and MB of the programs, as a table of Markdown. The last row also has the part of the sweeps and of the rest."""
    lines = ["| seconds | in all | sweep | rest | CPU | memory, MB | written, MB |", "|---|---|---|---|---|---|---|"]
    for s in stages:
        lines.append(f"| {s.name} | {s.wall:.2f} | {s.sweep:.2f} | {s.rest:.2f} | {s.cpu:.2f} | {s.memory / 1e6:.0f} | {s.written / 1e6:.1f} |")
    wall, sweep, rest, cpu = (sum(getattr(s, part) for s in stages) for part in ("wall", "sweep", "rest", "cpu"))
    lines.append(f"| all | {wall:.2f} | {sweep:.2f} ({100 * sweep / wall:.0f}%) | {rest:.2f} ({100 * rest / wall:.0f}%) | {cpu:.2f} | | |")
    return "\n".join(lines)


def table_of_steps(stages: list[Stage]) -> str:
    lines = ["| program | step | seconds | CPU | main |", "|---|---|---|---|---|"]
    for stage in stages:
        for step in [*stage.steps, stage.outside]:
            lines.append(f"| {stage.name} | {step.name} | {step.wall:.3f} | {step.cpu:.3f} | {step.main:.3f} |")
    return "\n".join(lines)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("study", help="the study")
    parser.add_argument("--bin", type=Path, default=Path("build/bin"), help="folder of the programs (default: build/bin)")
    parser.add_argument("--L", type=int, required=True, help="lattice size")
    parser.add_argument("--count", type=int, required=True, help="realizations of the batch; disorder.realizations is set to it")
    parser.add_argument("--threads", type=int, default=0, help="CPU threads of every program; 0: all cores (default)")
    parser.add_argument("--backend", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--set", action="append", default=[], metavar="key.path=value", help="override a key of the study")
    parser.add_input("--folder", folder=True, default=None, help="where the files are made for the time of the call")
    given = parser.parse_args()
    programs = Programs.find(given.bin)
    options: list[object] = ["--config", given.study, "--threads", given.threads, "--backend", given.backend]
    for override in [f"disorder.realizations={given.count}", *given.set]:
        options += ["--set", override]
    folder = Path(tempfile.mkdtemp(prefix="psflip-times-", dir=given.folder))
    try:
        stages = time_chain(programs, folder, given.L, given.count, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    cores = len(os.sched_getaffinity(0))
    print(f"L = {given.L}, {given.count} realizations, --threads {given.threads} on {cores} cores, load {os.getloadavg()[0]:.1f}")
    print(table(stages))
    print()
    print(table_of_steps(stages))


if __name__ == "__main__":
    main()
