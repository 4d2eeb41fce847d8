"""A study and the folder of its results: which batches of realizations there are, which runs each of them has and gets, and what
is final. All of it follows from the study file, the physics version of the programs and the names of the files in the folder; no data
file is opened.

    L8/batch0000000-0000127/       realizations 0 to 127 of L = 8
        disorder.h5                couplings
        state-0.h5                 thermalized
        run-<N>.h5  state-<N>.h5   run from the end before to N sweeps after thermalization, and the spins there
        observables-<N>.h5         from all runs up to N sweeps
        relax-<N>.h5  relax-<N>.state.h5   relaxation from the end before to N sweeps, and the spins there
    rounds/criteria-<digest>.json  what the verdict "equilibrated" depends on
    rounds/L8-<N>-<digest>.json    the batches to extend from N to 2 N sweeps
    rounds/L8-final-<digest>.json  the observables files that the disorder averages take

Every file of a batch is written once. N is run.sweeps, doubled once or more for a batch whose realizations have not all equilibrated;
if run.sweeps was raised, a batch has smaller ends too. The digest in the name of a file in rounds/ covers everything that its content
depends on: if the study asks for something else, a file of another name is missing.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.campaign.json_files import read_json
from psflip.campaign.study import Study, by_lattices, digest, has_clusters
from psflip.campaign.whole_files import visible

BATCH = re.compile(r"batch(\d{7,8})-(\d{7,8})")
BATCH_NAME = re.compile(r"\d{7,8}-\d{7,8}")
END = re.compile(r"(?:run|state|observables)-([1-9]\d*)\.h5(\.checkpoint(?:\.previous)?\.h5)?")
RELAXED = re.compile(r"relax-([1-9]\d*)\.h5(\.checkpoint(?:\.previous)?\.h5)?")
WHOLE = 128  # realizations that the programs work on at once
FIRSTS = 32  # a batch begins at a multiple of it


@dataclass(frozen=True, order=True)
class Batch:
    """Realizations first .. last (inclusive) of lattice size L."""

    L: int
    first: int
    last: int

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def name(self) -> str:
        return f"{self.first:07d}-{self.last:07d}"

    @property
    def folder(self) -> str:
        return f"L{self.L}/batch{self.name}"

    @classmethod
    def of(cls, L: int | str, name: str) -> "Batch":
        first, last = name.split("-")
        return cls(int(L), int(first), int(last))


def cut(L: int, first: int, last: int, size: int) -> list[Batch]:
    """first .. last in batches of at most `size`."""
    return [Batch(L, start, min(start + size - 1, last)) for start in range(first, last + 1, size)]


class Campaign:
    """`out` is the folder of results; `physics_version` and `analysis_version` belong to the programs. Another analysis version repeats `measure` and what follows, never a sweep. Folders are listed once, at their first use. Without `whole`, digests differ from the
    digests of the campaign, and only the folders of the requested batches are listed: enough for a job of one batch."""

    def __init__(self, study: Study, out: str | Path, physics_version: int, analysis_version: int = 1, whole: bool = True):
        self.study = study
        self.physics_version = physics_version
        self.analysis_version = analysis_version
        self.whole = whole
        self.out = Path(out)
        self._names: dict[Batch, frozenset[str]] = {}
        self._on_disk: dict[int, list[Batch]] = {}
        self._batches: dict[int, list[Batch]] = {}
        self._content: dict[int, str] = {}

    def forget(self) -> None:
        """Folders are listed anew when they are next asked for."""
        self._names.clear()
        self._on_disk.clear()
        self._batches.clear()
        self._content.clear()

    # --- files ---------------------------------------------------------------------------------------------------------
    def names(self, batch: Batch) -> frozenset[str]:
        """The names of the files of a batch, without hidden ones."""
        if batch not in self._names:
            try:
                self._names[batch] = frozenset(name for name in os.listdir(self.out / batch.folder) if not name.startswith("."))
            except FileNotFoundError:
                self._names[batch] = frozenset()
        return self._names[batch]

    def on_disk(self, L: int) -> list[Batch]:
        """The batches of a size that have a file, in order. StudyError where two have realizations in common."""
        if L not in self._on_disk:
            self._on_disk[L] = self._find(L)
        return self._on_disk[L]

    def _find(self, L: int) -> list[Batch]:
        try:
            entries = sorted(os.listdir(self.out / f"L{L}"))
        except FileNotFoundError:
            return []
        found = [Batch(L, int(m[1]), int(m[2])) for m in map(BATCH.fullmatch, entries) if m]
        found = sorted(batch for batch in found if any(".h5" in name for name in self.names(batch)))
        for one, two in zip(found, found[1:]):
            if two.first <= one.last:
                raise StudyError(f"{self.out}: {one.folder} and {two.folder} hold the same realizations; remove one of them")
        return found

    # --- batches -------------------------------------------------------------------------------------------------------
    @property
    def realizations(self) -> int:
        return self.study.data["disorder"]["realizations"]

    @property
    def draws(self) -> bool:
        """Whether couplings are drawn, so that there are as many as one likes."""
        return self.study.data["disorder"].get("source") != "files"

    @property
    def whole_words(self) -> bool:
        """Whether programs work on whole words of realizations: where lanes are realizations, except for cluster updates."""
        data = self.study.data
        return data["multispin"]["lanes"] == "realizations" and not by_lattices(data) and not has_clusters(data)

    def unit(self) -> int:
        """What a last batch is filled up to: as many realizations as the programs work on anyway, so that another batch can follow."""
        size, share = self.study.data["disorder"]["batch"], self.study.data["multispin"]["share"]
        return math.gcd(size, WHOLE) if size % max(share, 32) == 0 else WHOLE

    def batches(self, L: int) -> list[Batch]:
        """What is on disk of realizations 0 .. disorder.realizations - 1, and the rest in new batches. StudyError where a new one cannot begin."""
        if L not in self._batches:
            wanted = self.study.data["disorder"]["batch"]
            size = self._filled(wanted) if self.whole_words else math.ceil(wanted / FIRSTS) * FIRSTS
            found, start = [], 0
            for batch in self.on_disk(L):
                if batch.first < self.realizations:
                    found += [*cut(L, start, batch.first - 1, size), batch]
                    start = batch.last + 1
            if start < self.realizations:
                if start % FIRSTS:
                    raise StudyError(
                        f"disorder.realizations: the files of L = {L} end with realization {start - 1}, but a batch must begin at a multiple of {FIRSTS}; "
                        f"set it to {start}, or begin a study in another folder with --out")
                left = self.realizations - start
                found += cut(L, start, start + (self._filled(left) if self.whole_words and self.draws else left) - 1, size)
            self._batches[L] = found
        return self._batches[L]

    def _filled(self, count: int) -> int:
        return math.ceil(count / self.unit()) * self.unit()

    # --- ends of runs --------------------------------------------------------------------------------------------------
    def sweeps(self, L: int) -> int:
        """Where the first round ends: run.sweeps."""
        return self.study.per_size(self.study.data["run"]["sweeps"], L)

    def rounds(self, L: int) -> list[int]:
        """The ends that a batch can have: run.sweeps, and its doublings where realizations are tested."""
        equilibration = self.study.data["equilibration"]
        doublings = equilibration["max_doublings"] if equilibration["test"] != "none" else 0
        return [self.sweeps(L) << k for k in range(doublings + 1)]

    def ends(self, batch: Batch) -> list[int]:
        """The ends that files of the batch have or, with a checkpoint, will have."""
        return sorted({int(m[1]) for m in map(END.fullmatch, self.names(batch)) if m})

    def reached(self, batch: Batch) -> int:
        """The last end that a finished file has."""
        return max((int(m[1]) for m in map(END.fullmatch, self.names(batch)) if m and not m[2]), default=0)

    def chain(self, batch: Batch, end: int) -> list[int]:
        """The ends of the runs that lead to `end`: those on disk, and run.sweeps and its doublings."""
        chain = {known for known in self.ends(batch) if known < end} | {end}
        step = self.sweeps(batch.L)
        while step < end:
            chain.add(step)
            step *= 2
        return sorted(chain)

    def start(self, batch: Batch, end: int) -> int:
        """Where the run to `end` starts; 0 is the thermalized state."""
        return ([0] + self.chain(batch, end))[-2]

    def relaxed(self, batch: Batch, with_checkpoints: bool = False) -> list[int]:
        """Where the relaxations of a batch end, ascending: those whose file and state are there, or also those with a checkpoint."""
        names = self.names(batch)
        found = [(int(m[1]), m[2]) for m in map(RELAXED.fullmatch, names) if m]
        return sorted({end for end, checkpoint in found if with_checkpoints or (not checkpoint and f"relax-{end}.state.h5" in names)})

    # --- rounds --------------------------------------------------------------------------------------------------------
    def criteria(self) -> dict:
        """What errors and verdict in an observables file depend on. Version 1 is left out, because files of that version have no such attribute and names in their folders have to stay."""
        version = {"analysis_version": self.analysis_version} if self.analysis_version > 1 else {}
        return self.study.test_parameters() | version

    def criteria_file(self) -> Path:
        return self.out / "rounds" / f"criteria-{digest(self.criteria())}.json"

    def content(self, L: int) -> str:
        """The digest of what is tested and averaged. Physics version and parameters count for a size whose files were removed to make others."""
        if L not in self._content:
            batches = (batch.name for batch in self.batches(L)) if self.whole else ()
            made_with = (self.physics_version, self.study.parameters(L))
            self._content[L] = digest(L, *made_with, self.criteria(), self.realizations, self.rounds(L), *batches)
        return self._content[L]

    def averaged(self) -> str:
        """The digest of what the disorder averages depend on."""
        policy = self.study.data["equilibration"].get("unequilibrated")
        return digest(policy, *map(self.content, self.study.sizes))

    def round_file(self, L: int, end: int) -> Path:
        return self.out / "rounds" / f"L{L}-{end}-{self.content(L)}.json"

    def final_file(self, L: int) -> Path:
        return self.out / "rounds" / f"L{L}-final-{self.content(L)}.json"

    def stamp(self) -> Path:
        """Is there when the averages are made."""
        return self.out / "rounds" / f"averages-{self.averaged()}.json"

    def relaxation_stamp(self) -> Path:
        """Is there when numbers, pictures and page of the relaxation are made. Its name does not depend on the folders of batches, because every job reads the rules."""
        return self.out / "rounds" / f"relaxation-{digest(self.study.data['relax']['last'], self.realizations, *self.study.sizes)}.done"

    def remove_outdated(self) -> None:
        """Removes the files of rounds/ that the study as it is now does not ask for, so that they cannot count when it is changed back."""
        wanted = {digest(self.criteria()), self.averaged(), *map(self.content, self.study.sizes)}
        for file in visible(self.out / "rounds", "*.json"):
            if file.stem.rsplit("-", 1)[-1] not in wanted:
                file.unlink()

    def go_on(self, L: int, end: int) -> set[str]:
        """Returns the names of the batches to extend beyond `end`, from the round's file."""
        return set(read_json(self.round_file(L, end), "a round of psflip (remove it, and it is decided anew)", {"go_on": [BATCH_NAME]})["go_on"])

    def in_round(self, L: int, end: int) -> list[Batch]:
        """The batches that reach `end`. The files of the rounds before must be there."""
        batches = self.batches(L)
        for before in self.rounds(L):
            if before >= end:
                break
            names = self.go_on(L, before)
            batches = [batch for batch in batches if batch.name in names]
        return batches

    def final(self, L: int) -> list[tuple[Batch, int]]:
        """Each batch with its last end. The files of all rounds must be there."""
        found, batches, rounds = [], self.batches(L), self.rounds(L)
        for end in rounds:
            names = self.go_on(L, end) if end != rounds[-1] and batches else set()
            found += [(batch, end) for batch in batches if batch.name not in names]
            batches = [batch for batch in batches if batch.name in names]
        return sorted(found)

    def observables(self, batch: Batch, end: int) -> Path:
        return self.out / batch.folder / f"observables-{end}.h5"
