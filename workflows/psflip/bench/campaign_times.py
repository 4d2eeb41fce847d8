"""Times one batch of a study through all programs: what part of the time the sweeps take, and where the rest goes.

    python workflows/psflip bench.campaign_times configs/ea3d.yaml --bin build/bin --L 8 --count 7680 --set run.sweeps=8192

`start` is the program alone (--version), `read` its inputs, unpacked and checked (--validate, less the start), `sweep` sweeps, exchanges and
measurements from the program's log, `rest` all other work: statistics, packing, checksums, writing, and in pt-run the hottest
temperature by itself. `CPU` is of all threads. Files go to a folder that is removed at the end, by default where Python makes temporary ones.
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

SWEPT = re.compile(r"(\d+) of \d+ sweeps \(100\.0%\), ([\d.e+]+) sweeps/s")


@dataclass(frozen=True)
class Call:
    """What a call took: seconds of the clock and of all cores, bytes of memory, and what it said."""

    wall: float
    cpu: float
    memory: int
    text: str


@dataclass(frozen=True)
class Stage:
    """A program of the chain: seconds in all and of its parts, bytes of its memory and its outputs."""

    name: str
    wall: float
    cpu: float
    start: float
    read: float
    sweep: float
    memory: int
    written: int

    @property
    def rest(self) -> float:
        return max(0.0, self.wall - self.start - self.read - self.sweep)


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


def swept(text: str) -> float:
    """Seconds, from the last line of progress; 0 for programs that do not sweep."""
    lines = SWEPT.findall(text)
    return float(lines[-1][0]) / float(lines[-1][1]) if lines else 0.0


def time_stage(programs: Programs, name: str, inputs: list[object], outputs: list[Path], options: list[object]) -> Stage:
    command = [programs.folder / name, *options, *inputs]
    start = call([programs.folder / name, "--version"]).wall
    read = call([*command, "--validate"]).wall - start if name != "gen-disorder" else 0.0
    for option, path in zip(("--out", "--csv" if name == "reduce-disorder" else "--state-out"), outputs):
        command += [option, path]
    done = call(command)
    return Stage(name, done.wall, done.cpu, start, max(0.0, read), swept(done.text), done.memory, sum(path.stat().st_size for path in outputs))


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
    """Seconds, MB and the part of each column in all seconds, as a table of Markdown."""
    lines = ["| seconds | in all | start | read | sweep | rest | CPU | memory, MB | written, MB |", "|---|---|---|---|---|---|---|---|---|"]
    for s in stages:
        times = [s.wall, s.start, s.read, s.sweep, s.rest, s.cpu]
        lines.append(f"| {s.name} | " + " | ".join(f"{t:.2f}" for t in times) + f" | {s.memory / 1e6:.0f} | {s.written / 1e6:.1f} |")
    wall = sum(s.wall for s in stages)
    sums = [sum(getattr(s, part) for s in stages) for part in ("wall", "start", "read", "sweep", "rest")]
    lines.append("| all | " + " | ".join(f"{t:.2f} ({100 * t / wall:.0f}%)" for t in sums) + f" | {sum(s.cpu for s in stages):.2f} | | |")
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


if __name__ == "__main__":
    main()
