"""Takes your own couplings for a study (disorder.source: files) from a folder of disorder files, or from one file. The files may have any sizes and numbers of realizations.

Before anything runs, psflip reads all couplings of the study once. OUT/couplings.json keeps the results, so that unchanged files are not opened again until their couplings are needed.

    python workflows/psflip campaign.own_couplings --couplings mine --L 8 --first 128 --count 128 --out disorder.h5
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import get_type_hints

import numpy as np

from psflip.analysis.couplings import check_shape, checked, write_couplings
from psflip.campaign.campaign import Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import check_root, hdf5_file, integer_attribute
from psflip.campaign.json_files import read_json
from psflip.campaign.whole_files import visible, write_json

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
    """Of a source: a digest of the couplings of each realization that the study takes; how many bonds there are, and how many of them are +1."""

    size: int
    changed: int  # when, in nanoseconds
    digests: list[str]
    bonds: int
    positive: int


FORM = {"files": [{"source": get_type_hints(Source), "content": get_type_hints(Content) | {"digests": [str]}}]}  # of OUT/couplings.json


@contextmanager
def told_of(file: Path) -> Iterator[None]:
    """Adds the name of the file to a StudyError of the block."""
    try:
        yield
    except StudyError as error:
        raise StudyError(f"{file}: {error}") from None


def is_unchanged(file: Path, known: Content) -> bool:
    state = file.stat()
    return (known.size, known.changed) == (state.st_size, state.st_mtime_ns)


def source_of(file: Path, known: dict[str, tuple[Source, Content]], real: bool | None = None, physics_version: int | None = None) -> Source:
    """Checks all but the values of the couplings, as the programs do. A file that is `known` and unchanged is not opened again.

    real: whether the study has real couplings; None if the caller knows no study."""
    if str(file) in known and is_unchanged(file, known[str(file)][1]):
        return known[str(file)][0]
    with hdf5_file(file, "a disorder file (psflip.couplings writes one)") as opened:
        check_root(opened, "disorder", physics_version)
        first = integer_attribute(opened, "first_realization")
        if "couplings" not in opened:
            raise KeyError("couplings")
        node = opened["couplings"]
        with told_of(file):
            check_shape(node.shape, first)
        count, dimension, L = node.shape[0], node.ndim - 2, node.shape[-1]
        for name, found in (("L", L), ("realizations", count), ("dimension", dimension)):
            if name in opened.attrs and (told := integer_attribute(opened, name)) != found:
                raise ValueError(f"root attribute {name} = {told} contradicts dataset couplings, which has {found}")
        if real is not None and node.dtype.kind not in ("iuf" if real else "iu"):
            raise ValueError(f"dataset couplings has type {node.dtype} instead of {'float64' if real else 'int8'}, which the model of the study needs")
        return Source(str(file), L, dimension, first, count)


def sources(path: str | Path, dimension: int, sizes: list[int], known: dict[str, tuple[Source, Content]], *about: object) -> dict[int, list[Source]]:
    """Returns the files by size, in the order of their realizations. StudyError if two files have a realization in common, or a size has no file. `known`, `about`: see source_of."""
    path = Path(path)
    files = visible(path, "*.h5") if path.is_dir() else [path]
    found: dict[int, list[Source]] = {L: [] for L in sizes}
    for source in (source_of(file, known, *about) for file in files):
        if source.dimension != dimension:
            raise StudyError(f"couplings={path}: {source.file} has lattices of {source.dimension} dimensions, but the study has model.dimension: {dimension}")
        found.setdefault(source.L, []).append(source)
    for L, of_size in found.items():
        of_size.sort(key=lambda source: source.first)
        for one, two in zip(of_size, of_size[1:]):
            if two.first <= one.last:
                raise StudyError(f"couplings={path}: {one} and {two} have realizations in common; give each file its own numbers (first_realization)")
    if missing := [L for L in sizes if not found[L]]:
        there = ", ".join(str(L) for L, of_size in sorted(found.items()) if of_size)
        there = f", but only of L = {there}" if there else ""
        raise StudyError(f"couplings={path}: there are no couplings of L = {missing[0]}{there}; add files of that size, or take the size out of lattice.L")
    return found


def check_enough(of_size: list[Source], L: int, count: int, where: str) -> None:
    """StudyError where one of the realizations 0 .. count - 1 is missing."""
    following = 0
    for source in of_size:
        if source.first > following:
            break
        following = source.last + 1
    if following < count:
        raise StudyError(f"{where}: realization {following} of L = {L} is in no file, but disorder.realizations is {count}; add the realization, or lower disorder.realizations to {max(following, 1)}")


def couplings_of(source: Source, first: int, count: int) -> Iterator[np.ndarray]:
    """Yields realizations first .. first + count - 1 of the study, some at a time. StudyError if values are no couplings."""
    file = Path(source.file)
    step = max(1, AT_ONCE // (source.dimension * source.L**source.dimension))
    with hdf5_file(file, "a disorder file") as opened, told_of(file):
        node = opened["couplings"]
        for begin in range(first, first + count, step):
            J = checked(node[begin - source.first : min(begin + step, first + count) - source.first])
            yield J.astype(np.float64, copy=False) if node.dtype.kind == "f" else J


def content_of(source: Source, known: Content | None, count: int) -> Content:
    """Reads the first `count` realizations of the file, unless their content is known and the file unchanged."""
    file = Path(source.file)
    if known and len(known.digests) >= count and is_unchanged(file, known):
        return known
    state = file.stat()
    digests, bonds, positive = [], 0, 0
    for J in couplings_of(source, source.first, count):
        digests += [hashlib.blake2b(one.tobytes(), digest_size=8).hexdigest() for one in J]
        bonds += int(np.count_nonzero(J))
        positive += int(np.count_nonzero(J == 1))
    return Content(state.st_size, state.st_mtime_ns, digests, bonds, positive)


def read_index(out: Path) -> dict[str, tuple[Source, Content]]:
    """Returns what an earlier start found, by file; empty without an earlier start."""
    file = out / INDEX
    if not file.exists():
        return {}
    entries = read_json(file, "a couplings.json of psflip (remove it, and couplings are read again)", FORM)["files"]
    return {entry["source"]["file"]: tuple(kind(**{field.name: entry[name][field.name] for field in fields(kind)}) for kind, name in ((Source, "source"), (Content, "content"))) for entry in entries}


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
            raise StudyError(f"{file}: realization {r} of L = {L} has the couplings of realization {seen[digest]} ({found[seen[digest]][1]}); each counts once, so remove one of them")
        seen[digest] = r


def check_same(campaign: Campaign, L: int, before: dict[int, tuple[str, str]], now: dict[int, tuple[str, str]]) -> None:
    """Throws StudyError if existing batches were made from other couplings, or if they end within a pack and others have to follow."""
    share = max(32, campaign.study.data["multispin"]["share"])
    for batch in campaign.on_disk(L):
        for r in range(batch.first, batch.last + 1):
            if r in before and r in now and before[r][0] != now[r][0]:
                raise StudyError(f"{now[r][1]}: realization {r} of L = {L} has other couplings than {campaign.out / batch.folder}, which was made from this realization; restore the couplings, or give another folder of results")
        if batch.last + 1 < campaign.realizations and (batch.last + 1) % share:
            raise StudyError(f"{campaign.out / batch.folder} ends within a share group of {share} realizations, so that no realization can follow; remove that folder, and psflip makes it again with more realizations")


def check(campaign: Campaign, couplings: str | None) -> dict[str, tuple[Source, Content]]:
    """All that the campaign takes from files, checked; what OUT/couplings.json is to hold. Nothing where couplings are drawn."""
    data = campaign.study.data
    if data["disorder"].get("source") != "files":
        if couplings:
            raise StudyError(f"couplings={couplings}: the study draws its couplings; write disorder: {{source: files}} into the study file, or leave the option out")
        return {}
    if not couplings:
        raise StudyError("disorder.source is files, but no files are given; give --couplings FOLDER (snakemake: --config couplings=FOLDER), a folder of disorder files or one of them")
    if not Path(couplings).exists():
        raise StudyError(f"couplings={couplings}: no such file or folder; give a folder of disorder files, or one of them")
    known = read_index(campaign.out)
    real = data["model"].get("couplings") == "gaussian"
    found = sources(couplings, int(data["model"]["dimension"]), campaign.study.sizes, known, real, campaign.physics_version)
    for L in campaign.study.sizes:
        check_enough(found[L], L, campaign.realizations, f"couplings={couplings}")
    taken = [source for L in campaign.study.sizes for source in found[L] if source.first < campaign.realizations]
    index = {source.file: (source, content_of(source, known.get(source.file, (None, None))[1], min(source.count, campaign.realizations - source.first))) for source in taken}
    for L in campaign.study.sizes:
        now = numbered(index, L)
        check_alike(now, L, campaign.realizations)
        check_same(campaign, L, numbered(known, L), now)
    return known | index


def write_index(out: Path, index: dict[str, tuple[Source, Content]]) -> None:
    if index:
        write_json(out / INDEX, {"files": [{"source": asdict(source), "content": asdict(content)} for source, content in index.values()]})


def take(of_size: list[Source], first: int, count: int, out: Path) -> None:
    """Writes a disorder file of these realizations, from whatever files have them."""
    parts = []
    for source in of_size:
        begin, end = max(first, source.first), min(first + count, source.last + 1)
        if begin < end:
            parts += couplings_of(source, begin, end - begin)
    if (there := sum(map(len, parts))) != count:
        raise StudyError(f"couplings: the files have only {there} of the realizations {first} to {first + count - 1} of L = {of_size[0].L}; add the others")
    write_couplings(out, np.concatenate(parts), first)


def main() -> int:
    parser = Parser(__doc__)
    parser.add_argument("--couplings", required=True, help="a folder of disorder files, or one")
    parser.add_argument("--L", type=parser.whole(2, 1024), required=True)
    parser.add_argument("--dimension", type=parser.whole(2, 3), default=3)
    parser.add_argument("--first", type=parser.whole(0, 2**24), help="(default: the last whole pack there is, to tune temperatures on)")
    parser.add_argument("--count", type=parser.whole(1, 2**24), default=TUNED_ON)
    parser.add_output("--out", None, required=True)
    parser.add_input("--results", folder=True, help="folder of the study's results; the files that its couplings.json knows are only opened if they are needed")
    given = parser.parse_args()
    first, count = given.first, given.count
    of_size = sources(given.couplings, given.dimension, [given.L], read_index(given.results) if given.results else {})[given.L]
    if first is None:
        end = of_size[-1].last + 1
        first = max(0, (end - TUNED_ON) // TUNED_ON * TUNED_ON)
        count = min(TUNED_ON, end - first)
    take(of_size, first, count, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
