"""Opens HDF5 files for reading: the one way in which psflip's Python reads them, whoever wrote them.

No file lock is taken, because some file systems have none. The bytes of a file are compared with psflip's seal (libcore/io/hdf5/seal.hpp) before HDF5 reads them. HDF5 may crash
or never return on a damaged file, so a file without a seal is examined in another process first. Virtual datasets, external storage, external links and data that were never
written are refused, because the file does not hold what it seems to hold."""

from __future__ import annotations

import math
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import xxhash
from h5py import h5d

from psflip.campaign.errors import StudyError, check_there, reading

MARK = b"psflip seal XXH64 "
DIGITS = 16
SEAL_SIZE = len(MARK) + DIGITS + 1
FORMAT_VERSION = 2  # of the files, as in libcore/base/version.hpp
PIECE = 1 << 20  # bytes that are read at a time
PATIENCE = 5  # seconds of the processor for the structure of a file without a seal
COPY = "copy the data into one file"
AGAIN = "copy the file again or make it anew"
SEAL_GONE = f"the file is damaged: the checksum that psflip wrote at its end is missing, cut short or not at the end; {AGAIN} (if it was changed on purpose, remove its root attribute sealed)"


# --- the seal ----------------------------------------------------------------------------------------------------------
def hash_of(descriptor: int, size: int) -> bytes:
    """Returns the XXH64 of the first `size` bytes as text."""
    found = xxhash.xxh64()
    at = 0
    while at < size and (piece := os.pread(descriptor, min(PIECE, size - at), at)):
        found.update(piece)
        at += len(piece)
    return found.hexdigest().encode()


def append_seal(path: Path) -> None:
    with path.open("r+b") as file:
        seal = MARK + hash_of(file.fileno(), os.fstat(file.fileno()).st_size) + b"\n"
        file.seek(0, os.SEEK_END)
        file.write(seal)


def check_seal(path: Path, what: str) -> bool:
    """Returns whether the file has a seal. StudyError if its bytes are not those that were sealed, or if it is no HDF5 file."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise StudyError(f"{path}: this is not {what}: the file is empty; make it anew")
        begin = max(0, size - SEAL_SIZE)
        end = os.pread(file.fileno(), SEAL_SIZE, begin)
        place = end.find(MARK)
        if place > 0:
            raise StudyError(f"{path}: the file is truncated: the checksum at its end is cut short; {AGAIN}")
        if place == 0 and end[len(MARK) : -1] != hash_of(file.fileno(), begin):
            raise StudyError(f"{path}: the file is damaged: its bytes do not have the checksum at its end; {AGAIN}")
        if not h5py.is_hdf5(path):
            raise StudyError(f"{path}: this is not {what}: it is not an HDF5 file; give a file that psflip made, or a file made with h5py")
        return place == 0


# --- the layout --------------------------------------------------------------------------------------------------------
def fault_of_link(name: str, link: object) -> str | None:
    return f"/{name} is a link to another file; {COPY}" if isinstance(link, h5py.ExternalLink) else None


def fault_of_dataset(name: str, node: h5py.HLObject) -> str | None:
    """Returns why the data of a dataset are not in the file; None if they are."""
    if not isinstance(node, h5py.Dataset):
        return None
    dataset, shape = node.id, node.shape
    created = dataset.get_create_plist()
    layout = created.get_layout()
    if layout == h5d.VIRTUAL:
        return f"dataset /{name} is virtual: its data lie in other datasets; {COPY}"
    if created.get_external_count():
        return f"dataset /{name} has its data in other files (external storage); {COPY}"
    if shape is None or 0 in shape:
        return None
    if layout == h5d.CHUNKED:
        chunks = math.prod(-(-extent // chunk) for extent, chunk in zip(shape, created.get_chunk()))
        written = dataset.get_num_chunks()
    else:
        chunks, written = 1, int(layout != h5d.CONTIGUOUS or dataset.get_space_status() == h5d.SPACE_STATUS_ALLOCATED)
    if written == chunks:
        return None
    part = "was never written" if not written else f"has {written} of its {chunks} chunks: the rest was never written"
    return f"dataset /{name} of shape {shape} {part}; write all of its values, or make the file anew"


def fault_of_layout(file: h5py.File) -> str | None:
    return file.visititems_links(fault_of_link) or file.visititems(fault_of_dataset)


# --- files without a seal ----------------------------------------------------------------------------------------------
def read_texts(_: str, node: h5py.HLObject) -> None:
    """Reads the attributes and the text of a group or dataset. HDF5 has no checksum of tables of texts."""
    if isinstance(node, h5py.Datatype):
        return
    for name in node.attrs:
        try:
            node.attrs[name]
        except TypeError:  # NumPy does not have the type
            pass
    if isinstance(node, h5py.Dataset) and h5py.check_string_dtype(node.dtype):
        node[()]


def fault_of(path: Path, what: str) -> str:
    """Returns what is wrong with a file without a seal; empty if nothing is."""
    try:
        with h5py.File(path, locking=False) as file:
            if fault := fault_of_layout(file):
                return fault
            read_texts("/", file)
            file.visititems(read_texts)
            return SEAL_GONE if "sealed" in file.attrs else ""
    except Exception as error:
        return f"this is not {what}, or it is not readable or damaged ({error})"


def examine(path: Path, what: str, answer: int) -> None:
    """Runs in the other process and writes what is wrong into `answer`. The system ends it if it takes too long. It ignores requests to stop, which its parent hears."""
    code = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        seconds = int(used.ru_utime + used.ru_stime) + 1 + PATIENCE
        resource.setrlimit(resource.RLIMIT_CPU, (seconds if hard < 0 else min(seconds, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for output in (1, 2):
            os.dup2(nowhere, output)
        with open(answer, "wb") as stream:
            stream.write(fault_of(path, what).encode(errors="replace"))
        code = 0
    finally:
        os._exit(code)


def trial_read(path: Path, what: str) -> None:
    """StudyError if HDF5 cannot read a file without a seal, or if its layout is refused. It is examined in another process."""
    readable, answer = os.pipe()
    with h5py._hl.base.phil:  # HDF5 is not in the middle of something when it is copied
        process = os.fork()
    if process == 0:
        examine(path, what, answer)
    os.close(answer)
    with open(readable, "rb") as stream:
        text = stream.read().decode()
    status = os.waitpid(process, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGKILL, signal.SIGTERM):
            raise StudyError(f"{path}: the process that examined it was ended by signal {number}")
        raise StudyError(f"{path}: the file is damaged: HDF5 {'does not come to an end with it' if number == signal.SIGXCPU else 'crashes on it'}; {AGAIN}")
    if text or status:
        raise StudyError(f"{path}: {text or 'the process that examined it failed'}")


@contextmanager
def hdf5_file(path: str | Path, what: str) -> Iterator[h5py.File]:
    """Opens a file that has to be `what`, as in "a run as pt-run writes it". StudyError if it is missing, damaged, of another format version, or has its data elsewhere, and if the
    block finds that it is another one."""
    path = Path(path)
    check_there(path)
    with reading(path, what):
        sealed = check_seal(path, what)
        if not sealed:
            trial_read(path, what)
        with h5py.File(path, locking=False) as file:
            if sealed and (fault := fault_of_layout(file)):
                raise StudyError(f"{path}: {fault}")
            check_format(path, file)
            yield file


# --- attributes --------------------------------------------------------------------------------------------------------
def text_of(value: object) -> str:
    """Returns a text as any program writes it: of variable or fixed length, by itself or in an array of one."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    return value.split(b"\0")[0].decode(errors="replace").rstrip(" ") if isinstance(value, bytes) else str(value)


def number_of(value: object) -> Any:
    """Returns a number, also if it is stored as an array of one."""
    return np.asarray(value).item() if np.size(value) == 1 else value


def attribute(file: h5py.File, name: str) -> h5py.h5a.AttrID:
    if name not in file.attrs:
        raise ValueError(f"root attribute {name} is missing")
    return file.attrs.get_id(name)


def text_attribute(file: h5py.File, name: str) -> str:
    """ValueError unless the root attribute is one text, as the programs read it."""
    found = attribute(file, name)
    if not isinstance(found.get_type(), h5py.h5t.TypeStringID) or found.get_space().get_simple_extent_npoints() != 1:
        raise ValueError(f"root attribute {name} has type {found.dtype} instead of text")
    return text_of(file.attrs[name])


def integer_attribute(file: h5py.File, name: str) -> int:
    """ValueError unless the root attribute is one integer, as the programs read it."""
    found = attribute(file, name)
    if not isinstance(found.get_type(), h5py.h5t.TypeIntegerID) or found.get_space().get_simple_extent_npoints() != 1:
        raise ValueError(f"root attribute {name} has type {found.dtype} and shape {found.shape} instead of one integer")
    return int(number_of(file.attrs[name]))


def check_format(path: Path, file: h5py.File) -> None:
    """StudyError if psflip made the file in another format. ValueError if the file does not say in which."""
    if text_of(file.attrs.get("format", "")) == "psflip" and (version := integer_attribute(file, "format_version")) != FORMAT_VERSION:
        raise StudyError(f"{path}: format_version is {version}, but this psflip reads {FORMAT_VERSION}; make the file anew, or use the psflip version that made it")


def check_root(file: h5py.File, kind: str, physics_version: int | None = None) -> None:
    """ValueError unless the programs take the file for one of this kind. `physics_version`: the version of the programs, if it is known."""
    if "format" not in file.attrs or text_attribute(file, "format") != "psflip":
        raise ValueError("root attribute format = psflip is missing or different")
    if (found := text_attribute(file, "kind")) != kind:
        raise ValueError(f"it is a file of kind {found}")
    if physics_version is not None and "physics_version" in file.attrs and (version := integer_attribute(file, "physics_version")) != physics_version:
        raise ValueError(f"physics_version is {version}, but this psflip has {physics_version}; make the file anew, or use the psflip version that made it")
