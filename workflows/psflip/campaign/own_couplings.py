"""Couplings of one's own for a campaign (disorder.source: files): a folder of disorder files, or one file, of any sizes, cut in any way.

Before anything runs all that the study takes is read once: OUT/couplings.json keeps what was found, by file, so that only new files are read later.

    python workflows/psflip campaign.own_couplings --couplings mine --L 8 --first 128 --count 128 --out disorder.h5
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import h5py
import numpy as np

from psflip.analysis.couplings import checked, write_couplings
from psflip.campaign.campaign import Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.whole_files import write_json

INDEX = "couplings.json"
AT_ONCE = 1 << 26  # bytes of couplings that are read at a time
TUNED_ON = 128  # realizations that temperatures are tuned on: the last ones there are


@dataclass(frozen=True)
class Source:
    """A disorder file: its realizations, and what is known without reading their couplings."""

    file: str
    L: int
    dimension: int
    first: int
    count: int

    @property
    def last(self) -> int:
        return self.first + self.count - 1

    def __str__(self) -> str:
        return f"{self.file} (realizations {self.first} to {self.last} of L = {self.L})"


@dataclass(frozen=True)
class Content:
    """Of a source: a digest of the couplings of each realization; how many bonds there are, and how many of them are +1."""

    size: int
    changed: int  # when, in nanoseconds
    digests: list[str]
    bonds: int
    positive: int


def source_of(file: Path) -> Source:
    with reading(file, "a disorder file (psflip.couplings writes one)"), h5py.File(file) as opened:
        if opened.attrs["kind"] != "disorder":
            raise ValueError(f"it is a file of kind {opened.attrs['kind']}")
        shape = opened["couplings"].shape
        if len(shape) not in (4, 5) or shape[1] != len(shape) - 2 or len(set(shape[2:])) != 1 or not shape[0]:
            raise ValueError(f"couplings have the shape {shape}")
        first = int(opened.attrs["first_realization"])
        if first < 0:
            raise ValueError(f"first_realization = {first} is negative")
        return Source(str(file), shape[-1], len(shape) - 2, first, shape[0])


def sources(path: str | Path, dimension: int, sizes: list[int]) -> dict[int, list[Source]]:
    """By size, in the order of their realizations; StudyError where two files have one in common, or a size has none."""
    path = Path(path)
    files = sorted(path.glob("*.h5")) if path.is_dir() else [path]
    found: dict[int, list[Source]] = {L: [] for L in sizes}
    for source in map(source_of, files):
        if source.dimension != dimension:
            raise StudyError(f"couplings={path}: {source.file} has lattices of {source.dimension} dimensions, the study has model.dimension: {dimension}")
        found.setdefault(source.L, []).append(source)
    for L, of_size in found.items():
        of_size.sort(key=lambda source: source.first)
        for one, two in zip(of_size, of_size[1:]):
            if two.first <= one.last:
                raise StudyError(f"couplings={path}: {one} and {two} have realizations in common; give each file numbers of its own (first_realization)")
    if missing := [L for L in sizes if not found[L]]:
        there = ", ".join(str(L) for L, of_size in sorted(found.items()) if of_size)
        there = f"L = {there}" if there else "no disorder files"
        raise StudyError(f"couplings={path}: no couplings of L = {missing[0]}; there are {there}. Add files of that size, or take it out of lattice.L")
    return found


def check_enough(of_size: list[Source], L: int, count: int, where: str) -> None:
    """StudyError where one of the realizations 0 .. count - 1 is missing."""
    following = 0
    for source in of_size:
        if source.first > following:
            break
        following = source.last + 1
    if following < count:
        raise StudyError(f"{where}: realization {following} of L = {L} is in no file, and disorder.realizations is {count}; add it, or lower disorder.realizations to {max(following, 1)}")


def couplings_of(source: Source, first: int, count: int) -> np.ndarray:
    """Realizations first .. first + count - 1 of the study; StudyError where values are no couplings."""
    file = Path(source.file)
    with reading(file, "a disorder file"), h5py.File(file) as opened:
        values = opened["couplings"][first - source.first : first - source.first + count]
    try:
        return checked(values)
    except StudyError as error:
        raise StudyError(f"{file}: {error}") from None


def content_of(source: Source, known: Content | None) -> Content:
    """Reads the file, unless what is known is of the file as it is."""
    state = Path(source.file).stat()
    if known and (known.size, known.changed, len(known.digests)) == (state.st_size, state.st_mtime_ns, source.count):
        return known
    digests, bonds, positive = [], 0, 0
    step = max(1, AT_ONCE // (source.dimension * source.L**source.dimension))
    for first in range(source.first, source.last + 1, step):
        J = couplings_of(source, first, min(step, source.last + 1 - first))
        digests += [hashlib.blake2b(one.tobytes(), digest_size=8).hexdigest() for one in J]
        bonds += int(np.count_nonzero(J))
        positive += int(np.count_nonzero(J == 1))
    return Content(state.st_size, state.st_mtime_ns, digests, bonds, positive)


def read_index(out: Path) -> dict[str, tuple[Source, Content]]:
    """What an earlier start found, by file; nothing where there is none."""
    file = out / INDEX
    if not file.exists():
        return {}
    with reading(file, "a couplings.json of psflip (remove it, and couplings are read again)"):
        return {entry["source"]["file"]: (Source(**entry["source"]), Content(**entry["content"])) for entry in json.loads(file.read_text(encoding="utf-8"))["files"]}


def numbered(index: dict[str, tuple[Source, Content]], L: int) -> dict[int, tuple[str, str]]:
    """Realization -> digest and file."""
    found = {}
    for source, content in index.values():
        if source.L == L:
            found |= {source.first + k: (digest, source.file) for k, digest in enumerate(content.digests)}
    return found


def check_alike(found: dict[int, tuple[str, str]], L: int, count: int) -> None:
    """StudyError where two realizations of the study have the same couplings, unless all are alike, as without disorder."""
    seen: dict[str, int] = {}
    taken = {r: found[r] for r in range(count)}
    if len({digest for digest, _ in taken.values()}) == 1:
        return
    for r, (digest, file) in taken.items():
        if digest in seen:
            raise StudyError(f"{file}: realization {r} of L = {L} has the couplings of realization {seen[digest]} ({found[seen[digest]][1]}); each counts once, so take one of them out")
        seen[digest] = r


def check_same(campaign: Campaign, L: int, before: dict[int, tuple[str, str]], now: dict[int, tuple[str, str]]) -> None:
    """StudyError where batches that are there were made from other couplings, or end within a pack behind which others have to follow."""
    share = max(32, campaign.study.data["multispin"]["share"])
    for batch in campaign.on_disk(L):
        for r in range(batch.first, batch.last + 1):
            if r in before and r in now and before[r][0] != now[r][0]:
                raise StudyError(f"{now[r][1]}: realization {r} of L = {L} has other couplings than those that {campaign.out / batch.folder} was made from; restore them, or give another folder of results")
        if batch.last + 1 < campaign.realizations and (batch.last + 1) % share:
            raise StudyError(f"{campaign.out / batch.folder} ends within a pack of {share} realizations that share random numbers, so that none can follow; remove that folder, and it is made again with more")


def check(campaign: Campaign, couplings: str | None) -> dict[str, tuple[Source, Content]]:
    """All that the campaign takes from files, checked; what OUT/couplings.json is to hold. Nothing where couplings are drawn."""
    data = campaign.study.data
    if data["disorder"].get("source") != "files":
        if couplings:
            raise StudyError(f"couplings={couplings}: the study draws its couplings; write disorder: {{source: files}} into the study file, or leave the option out")
        return {}
    if not couplings:
        raise StudyError("disorder.source is files: which? Give --couplings FOLDER (snakemake: --config couplings=FOLDER), a folder of disorder files or one of them")
    if not Path(couplings).exists():
        raise StudyError(f"couplings={couplings}: no such file or folder; give a folder of disorder files, or one of them")
    known = read_index(campaign.out)
    found = sources(couplings, int(data["model"]["dimension"]), campaign.study.sizes)
    for L in campaign.study.sizes:
        check_enough(found[L], L, campaign.realizations, f"couplings={couplings}")
    taken = [source for L in campaign.study.sizes for source in found[L] if source.first < campaign.realizations]
    index = {source.file: (source, content_of(source, known.get(source.file, (None, None))[1])) for source in taken}
    for L in campaign.study.sizes:
        now = numbered(index, L)
        check_alike(now, L, campaign.realizations)
        check_same(campaign, L, numbered(known, L), now)
    return known | index


def write_index(out: Path, index: dict[str, tuple[Source, Content]]) -> None:
    if index:
        write_json(out / INDEX, {"files": [{"source": asdict(source), "content": asdict(content)} for source, content in index.values()]})


def take(path: str | Path, L: int, dimension: int, first: int, count: int, out: Path) -> None:
    """Writes a disorder file of these realizations, from whatever files have them."""
    of_size = sources(path, dimension, [L])[L]
    parts = []
    for source in of_size:
        begin, end = max(first, source.first), min(first + count, source.last + 1)
        if begin < end:
            parts.append(couplings_of(source, begin, end - begin))
    J = np.concatenate(parts) if parts else np.zeros((0,))
    if len(J) != count:
        raise StudyError(f"couplings={path}: {len(J)} of the realizations {first} to {first + count - 1} of L = {L} are there")
    write_couplings(out, J, first)


def main() -> int:
    parser = Parser(__doc__)
    parser.add_argument("--couplings", required=True, help="a folder of disorder files, or one")
    parser.add_argument("--L", type=parser.whole(2, 1024), required=True)
    parser.add_argument("--dimension", type=parser.whole(2, 3), default=3)
    parser.add_argument("--first", type=parser.whole(0, 2**24), help="(default: the last whole pack there is, to tune temperatures on)")
    parser.add_argument("--count", type=parser.whole(1, 2**24), default=TUNED_ON)
    parser.add_output("--out", None, required=True)
    given = parser.parse_args()
    first, count = given.first, given.count
    if first is None:
        end = sources(given.couplings, given.dimension, [given.L])[given.L][-1].last + 1
        first = max(0, (end - TUNED_ON) // TUNED_ON * TUNED_ON)
        count = min(TUNED_ON, end - first)
    take(given.couplings, given.L, given.dimension, first, count, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
