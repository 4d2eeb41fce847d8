"""Writes a commented study file for a model, small enough to be run as it is, to begin with.

    psflip new glass my.yaml
    psflip new ferromagnet2d ising.yaml --L 8 16 32 --realizations 256
"""

from __future__ import annotations

import secrets
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.whole_files import write_text
from psflip.commands.templates import MODELS, Model, fitting, text_of


def sizes_of(given: list[int] | None, model: Model) -> list[int]:
    if wrong := [L for L in given or [] if L % 2]:
        raise StudyError(f"--L {wrong[0]} is odd; use an even number, such as {wrong[0] + 1}")
    return sorted(set(given or model.sizes))


def sweeps_of(given: int | None, model: Model) -> int:
    """Returns the sweeps of the run, of the relaxation, or at each field."""
    if given is None:
        return model.sweeps
    if given % model.multiple or not given:
        near = max(1, given // model.multiple) * model.multiple
        raise StudyError(f"--sweeps {given} is not a multiple of {model.multiple}; use one, such as {near}")
    return given


def main(words: list[str]) -> int:
    about = "\n".join(f"    {name:14} {model.about}" for name, model in MODELS.items())
    parser = Parser(f"{__doc__}\n{about}\n", "psflip new")
    parser.add_argument("model", choices=tuple(MODELS), help="one of these")
    parser.add_argument("file", type=Path, help="the study file to write")
    parser.add_argument("--L", nargs="+", type=parser.whole(4, 1024), help="lattice sizes")
    parser.add_argument("--realizations", type=parser.whole(1, 2**24 - 128), help="of each size (default: 512; gaussian 256, heisenberg 64, protocol 16)")
    parser.add_argument("--sweeps", type=parser.whole(0, 2**40), help="of the measured run, a multiple of 1600 (default: 16000, or 1600 with clusters); relaxation: its last time; protocol: at each field")
    parser.add_argument("--seed", type=parser.whole(0, 2**63 - 1), help="(default: a random one)")
    if not words:
        print(parser.format_help())
        return 1
    given = parser.parse_args(words)
    if given.file.exists():
        raise StudyError(f"{given.file} exists already; give another name, or remove the file first")
    model = MODELS[given.model]
    sizes = sizes_of(given.L, model)
    sweeps = sweeps_of(given.sweeps, fitting(model, sizes))
    seed = secrets.randbelow(10**9) if given.seed is None else given.seed
    write_text(given.file, text_of(given.model, given.file, sizes, given.realizations or model.realizations, sweeps, seed))
    print(printable(f"{given.file}: {model.about} Next: psflip plan {given.file}, psflip run {given.file}{model.option}"))
    return 0
