"""Writes the performance tables of docs/performance/timings.md from the timings in tests/gpu/results/*.json and tests/cpu/results/*.json.

    python workflows/psflip bench.bench_table [--check] [--page docs/performance/timings.md] [FILE.json ...]

Replaces what stands between the lines <!-- performance --> and <!-- /performance -->. --check only says whether the page
agrees with the files (exit code 1 where not). Of several timings of the same thing the newest counts.
"""

from __future__ import annotations

import os
from pathlib import Path

from psflip.bench.bench_data import SPIN_GLASS, Timing, read_timings
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.whole_files import visible, write_text
from psflip.places import ROOT

BEGIN, END = "<!-- performance -->\n", "<!-- /performance -->\n"
PICTURES = {
    "../bench_sizes.png": "Picoseconds per flip against the lattice size",
    "../bench_columns.png": "Picoseconds per flip against the number of columns of 128 realizations",
}


def usual(timing: Timing) -> bool:
    """Production timings with a batch that fills the device, in the two usual shapes."""
    shape = (2, 24) if timing.L <= 64 else (4, 1)
    return (
        timing.production
        and timing.series in ("table", "list")
        and timing.kernel == "auto"
        and (timing.replicas, timing.temperatures) == shape
    )


def read_newest(files: list[Path]) -> dict[str, dict[tuple, tuple[Timing, Path]]]:
    """backend -> (model, hardware, -share, L) -> timing and its file; GPUs first."""
    found: dict = {}
    everything = [(timing, file) for file in files for timing in read_timings(file) if usual(timing)]
    for t, file in sorted(everything, key=lambda pair: (pair[0].backend != "cuda", pair[0].date)):
        found.setdefault(t.backend, {})[t.model, t.hardware, -t.share, t.L] = (t, file)
    return found


def table(cells: dict) -> str:
    """A row per model, device and share, a column per L; the ±J glass of three dimensions first and without a name."""
    sizes = sorted({L for *_, L in cells})
    head = [f"| ps per flip{', per core' if any(t.threads for t, _ in cells.values()) else ''}"]
    lines = [" | ".join(head + [f"L = {L}" if L == sizes[0] else str(L) for L in sizes]) + " |"]
    lines.append("|---" * (len(sizes) + 1) + "|")
    for of in sorted({key[:3] for key in cells}, key=lambda of: (of[0] != SPIN_GLASS, of)):
        row = [number(cells[(*of, L)][0]) if (*of, L) in cells else "" for L in sizes]
        model, hardware, share = of
        lines.append(f"| {'' if model == SPIN_GLASS else f'{model}, '}{hardware}, share {-share} | " + " | ".join(row) + " |")
    return "\n".join(lines) + "\n"


def sources(tables: dict, folder: Path) -> str:
    used = [pair for cells in tables.values() for pair in cells.values()]
    found = sorted({(os.path.relpath(file, folder), t.commit, t.date[:10]) for t, file in used})
    texts = [f"[{Path(path).name}]({path}) (commit {commit}, {date})" for path, commit, date in found]
    return "Timings: " + ", ".join(texts) + ".\n"


def number(timing: Timing) -> str:
    return f"{timing.per_core:.3f}" if timing.backend == "cuda" else f"{timing.per_core:.1f}"


def block(files: list[Path], folder: Path) -> str:
    tables = read_newest(files)
    if not tables:
        return "\nNo timings yet.\n\n"
    pictures = [f"![{text}]({path})" for path, text in PICTURES.items() if (folder / path).is_file()]
    parts = [table(cells) for cells in tables.values()] + [sources(tables, folder)]
    return "\n" + "\n".join(parts + [" ".join(pictures) + "\n"] * bool(pictures)) + "\n"


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("files", nargs="*")
    parser.add_input("--page", default=ROOT / "docs/performance/timings.md")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    files = options.files or visible(ROOT, "tests/gpu/results/*.json") + visible(ROOT, "tests/cpu/results/*.json")
    with reading(options.page, "a text"):
        old = options.page.read_text(encoding="utf-8")
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        raise StudyError(f"{options.page} needs the lines {BEGIN.strip()} and {END.strip()}, once each")
    before, rest = old.split(BEGIN)
    new = before + BEGIN + block(files, options.page.resolve().parent) + END + rest.split(END)[1]
    if new == old:
        return
    if options.check:
        raise StudyError(f"{options.page} does not agree with the timings: run python workflows/psflip bench.bench_table")
    write_text(options.page, new)


if __name__ == "__main__":
    main()
