"""Files of psflip changed on purpose, for tests."""

import contextlib

import h5py


@contextlib.contextmanager
def changing(path, **options):
    """The file opened for changes, without the attribute that tells of the seal, which HDF5 cuts off."""
    with h5py.File(path, "r+", **options) as file:
        file.attrs.pop("sealed", None)
        yield file
