"""What the programs write does not depend on --threads: not a byte of a chunk. The files are read with h5py, that is by HDF5's own filters."""

import pathlib
import os
import subprocess

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))

STUDY = """
seed: 3
model: {kind: edwards-anderson, dimension: 3, field: 0}
lattice: {L: [4]}
disorder: {realizations: 1100, batch: 1100}
temperatures: {min: 0.9, max: 2.0, count: 13, spacing: geometric}
replicas: 2
multispin: {share: 32}
thermalize: {sweeps: 40}
run: {sweeps: 320, measure_every: 10, blocks: 16}
"""


def make_files(folder, threads):
    """Makes two runs, the second of which continues the first. Returns file names without the folder."""
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    calls = [
        "gen-disorder --first 0 --count 1100 --out disorder.h5",
        "thermalize --disorder disorder.h5 --out state.h5",
        "pt-run --disorder disorder.h5 --state state.h5 --out run.h5 --state-out end.h5",
        "pt-run --disorder disorder.h5 --state end.h5 --out run2.h5 --state-out end2.h5",
        "measure --disorder disorder.h5 --run run.h5 run2.h5 --out observables.h5",
        "reduce-disorder observables.h5 --out reduced.h5 --csv results.csv",
    ]
    for call in calls:
        program, *arguments = call.split()
        command = [BIN / program, *arguments, "--config", "study.yaml", "--threads", str(threads)]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
    return sorted(path.name for path in folder.glob("*.h5"))


def stored_chunks(path):
    """Dataset -> (filter mask, bytes) of every chunk as it lies in the file; the dataset is read with HDF5, too."""
    chunks = {}

    def visit(name, item):
        if not isinstance(item, h5py.Dataset) or item.chunks is None:
            return
        assert item[...].shape == item.shape
        space = item.id.get_space()
        infos = [item.id.get_chunk_info(i, space) for i in range(item.id.get_num_chunks(space))]
        chunks[name] = {info.chunk_offset: item.id.read_direct_chunk(info.chunk_offset) for info in infos}

    with h5py.File(path) as file:
        file.visititems(visit)
    return chunks


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("threads")
    made = {threads: make_files(base / str(threads), threads) for threads in (1, 2, 3)}
    assert made[1] == made[2] == made[3]
    return base, made[1]


def test_files_are_the_same_with_any_number_of_threads(folders):
    base, names = folders
    for name in names:
        one = stored_chunks(base / "1" / name)
        assert one
        for threads in ("2", "3"):
            assert stored_chunks(base / threads / name) == one, (name, threads)
    table = (base / "1" / "results.csv").read_text()
    assert (base / "2" / "results.csv").read_text() == (base / "3" / "results.csv").read_text() == table


def test_there_were_chunks_for_all_threads(folders):
    base, _ = folders
    chunks = stored_chunks(base / "1" / "run2.h5")["blocks/energy"]
    assert len(chunks) >= 2
    with h5py.File(base / "1" / "run2.h5") as file:
        dataset = file["blocks/energy"]
        assert [dataset.shuffle, dataset.compression, dataset.fletcher32] == [True, "gzip", True]


def test_the_same_numbers_with_other_chunks_and_filters(folders):
    """A run file as h5py writes it by itself: chunks across all axes, other filters; and one without chunks."""
    base, _ = folders
    folder = base / "2"
    with h5py.File(folder / "observables.h5") as file:
        expected = {name: file[f"mean/{name}"][...] for name in file["mean"]}
    for options in ({"chunks": True, "compression": "gzip"}, {"chunks": True, "scaleoffset": None, "shuffle": True}, {}):
        for run in ("run.h5", "run2.h5"):
            with h5py.File(folder / run) as old, h5py.File(folder / f"other-{run}", "w") as new:
                copy(old, new, options)
        command = [BIN / "measure", "--config", "study.yaml", "--disorder", "disorder.h5", "--run", "other-run.h5", "other-run2.h5",
                   "--out", "other.h5", "--force", "--threads", "2"]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        with h5py.File(folder / "other.h5") as file:
            for name, values in expected.items():
                assert np.array_equal(file[f"mean/{name}"][...], values, equal_nan=True), name


def copy(old, new, options):
    for name, value in old.attrs.items():
        if name != "sealed":
            new.attrs[name] = value
    for name, item in old.items():
        if isinstance(item, h5py.Group):
            copy(item, new.create_group(name), options)
        else:
            made = new.create_dataset(name, data=item[...], **options)
            for attribute, value in item.attrs.items():
                made.attrs[attribute] = value
