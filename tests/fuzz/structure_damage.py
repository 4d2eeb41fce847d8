"""Changes of HDF5 files that h5py can make, and that programs must survive: see change_file."""

import h5py
import numpy as np

INTEGERS = [0, 1, -1, -5, 2, 3, 31, 33, 64, 65, 10**6, 2**24, 2**31 - 1, 2**31, 2**32, 2**40, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, 1e300, -1e300, float("nan"), float("inf"), float("-inf")]
TEXTS = ["", "psflip", "state", "disorder", "run", "1", "-1", "nan", "x" * 100000, "\x1b[2J", "a\nb", "ä\u202e", "L: 4\n", "seed: 5\nL: 6\n"]
NAMES = ["couplings", "spins", "blocks", "blocks/energy", "provenance", "x", "\x1b[31m", "ä", "."]
DTYPES = ["i1", "u1", "i2", "i4", "u4", "i8", "u8", ">i8", "f2", "f4", "f8", ">f8", "c16", "?", "S8"]


def change_file(path, others, numbers):
    """Changes the file one to three times; returns what was done, in words."""
    done = []
    for _ in range(numbers.choice([1, 1, 1, 2, 3])):
        change = numbers.choice(CHANGES)
        try:
            with h5py.File(path, "r+", locking=False) as file:
                file.attrs.pop("sealed", None)  # or the missing seal would be all that is found
                words = change(file, others, numbers)
        except (OSError, LookupError, ValueError, TypeError, RuntimeError, OverflowError, MemoryError) as error:
            words = f"{change.__name__} not possible: {str(error)[:60]}"  # an earlier change forbids it
        done.append(words)
    if numbers.random() < 0.1:
        done.append(write_anew(path, numbers))
    return done


def datasets(file):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
    return names


def holders(file):
    """Objects with attributes."""
    names = []
    file.visititems(lambda name, item: names.append(name) if len(item.attrs) else None)
    return [file, file, *(file[name] for name in names)]


def values_of(dataset):
    """What huge_shape made is left alone: it would fill the memory of this process."""
    if dataset.size > 10**7:
        raise ValueError("too large to be read")
    return dataset[...]


def number_for(dtype, numbers):
    """An unusual value that the type can hold."""
    if dtype.kind == "f":
        return numbers.choice(REALS + [float(i) for i in INTEGERS])
    bounds = np.iinfo(dtype)
    return min(max(numbers.choice(INTEGERS), bounds.min), bounds.max)


def replace(file, name, values, **options):
    attributes = dict(file[name].attrs)
    del file[name]
    new = file.create_dataset(name, data=values, **options)
    for key, value in attributes.items():
        new.attrs[key] = value


def delete_object(file, _others, numbers):
    names = []
    file.visit(names.append)
    name = numbers.choice(names)
    del file[name]
    return f"without {name}"


def delete_attribute(file, _others, numbers):
    holder = numbers.choice(holders(file))
    key = numbers.choice(sorted(holder.attrs))
    del holder.attrs[key]
    return f"without {holder.name}@{key}"


def change_values(file, _others, numbers):
    name = numbers.choice(datasets(file))
    values = values_of(file[name])
    value = number_for(values.dtype, numbers)
    if numbers.random() < 0.3:
        values[...] = value
    else:
        values.flat[numbers.randrange(values.size)] = value
    replace(file, name, values)
    return f"{name} holds {value}"


def change_type(file, _others, numbers):
    name, dtype = numbers.choice(datasets(file)), numbers.choice(DTYPES)
    with np.errstate(all="ignore"):
        replace(file, name, values_of(file[name]).astype(dtype))
    return f"{name} of type {dtype}"


def change_shape(file, _others, numbers):
    name = numbers.choice(datasets(file))
    values = values_of(file[name])
    shapes = [lambda v: v.reshape(-1), lambda v: v[None], lambda v: v[..., None], lambda v: v.T, lambda v: v[:0], lambda v: v[:1],
              lambda v: v[..., :-1], lambda v: np.concatenate([v, v]), lambda v: np.repeat(v, 2, axis=-1), lambda v: v.flat[0],
              lambda v: h5py.Empty(v.dtype), lambda v: np.roll(v, 1)]
    replace(file, name, numbers.choice(shapes)(values))
    return f"{name} of shape {file[name].shape}"


def huge_shape(file, _others, numbers):
    """A dataset that takes no room in the file and all memory when it is read."""
    name = numbers.choice(datasets(file))
    old = file[name]
    shape, dtype = list(old.shape) or [1], old.dtype
    shape[numbers.randrange(len(shape))] = numbers.choice([2**20, 2**31, 2**33, 2**40, 2**60])
    del file[name]
    file.create_dataset(name, shape=shape, dtype=dtype, chunks=tuple(min(n, 16) for n in shape))
    return f"{name} of shape {shape}"


def change_attribute(file, _others, numbers):
    holder = numbers.choice(holders(file))
    key = numbers.choice(sorted(holder.attrs))
    kind = numbers.randrange(6)
    if kind <= 1:
        value = np.int64(numbers.choice(INTEGERS))
    elif kind == 2:
        value = numbers.choice(REALS)
    elif kind == 3:
        value = numbers.choice(TEXTS)
    elif kind == 4:
        value = numbers.choice([np.bytes_(b"psflip"), np.bytes_(b"\xff\xfe"), np.array([], "i8"), np.array([1, 2]), np.array(["a", "b"], "S1"),
                                h5py.Empty("f8"), h5py.Empty("S1"), np.uint64(2**64 - 1), np.float32(1), True, 1j, [[4]]])
    else:
        old = holder.attrs[key]
        value = numbers.choice(TEXTS) + old + numbers.choice(TEXTS) if isinstance(old, str) else [old]
    holder.attrs[key] = value
    return f"{holder.name}@{key} = {str(value)[:60]!r}"


def add_something(file, _others, numbers):
    groups = ["/"]
    file.visititems(lambda name, item: groups.append(name) if isinstance(item, h5py.Group) else None)
    group, name = file[numbers.choice(groups)], numbers.choice(NAMES) + str(numbers.randrange(3))
    if numbers.random() < 0.5:
        group.attrs[name] = numbers.choice(TEXTS + REALS + [np.int64(i) for i in INTEGERS])
    else:
        group.create_dataset(name, data=numbers.choice(REALS))
    return f"{group.name} with {name}"


def change_link(file, others, numbers):
    """Replaces an object by a link to itself, to nowhere, to another object or to another file."""
    names = []
    file.visit(names.append)
    name, other = numbers.choice(names), numbers.choice(names)
    file.move(name, "moved") if numbers.random() < 0.5 else file.__delitem__(name)
    link = numbers.choice([
        h5py.SoftLink("/" + name), h5py.SoftLink("/nowhere"), h5py.SoftLink("/"), h5py.SoftLink("/moved"), h5py.SoftLink("/" + other),
        h5py.ExternalLink(numbers.choice(others).name, "/" + other), h5py.ExternalLink("nowhere.h5", "/x"),
        h5py.ExternalLink("/dev/zero", "/x"), h5py.ExternalLink("/dev/tty", "/x"), h5py.ExternalLink("", "/" + other),
    ])
    file[name] = link
    return f"{name} is {type(link).__name__} {getattr(link, 'filename', '')} {link.path}"


def hard_cycle(file, _others, numbers):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Group) else None)
    name = numbers.choice(names)
    file[name + "/again"] = file["/"]
    return f"{name}/again is the root"


def other_object(file, _others, numbers):
    """A dataset becomes a group, a group a dataset, or a named type."""
    names = []
    file.visit(names.append)
    name = numbers.choice(names)
    del file[name]
    kind = numbers.randrange(3)
    if kind == 0:
        file.create_group(name)
    elif kind == 1:
        file[name] = numbers.choice(["text", 5, [1.5]])
    else:
        file[name] = np.dtype("i8")
    return f"{name} is a {type(file[name]).__name__}"


def from_another_file(file, others, numbers):
    source = numbers.choice(others)
    if source.name == file.filename.rsplit("/", 1)[-1]:
        return "as it was"
    with h5py.File(source, "r", locking=False) as other:
        name = numbers.choice(datasets(other))
        if name in file:
            del file[name]
        other.copy(name, file, name=name)
    return f"{name} of {source.name}"


def storage(file, _others, numbers):
    """The same values stored in another way, or from outside."""
    name = numbers.choice(datasets(file))
    values = values_of(file[name])
    attempts = [{"chunks": True, "compression": "gzip", "compression_opts": 9}, {"chunks": True, "compression": "lzf"}, {"chunks": True},
                {"maxshape": (None,) * values.ndim, "chunks": True}, {"chunks": True, "scaleoffset": 0}, {"fillvalue": 1, "chunks": True}]
    options = numbers.choice([*attempts, "external", "virtual"])
    if options == "external":
        options = {"external": [(numbers.choice(["raw", "/dev/zero", "/dev/tty", "nowhere/raw"]), 0, values.nbytes)]}
    if options == "virtual":
        layout = h5py.VirtualLayout(values.shape, values.dtype)
        layout[...] = h5py.VirtualSource(numbers.choice(["nowhere.h5", ".", "/dev/zero"]), name, values.shape)
        del file[name]
        file.create_virtual_dataset(name, layout)
        return f"{name} is virtual"
    if "external" in options:
        del file[name]
        file.create_dataset(name, shape=values.shape, dtype=values.dtype, **options)
    else:
        replace(file, name, values, **options)
    return f"{name} stored with {options}"


def write_anew(path, numbers):
    """The whole file as an old or a new version of HDF5 writes it."""
    version = numbers.choice(["earliest", "v108", "v110", "latest"])
    with h5py.File(path, "r", locking=False) as old:
        contents = list(old)
        with h5py.File(path.with_suffix(".new"), "w", libver=("earliest", "latest") if version == "earliest" else (version, "latest"),
                       userblock_size=numbers.choice([0, 0, 512]), track_order=numbers.random() < 0.3) as new:
            for key, value in old.attrs.items():
                new.attrs[key] = value
            for name in contents:
                try:
                    old.copy(name, new, name=name)
                except (OSError, RuntimeError, KeyError):
                    continue  # a link to nowhere
    path.with_suffix(".new").rename(path)
    return f"written anew as {version}"


CHANGES = [delete_object, delete_attribute, change_values, change_values, change_values, change_type, change_shape, huge_shape,
           change_attribute, change_attribute, change_attribute, add_something, change_link, hard_cycle, other_object,
           from_another_file, storage]
