"""Files whose values are not in them: virtual datasets, external storage, links into other files, parts that were never written, filters that
are not here. HDF5 gives zeros for most of them; programs refuse them with the remedy. The programs are taken from the folder PSFLIP_BIN."""

import h5py
import numpy as np
import pytest
from by_hand import changing
from test_bad_files import READERS, folder, good, run  # noqa: F401

COUPLINGS = np.random.default_rng(1).choice(np.array([-1, 1], np.int8), size=(64, 3, 4, 4, 4))


def source(path):
    with h5py.File(path.parent / "source.h5", "w") as file:
        file["couplings"] = COUPLINGS
    return path.parent / "source.h5"


def virtual(file, path):
    layout = h5py.VirtualLayout(COUPLINGS.shape, np.int8)
    layout[:] = h5py.VirtualSource(source(path), "couplings", COUPLINGS.shape)
    file.create_virtual_dataset("couplings", layout)


def half_virtual(file, path):
    file["here"] = COUPLINGS[:32]
    layout = h5py.VirtualLayout(COUPLINGS.shape, np.int8)
    layout[:32] = h5py.VirtualSource(".", "here", (32, 3, 4, 4, 4))
    layout[32:] = h5py.VirtualSource(source(path), "couplings", COUPLINGS.shape)[32:]
    file.create_virtual_dataset("couplings", layout)


def virtual_of_itself(file, path):
    layout = h5py.VirtualLayout(COUPLINGS.shape, np.int8)
    layout[:] = h5py.VirtualSource(".", "couplings", COUPLINGS.shape)
    file.create_virtual_dataset("couplings", layout)


def external(file, path):
    COUPLINGS.tofile(path.parent / "couplings.raw")
    file.create_dataset("couplings", COUPLINGS.shape, np.int8, external=[(str(path.parent / "couplings.raw"), 0, COUPLINGS.nbytes)])


def link(file, path):
    file["couplings"] = h5py.ExternalLink(str(source(path)), "/couplings")


def link_to_itself(file, path):
    file["couplings"] = h5py.ExternalLink(str(path), "/couplings")


def soft_link_to_a_link(file, path):
    file["elsewhere"] = h5py.ExternalLink(str(source(path)), "/couplings")
    file["couplings"] = h5py.SoftLink("/elsewhere")


def missing_chunks(file, path):
    dataset = file.create_dataset("couplings", COUPLINGS.shape, np.int8, chunks=(16, 3, 4, 4, 4))
    dataset[:32] = COUPLINGS[:32]


def missing_chunk_at_the_edge(file, path):
    dataset = file.create_dataset("couplings", COUPLINGS.shape, np.int8, chunks=(60, 3, 4, 4, 3), compression="gzip")
    dataset[:, :, :, :, :3] = COUPLINGS[:, :, :, :, :3]


def never_written(file, path):
    file.create_dataset("couplings", COUPLINGS.shape, np.int8)


def never_written_with_fill_value(file, path):
    file.create_dataset("couplings", COUPLINGS.shape, np.int8, fillvalue=1)


def other_filter(file, path):
    file.create_dataset("couplings", data=COUPLINGS, compression="lzf")


CASES = [
    (virtual, ["is virtual", "copy them into this one"]),
    (half_virtual, ["is virtual"]),
    (virtual_of_itself, ["is virtual"]),
    (external, ["another file (external storage)", "copy them into this one"]),
    (link, ["/couplings is a link into another file", "copy what it names"]),
    (link_to_itself, ["/couplings is a link into another file"]),
    (soft_link_to_a_link, ["couplings"]),
    (missing_chunks, ["has only 2 of its 4 chunks", "never written"]),
    (missing_chunk_at_the_edge, ["has only 2 of its 4 chunks", "never written"]),
    (never_written, ["has 0 of its 12288 bytes", "never written"]),
    (never_written_with_fill_value, ["never written"]),
    (other_filter, ["'lzf'", "h5repack"]),
]


@pytest.mark.parametrize("make, told", CASES, ids=[case[0].__name__ for case in CASES])
def test_couplings_that_are_not_in_the_file(folder, make, told):  # noqa: F811
    path = folder / "disorder.h5"
    path.unlink()
    with h5py.File(path, "w", libver=("earliest", "v110")) as file:  # the programs' HDF5 reads these
        file.attrs.update(format="psflip", kind="disorder", format_version=2, first_realization=64)
        make(file, path)
    done = run(folder, *READERS["disorder.h5"])
    assert done.returncode == 1 and "disorder.h5: " in done.stderr, done.stderr
    for words in told:
        assert words in done.stderr
    assert not (folder / "out.h5").exists()


@pytest.mark.parametrize("file, dataset", [("state.h5", "spins"), ("run.h5", "blocks/energy"), ("observables.h5", "temperatures")])
def test_other_files_whose_values_are_elsewhere(folder, file, dataset):  # noqa: F811
    """A dataset of each kind of file, replaced by a virtual one and by one that was never written."""
    for replace in ("virtual", "unwritten"):
        (folder / "out.h5").unlink(missing_ok=True)
        with changing(folder / file) as opened:
            shape, dtype = opened[dataset].shape, opened[dataset].dtype
            del opened[dataset]
            if replace == "virtual":
                with h5py.File(folder / "source.h5", "w") as other:
                    other["x"] = np.zeros(shape, dtype)
                layout = h5py.VirtualLayout(shape, dtype)
                layout[...] = h5py.VirtualSource(str(folder / "source.h5"), "x", shape)
                opened.create_virtual_dataset(dataset, layout)
            else:
                opened.create_dataset(dataset, shape, dtype)
        done = run(folder, *READERS[file])
        assert done.returncode == 1 and f"{file}: dataset " in done.stderr, done.stderr
        assert ("is virtual" if replace == "virtual" else "never written") in done.stderr
