"""Proposes temperatures for each size of a study, from short runs of seconds, and draws a picture of each ladder. The jobs of the study do not run.
Take the temperatures with: psflip run my.yaml --ladder tuned:16

    psflip ladder my.yaml
    psflip ladder my.yaml --ladder-options "--feedback --count 20"
"""

from __future__ import annotations

from psflip.campaign.errors import StudyError, printable
from psflip.campaign.study import RELAXATION, Study, by_lattices
from psflip.commands.run import call, command, out_of, parse


def main(words: list[str]) -> int:
    given, more = parse(words, __doc__ or "", "psflip ladder")
    study = Study.read(given.study)
    if study.choose(given.kind) == RELAXATION:
        raise StudyError(f"{given.study}: a relaxation exchanges no temperatures, so that psflip cannot propose temperatures; choose them by hand")
    if key := by_lattices(study.data):
        raise StudyError(f"{given.study}: {key}: psflip proposes temperatures only for Ising spins with discrete couplings; choose them by hand")
    code = call(command(given, more, "ladder"), more, out_of(given), given.dry_run, given.verbose)
    if code == 0 and not given.dry_run:
        for L in study.sizes:
            print(printable(f"L = {L}: {out_of(given) / 'ladder' / f'L{L}.yaml'}, with the picture L{L}.png"))
    return code
