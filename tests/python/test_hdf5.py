"""The one way in which Python opens HDF5 files: without file locks; damaged files and files with data elsewhere are refused."""

import fcntl
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np
import psflip
import pytest
from conftest import ROOT
from psflip.campaign import hdf5
from psflip.jobs import on_free_gpus, writer

WORKFLOWS = ROOT / "workflows"


@pytest.fixture
def file(tmp_path):
    """A file of another program, in which each test makes what it needs."""
    path = tmp_path / "mine.h5"
    with h5py.File(path, "w", libver=("v110", "v110")) as opened:
        opened.attrs.update(format="psflip", kind="disorder", format_version=2, first_realization=0)
        opened["couplings"] = np.ones((32, 3, 4, 4, 4), dtype=np.int8)
    return path


@pytest.fixture
def sealed(file):
    with h5py.File(file, "r+") as opened:
        opened.attrs["sealed"] = 1
    hdf5.append_seal(file)
    return file


def refused(path, *words):
    with pytest.raises(psflip.StudyError) as error:
        psflip.open_file(path)
    assert all(word in str(error.value) for word in (path.name, *words)), error.value


def test_no_lock_is_taken(file):
    """Another process has the lock of the file, which fails as on a file system without locks."""
    holder = os.open(file, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with pytest.raises(OSError, match="lock"):
        h5py.File(file).close()
    assert psflip.open_file(file).sizes["realization"] == 32
    os.close(holder)


def test_every_file_is_opened_in_this_way():
    """h5py.File is called in hdf5.py, to write couplings, and in the script that study.zip takes along."""
    calls = {path.name for path in (WORKFLOWS / "psflip").rglob("*.py") for line in path.read_text().splitlines() if "h5py.File(" in line and "locking=False" not in line}
    assert not calls
    callers = {path.name for path in (WORKFLOWS / "psflip").rglob("*.py") if "h5py.File(" in path.read_text()}
    assert callers == {"hdf5.py", "couplings.py", "check_study.py"}


def virtual(file):
    layout = h5py.VirtualLayout((4,), "i8")
    layout[:] = h5py.VirtualSource(".", "x", (4,))  # itself
    file.create_virtual_dataset("x", layout)


def part_of_chunks(file):
    file.create_dataset("x", (10, 10), "i4", chunks=(3, 4))[0, 0] = 1


FAULTS = [
    (virtual, ["/x is virtual", "copy the data into one file"]),
    (lambda file: file.create_dataset("x", (10,), "i8", external=[("nowhere.raw", 0, 80)]), ["/x has its data in other files", "copy the data into one file"]),
    (lambda file: file.__setitem__("x", h5py.ExternalLink("nowhere.h5", "/x")), ["/x is a link to another file", "copy the data into one file"]),
    (lambda file: file.create_dataset("a/x", (10,), "i8"), ["/a/x of shape (10,) was never written"]),
    (lambda file: file.create_dataset("x", (10, 10), "i8", chunks=(5, 5)), ["/x of shape (10, 10) was never written"]),
    (part_of_chunks, ["/x of shape (10, 10) has 1 of its 12 chunks"]),
    (lambda file: file.attrs.__setitem__("sealed", 1), ["checksum that psflip wrote at its end is missing", "remove its root attribute sealed"]),
]  # fmt: skip


@pytest.mark.parametrize("with_seal", [False, True])
@pytest.mark.parametrize("make, words", FAULTS[:-1])
def test_data_elsewhere_are_refused(file, make, words, with_seal):
    with h5py.File(file, "r+") as opened:
        make(opened)
    if with_seal:
        hdf5.append_seal(file)
    refused(file, *words)


def test_a_lost_seal_is_refused(file):
    make, words = FAULTS[-1]
    with h5py.File(file, "r+") as opened:
        make(opened)
    refused(file, *words)


@pytest.mark.parametrize("version", [0, 1, 3])
def test_other_format_versions_are_refused(file, version):
    with h5py.File(file, "r+") as opened:
        opened.attrs["format_version"] = version
    refused(file, f"format_version is {version}, but this psflip reads {hdf5.FORMAT_VERSION}; make the file anew, or use the psflip version that made it")


def test_what_is_harmless_is_read(file):
    """A group that contains itself, soft links, datasets without elements, compact ones, types."""
    with h5py.File(file, "r+") as opened:
        group = opened.create_group("group")
        group["itself"], group["soft"], group["nowhere"] = group, h5py.SoftLink("/couplings"), h5py.SoftLink("/none")
        opened["type"], opened["none"] = np.dtype("i4"), np.zeros((0, 3))
        opened.create_dataset("nothing", data=h5py.Empty("f8"))
    with hdf5.hdf5_file(file, "a file") as opened:
        assert opened["group/soft"].shape == (32, 3, 4, 4, 4)


@pytest.mark.parametrize("content, words", [(b"", ["empty"]), (b"no\n", ["not an HDF5 file"]), (b"\x89HDF\r\n\x1a\n" + bytes(90), ["not readable or damaged"])])
def test_other_files(tmp_path, content, words):
    (tmp_path / "x.h5").write_bytes(content)
    refused(tmp_path / "x.h5", "not a file of psflip", *words)


def test_flipped_bits_are_found(sealed):
    """In sealed files anywhere, also in texts, which have no checksum in HDF5."""
    good = sealed.read_bytes()
    assert psflip.open_file(sealed).sizes["realization"] == 32
    for at in (*range(0, len(good) - hdf5.SEAL_SIZE, 997), good.find(b"disorder"), len(good) - 5):
        damaged = bytearray(good)
        damaged[at] ^= 4
        sealed.write_bytes(damaged)
        refused(sealed, "damaged", "copy the file again")
    for end in (1, 10, 17, 20, 35):
        sealed.write_bytes(good[:-end])
        refused(sealed, "checksum")


def zero_a_heap(path):
    data = bytearray(path.read_bytes())
    at = data.find(b"GCOL")
    data[at + 16 : at + 56] = bytes(40)
    path.write_bytes(data)


def test_a_heap_of_texts_without_end(sealed, tmp_path, monkeypatch):
    """HDF5 never returns from it: a sealed file is refused before HDF5 reads it, another one by a process with a limit."""
    zero_a_heap(sealed)
    monkeypatch.setattr(hdf5, "PATIENCE", 0)
    refused(sealed, "damaged: its bytes do not have the checksum")
    other = tmp_path / "other.h5"
    shutil.copy(sealed, other)
    os.truncate(other, other.stat().st_size - hdf5.SEAL_SIZE)
    refused(other, "HDF5 does not come to an end with it")


def test_the_seal_is_that_of_the_programs(study):
    file = study / "L4/batch0000000-0000063/disorder.h5"
    assert hdf5.check_seal(file, "a file")
    data = file.read_bytes()
    with file.open("rb") as opened:
        assert data[-hdf5.DIGITS - 1 : -1] == hdf5.hash_of(opened.fileno(), len(data) - hdf5.SEAL_SIZE)


@pytest.fixture
def no_locks(monkeypatch):
    def fail(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", fail)
    writer.warn.cache_clear()


def test_one_writer_without_locks(tmp_path, no_locks, capsys):
    writer.one_writer(tmp_path / "out")
    writer.one_writer(tmp_path / "out")
    said = capsys.readouterr().err
    assert said.count("cannot lock files (Operation not supported)") == 1 and "only one Snakemake" in said
    assert f"process {os.getpid()}" in (tmp_path / "out/.writer").read_text()


def test_gpus_without_locks(tmp_path, no_locks, capsys, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert on_free_gpus.take_one(["0", "1"], 1) == ["0"] and on_free_gpus.take_whole(["0", "1"], 2, 2) == ["0", "1"]
    assert capsys.readouterr().err.count("cannot lock files") == 1


def test_a_process_with_threads(file):
    """The examination does not wait for a lock that another thread holds."""
    code = f"""
import sys, threading
sys.path.insert(0, {str(WORKFLOWS)!r})
import psflip
threads = [threading.Thread(target=lambda: [psflip.open_file({str(file)!r}) for _ in range(5)]) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("done")
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120).stdout == "done\n"
