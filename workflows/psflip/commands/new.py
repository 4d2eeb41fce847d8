"""Writes a commented study file for a model, small enough to be run as it is, to begin with.

    psflip new glass my.yaml
    psflip new ferromagnet2d ising.yaml --L 8 16 32 --realizations 256
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.whole_files import write_text


@dataclass(frozen=True)
class Model:
    about: str
    model: str
    sizes: tuple[int, ...]
    temperatures: str
    note: str
    replicas: int = 2
    share: int = 128


MODELS = {
    "glass": Model("The ±J spin glass of three dimensions.", "{kind: edwards-anderson, dimension: 3, p_ferro: 0.5}", (4, 6, 8), "{min: 0.8, max: 2.0, count: 16, spacing: geometric}",
                   "T_c = 1.10. The hot end lets configurations decorrelate; the cold end should lie below the crossings."),
    "glass2d": Model("The ±J spin glass of two dimensions, which orders at T = 0 only.", "{kind: edwards-anderson, dimension: 2, p_ferro: 0.5}", (8, 12, 16),
                     "{min: 0.4, max: 2.0, count: 16, spacing: geometric}", "Curves of different sizes do not cross."),
    "diluted": Model("The bond-diluted ±J spin glass of three dimensions.", "{kind: edwards-anderson, dimension: 3, p_ferro: 0.5, p_absent: 0.55}", (4, 6, 8),
                     "{min: 0.4, max: 1.6, count: 16, spacing: geometric}", "Without more than 75% of the bonds there is no transition (percolation)."),
    "field": Model("The ±J spin glass of three dimensions in a field.", "{kind: edwards-anderson, dimension: 3, p_ferro: 0.5, field: 0.15}", (4, 6, 8),
                   "{min: 0.7, max: 2.0, count: 16, spacing: geometric}", "Whether there is a transition is debated.", replicas=4),
    "ferromagnet": Model("The Ising ferromagnet of three dimensions.", "{kind: ferromagnet, dimension: 3}", (4, 6, 8), "{min: 4.3, max: 4.8, count: 16, spacing: linear}",
                         "T_c = 4.5115.", share=1),
    "ferromagnet2d": Model("The Ising ferromagnet of two dimensions.", "{kind: ferromagnet, dimension: 2}", (8, 12, 16), "{min: 2.1, max: 2.5, count: 16, spacing: linear}",
                           "T_c = 2 / ln(1 + sqrt(2)) = 2.2692.", share=1),
}  # fmt: skip

TEXT = """\
# {about} Written by psflip new {name}.
# What it takes: psflip plan {file}. Then: psflip run {file}. All keys, their units and ranges: configs/reference.yaml.

# Another number gives another, independent study.
seed: {seed}

model: {model}

# Even sizes. Pairs with the ratios 2 and 3/2 give T_c and exponents. A size can be added later.
lattice:
  L: [{sizes}]

# {disorder} More can be added later; a batch is one job.
disorder:
  realizations: {realizations}
  batch: {batch}

# In units of J/k_B. {note} psflip ladder {file} proposes where they should lie.
temperatures: {temperatures}

# Copies with the same couplings; products of averages take distinct ones.
replicas: {replicas}

# Realizations that use the same random numbers: 128 is fastest; 1 where there is no disorder that makes them differ.
multispin:
  share: {share}

# In sweeps: before measurements begin, and of the measured run. Larger sizes need longer; a map {{4: 2048, 8: 16384}} gives each size its own.
thermalize:
  sweeps: {thermalize}
run:
  sweeps: {sweeps}
  measure_every: 100

# Batches with realizations that are not equilibrated run on to twice the sweeps, at most so often.
equilibration:
  test: log2
  max_doublings: {doublings}
"""


def text_of(name: str, file: Path, sizes: list[int], realizations: int, sweeps: int, seed: int) -> str:
    model = MODELS[name]
    disorder = "Samples of the couplings." if model.share > 1 else "Without disorder, independent copies of the same system."
    whole = max(realizations, 1)
    return TEXT.format(
        name=name, file=file, about=model.about, seed=seed, model=model.model, sizes=", ".join(map(str, sizes)), disorder=disorder, realizations=whole, batch=min(max(128, whole), 256),
        note=model.note, temperatures=model.temperatures, replicas=model.replicas, share=model.share, thermalize=max(100, sweeps // 4), sweeps=sweeps, doublings=2,
    )  # fmt: skip


def sizes_of(given: list[int] | None, name: str) -> list[int]:
    if wrong := [L for L in given or [] if L % 2]:
        raise StudyError(f"--L {wrong[0]}: an even number is needed, such as {wrong[0] + 1}")
    return sorted(set(given or MODELS[name].sizes))


def main(words: list[str]) -> int:
    about = "\n".join(f"    {name:14} {model.about}" for name, model in MODELS.items())
    parser = Parser(f"{__doc__}\n{about}\n", "psflip new")
    parser.add_argument("model", choices=tuple(MODELS), help="one of these")
    parser.add_argument("file", type=Path, help="the study file to write")
    parser.add_argument("--L", nargs="+", type=parser.whole(2, 1024), help="lattice sizes")
    parser.add_argument("--realizations", type=parser.whole(1, 2**24 - 128), default=512, help="of each size (default: 512)")
    parser.add_argument("--sweeps", type=parser.whole(3200, 2**40), default=16000, help="of the measured run, a multiple of 1600 (default: 16000)")
    parser.add_argument("--seed", type=parser.whole(0, 2**63 - 1), help="(default: a random one)")
    given = parser.parse_args(words)
    if given.file.exists():
        raise StudyError(f"{given.file} is there already; give another name, or remove it first")
    if given.sweeps % 1600:
        raise StudyError(f"--sweeps {given.sweeps}: a multiple of 1600 is needed, such as {given.sweeps // 1600 * 1600}")
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    write_text(given.file, text_of(given.model, given.file, sizes_of(given.L, given.model), given.realizations, given.sweeps, seed))
    print(printable(f"{given.file}: {MODELS[given.model].about} Next: psflip plan {given.file}, psflip run {given.file}"))
    return 0
