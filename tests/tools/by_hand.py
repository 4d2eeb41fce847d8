"""Files of psflip changed on purpose, for tests."""

import contextlib

import h5py


@contextlib.contextmanager
def changing(path, **options):
    """Opens the file for changes and removes the attribute `sealed`, because HDF5 cuts off the seal."""
    with h5py.File(path, "r+", **options) as file:
        file.attrs.pop("sealed", None)
        yield file
