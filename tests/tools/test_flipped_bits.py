"""Files of the programs written anew by h5py, without seal and in the oldest and the newest layout of HDF5, with single bits flipped:
the programs end with a message or with a result, never by a signal and never later than a few seconds. (Files with a seal:
tests/unit/run/test_flipped_bits.cpp.) By hand, with more flips: python test_flipped_bits.py FLIPS SEED. The programs are taken from
the folder PSFLIP_BIN."""

import pathlib
import random
import sys
import tempfile

import h5py
import pytest
from test_bad_files import READERS, good, make_good, run  # noqa: F401

LAYOUTS = {"earliest": ("earliest", "v110"), "v110": ("v110", "v110")}
OUTPUTS = ["out.h5", "out.csv"]


def rewrite(source, target, libver):
    """All of a file as h5py stores it when asked for a layout."""
    with h5py.File(source) as old, h5py.File(target, "w", libver=libver) as new:
        new.attrs.update(old.attrs)
        del new.attrs["sealed"]

        def copy(name, item):
            if isinstance(item, h5py.Dataset):
                new.create_dataset(name, data=item[...], chunks=item.chunks, compression=item.compression)
            else:
                new.require_group(name)
            new[name].attrs.update(item.attrs)

        old.visititems(copy)


def flip_some(folder, file, flips, seed):
    """Flips single bits of folder/file one after the other; returns how many were noticed."""
    path = folder / file
    whole = path.read_bytes()
    choose = random.Random(seed)
    noticed = 0
    for i in range(flips):
        # half of them where HDF5 keeps its own things
        bit = choose.randrange(8 * (len(whole) if i % 2 else min(len(whole), 8192)))
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        done = run(folder, *READERS[file])
        many = done.returncode == 2 and "of memory (" in done.stderr  # a shape of more realizations, which is possible
        assert done.returncode in (0, 1) or many, f"bit {bit} of {file}: {done.returncode} {done.stderr}"
        assert done.returncode == 0 or many or file in done.stderr, f"bit {bit}: {done.stderr}"
        noticed += done.returncode != 0
        for output in OUTPUTS:
            (folder / output).unlink(missing_ok=True)
    path.write_bytes(whole)
    return noticed


def sweep(good, folder, layout, file, flips, seed):  # noqa: F811
    for other in good.iterdir():
        (folder / other.name).write_bytes(other.read_bytes())
    rewrite(good / file, folder / file, LAYOUTS[layout])
    assert run(folder, *READERS[file]).returncode == 0
    for output in OUTPUTS:
        (folder / output).unlink(missing_ok=True)
    return flip_some(folder, file, flips, seed)


@pytest.mark.parametrize("file", READERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_flipped_bits_of_a_file_by_h5py(good, tmp_path, layout, file):  # noqa: F811
    assert sweep(good, tmp_path, layout, file, 60, 1) > 5


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        base = pathlib.Path(name, "good")
        base.mkdir()
        make_good(base)
        for layout in LAYOUTS:
            for file in READERS:
                folder = pathlib.Path(name, f"{layout}-{file}")
                folder.mkdir()
                noticed = sweep(base, folder, layout, file, int(sys.argv[1]), int(sys.argv[2]))
                print(f"{layout} {file}: {sys.argv[1]} flips, {noticed} noticed", flush=True)
