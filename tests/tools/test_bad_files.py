"""Bad input files and bad places for output: each ends with its exit code and a message that names the file and says what is
wrong, and leaves no output under its final name. The programs are taken from the folder PSFLIP_BIN."""

import os
import pathlib
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from by_hand import changing

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONFIG = """\
seed: 7
lattice: {L: [4, 6]}
disorder: {realizations: 128, batch: 64}
temperatures: {min: 1.0, max: 2.0, count: 4}
multispin: {share: 64}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 20}
run: {sweeps: 80, measure_every: 5, blocks: 4}
"""


def run(folder, program, *arguments, L=4):
    size = [] if program == "reduce-disorder" else ["--L", str(L)]
    command = [str(BIN / program), "--config", "study.yaml", *size, "--threads", "1", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def make_good(folder):
    """One good file of each kind for L = 4."""
    (folder / "study.yaml").write_text(CONFIG)
    steps = [
        ("gen-disorder", "--first", 64, "--out", "disorder.h5"),
        ("gen-disorder", "--first", 0, "--out", "other.h5"),
        ("thermalize", "--disorder", "disorder.h5", "--out", "state.h5"),
        ("pt-run", "--disorder", "disorder.h5", "--state", "state.h5", "--out", "run.h5", "--state-out", "state1.h5"),
        ("measure", "--disorder", "disorder.h5", "--run", "run.h5", "--out", "observables.h5"),
    ]
    for program, *arguments in steps:
        done = run(folder, program, *arguments)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return make_good(tmp_path_factory.mktemp("good"))


@pytest.fixture
def folder(good, tmp_path):
    """A copy of the good files for one test."""
    for file in good.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path


READERS = {
    "disorder.h5": ("thermalize", "--disorder", "disorder.h5", "--out", "out.h5"),
    "state.h5": ("pt-run", "--disorder", "disorder.h5", "--state", "state.h5", "--out", "out.h5"),
    "run.h5": ("measure", "--disorder", "disorder.h5", "--run", "run.h5", "--out", "out.h5"),
    "observables.h5": ("reduce-disorder", "--out", "out.h5", "--csv", "out.csv", "observables.h5"),
}


def refused(folder, program, *arguments, words, code=1, L=4):
    """Runs a program that must fail with `code`, all `words` in its message and nothing written."""
    before = {file.name for file in folder.iterdir()}
    done = run(folder, program, *arguments, L=L)
    assert done.returncode == code, done.stderr
    for word in words:
        assert word in done.stderr
    assert "error" in done.stderr and "HDF5-DIAG" not in done.stderr
    assert {file.name for file in folder.iterdir()} == before


def cut(size):
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def flip_data(dataset, sealed=True):
    """Changes one bit in the first chunk of a dataset."""

    def change(path):
        if not sealed:
            with changing(path):
                pass
        with h5py.File(path) as file:
            chunk = file[dataset].id.get_chunk_info(0)
        data = bytearray(path.read_bytes())
        data[chunk.byte_offset + chunk.size // 2] ^= 4
        path.write_bytes(bytes(data))

    return change


def with_h5py(action):
    def change(path):
        with changing(path) as file:
            action(file)

    return change


def attribute(name, value):
    return with_h5py(lambda file: file.attrs.__setitem__(name, value))


def without(name):
    return with_h5py(lambda file: file.attrs.__delitem__(name) if name in file.attrs else file.__delitem__(name))


def dataset(name, convert):
    def action(file):
        values = convert(file[name][...])
        del file[name]
        file[name] = values

    return with_h5py(action)


def value(name, number):
    def convert(values):
        values = values.astype(np.int64)
        values[3, 2, 1, 0, 3] = number
        return values

    return dataset(name, convert)


def shape_of(name, shape):
    """A dataset of another shape, of which nothing is stored."""

    def action(file):
        del file[name]
        file.create_dataset(name, shape, np.int8, chunks=(1 << 14, *shape[1:]), fillvalue=1)

    return with_h5py(action)


def append(more):
    return lambda path: path.write_bytes(path.read_bytes() + more)


def cut_end(size):
    return lambda path: path.write_bytes(path.read_bytes()[:-size])


def change_without_a_word(path):
    with h5py.File(path, "r+") as file:
        file.attrs["remark"] = "the seal is gone, and who changed it did not say so"


def become_folder(path):
    path.unlink()
    path.mkdir()


# what is wrong, file, how, words of the message
FILES = [
    ("missing", "disorder.h5", lambda path: path.unlink(), ["no such file"]),
    ("empty", "disorder.h5", cut(0), ["the file is empty"]),
    ("a folder", "disorder.h5", become_folder, ["folder"]),
    ("not HDF5", "disorder.h5", lambda path: path.write_text("L,T\n4,1.0\n"), ["not an HDF5 file"]),
    ("truncated", "disorder.h5", cut(3000), ["truncated", "3000 bytes"]),
    ("truncated in the header", "disorder.h5", cut(40), ["disorder.h5"]),
    ("flipped bit", "disorder.h5", flip_data("couplings"), ["damaged", "checksum at its end"]),
    ("flipped bit, no seal", "disorder.h5", flip_data("couplings", sealed=False), ["/couplings is damaged", "fletcher32"]),
    ("another kind", "disorder.h5", lambda path: shutil.copy(path.with_name("state.h5"), path), ['kind "state"', '"disorder"']),
    ("not psflip", "disorder.h5", attribute("format", "other"), ["not a psflip file"]),
    ("no format", "disorder.h5", without("format"), ["not a psflip file", "format"]),
    ("no kind", "disorder.h5", without("kind"), ["attribute kind is missing"]),
    ("version as text", "disorder.h5", attribute("format_version", "1"), ["format_version", "string", "integer"]),
    ("another physics", "disorder.h5", attribute("physics_version", 1), ["physics_version is 1"]),
    ("no first realization", "disorder.h5", without("first_realization"), ["first_realization is missing"]),
    ("misaligned", "disorder.h5", attribute("first_realization", 32), ["is 32", "multiple of 64", "share = 64"]),
    ("negative first", "disorder.h5", attribute("first_realization", -64), ["first_realization = -64", "0 to 16777215"]),
    ("first too large", "disorder.h5", attribute("first_realization", 1 << 24), ["16777215"]),
    ("no couplings", "disorder.h5", without("couplings"), ["/couplings is missing"]),
    ("real couplings", "disorder.h5", dataset("couplings", np.float64), ["float64", "int8"]),
    ("flat couplings", "disorder.h5", dataset("couplings", lambda c: c.reshape(64, 3, 64)), ["(64, 3, 64)", "(R, 3, 4, 4, 4)"]),
    ("two directions", "disorder.h5", dataset("couplings", lambda c: c[:, :2]), ["(64, 2, 4, 4, 4)"]),
    ("no realizations", "disorder.h5", dataset("couplings", lambda c: c[:0]), ["at least one"]),
    ("too many realizations", "disorder.h5", shape_of("couplings", (1 << 40, 3, 4, 4, 4)), ["/couplings has only 0 of its", "never written"]),
    ("strong bond", "disorder.h5", value("couplings", 2), ["holds 2 at [3, 2, 1, 0, 3]", "+1 or -1, or 0 for an absent bond"]),
    ("huge bond", "disorder.h5", value("couplings", 1000), ["/couplings", "do not fit in int8"]),
    ("truncated", "state.h5", cut(4000), ["truncated"]),
    ("flipped bit", "state.h5", flip_data("spins"), ["damaged", "checksum at its end"]),
    ("flipped bit, no seal", "state.h5", flip_data("spins", sealed=False), ["/spins is damaged", "fletcher32"]),
    ("another kind", "state.h5", lambda path: shutil.copy(path.with_name("run.h5"), path), ['kind "run"', '"state"']),
    ("another physics", "state.h5", attribute("physics_version", 1), ["physics_version is 1"]),
    ("other couplings", "state.h5", attribute("couplings_hash", "0123456789abcdef"), ["state.h5", "couplings"]),
    ("no spins", "state.h5", without("spins"), ["/spins is missing"]),
    ("too few spins", "state.h5", dataset("spins", lambda s: s[:, :3]), ["/spins"]),
    ("spins of another type", "state.h5", dataset("spins", np.float64), ["/spins", "float64", "uint64"]),
    ("missing", "run.h5", lambda path: path.unlink(), ["no such file"]),
    ("truncated", "run.h5", cut(9000), ["truncated"]),
    ("flipped bit", "run.h5", flip_data("blocks/energy"), ["damaged", "checksum at its end"]),
    ("flipped bit, no seal", "run.h5", flip_data("blocks/energy", sealed=False), ["/blocks/energy is damaged", "fletcher32"]),
    ("no overlaps", "run.h5", without("blocks/overlap2"), ["/blocks/overlap2", "missing"]),
    ("another kind", "run.h5", lambda path: shutil.copy(path.with_name("state.h5"), path), ['kind "state"', '"run"']),
    ("missing", "observables.h5", lambda path: path.unlink(), ["no such file"]),
    ("missing", "state.h5", lambda path: path.unlink(), ["no such file"]),
    ("truncated", "observables.h5", cut(9000), ["truncated"]),
    ("not HDF5", "observables.h5", lambda path: path.write_bytes(b"PK\x03\x04" * 1000), ["not an HDF5 file"]),
    ("another kind", "observables.h5", lambda path: shutil.copy(path.with_name("run.h5"), path), ['kind "run"']),
    ("no means", "observables.h5", without("mean/q2"), ["mean/q2"]),
]


SEALS = [  # what happens to the end of a file
    (append(b"\0"), ["not at the end"]),
    (append(b"\n" * 600), ["not at the end"]),
    (cut_end(1), ["truncated"]),
    (cut_end(19), ["missing, cut short"]),
    (cut_end(35), ["missing, cut short"]),
    (change_without_a_word, ["missing", "remove its root attribute sealed"]),
]


@pytest.mark.parametrize("file", ["disorder.h5", "state.h5", "run.h5", "observables.h5"])
@pytest.mark.parametrize("change, words", SEALS, ids=["a byte more", "more", "a byte less", "half the seal", "no seal", "changed"])
def test_a_seal_that_is_not_at_the_end(folder, file, change, words):
    change(folder / file)
    refused(folder, *READERS[file], words=[f"{file}: ", *words])


@pytest.mark.parametrize("file, change, words", [case[1:] for case in FILES], ids=[f"{case[1]}: {case[0]}" for case in FILES])
def test_bad_input(folder, file, change, words):
    change(folder / file)
    refused(folder, *READERS[file], words=[file, *words])


@pytest.mark.parametrize("file", READERS)
@pytest.mark.parametrize("version", [0, 1, 3])
def test_other_format_versions_are_refused(folder, file, version):
    attribute("format_version", version)(folder / file)
    remedy = "make the file anew, or use the psflip version that made it"
    refused(folder, *READERS[file], words=[f"{file}: format_version is {version}, but this psflip reads 2; {remedy}"])


def test_disorder_of_another_size(folder):
    refused(folder, *READERS["disorder.h5"], words=["disorder.h5", "L = 4", "L = 6"], L=6)


def test_state_of_another_disorder(folder):
    shutil.copy(folder / "other.h5", folder / "disorder.h5")
    refused(folder, *READERS["state.h5"], words=["state.h5", "disorder"])


@pytest.mark.parametrize("key, setting", [("temperatures", "temperatures.max=2.1"), ("replicas", "replicas=3")])
def test_state_of_another_config(folder, key, setting):
    refused(folder, *READERS["state.h5"], "--set", setting, words=["state.h5", key])


def test_couplings_of_another_seed(folder):
    refused(folder, *READERS["state.h5"], "--set", "seed=8", words=["disorder.h5", "seed"])


def test_first_realization_of_gen_disorder(folder):
    words = ["is 32", "multiple of 64", "use 0 or 64"]
    refused(folder, "gen-disorder", "--first", 32, "--count", 64, "--out", "out.h5", words=words)
    refused(folder, "gen-disorder", "--first", 128, "--out", "out.h5", words=["128", "disorder.realizations"])
    refused(folder, "gen-disorder", "--count", 0, "--out", "out.h5", words=["--count"])
    for count in (128, 2**63 - 1):
        refused(folder, "gen-disorder", "--first", 16777152, "--count", count, "--out", "out.h5", words=["16777215"])


# Programs by what they read; the output is named by the test.
WRITERS = {
    "gen-disorder": ("--first", 64),
    "thermalize": ("--disorder", "disorder.h5"),
    "pt-run": ("--disorder", "disorder.h5", "--state", "state.h5"),
    "measure": ("--disorder", "disorder.h5", "--run", "run.h5"),
    "reduce-disorder": ("--csv", "out.csv", "observables.h5"),
}


@pytest.mark.parametrize("program", WRITERS)
def test_folder_is_missing(folder, program):
    refused(folder, program, *WRITERS[program], "--out", "no/out.h5", code=2, words=["no/out.h5", "folder does not exist"])


@pytest.mark.parametrize("program", WRITERS)
def test_output_is_a_folder(folder, program):
    (folder / "out.h5").mkdir()
    refused(folder, program, *WRITERS[program], "--out", "out.h5", words=["out.h5", "not a regular file"])


def test_path_through_a_file(folder):
    refused(folder, "gen-disorder", "--out", "study.yaml/out.h5", code=2, words=["study.yaml/out.h5", "not a folder"])


@pytest.fixture
def disk(folder):
    """A function that mounts a tmpfs of given options on folder/disk."""
    place = folder / "disk"
    place.mkdir()
    mounted = []

    def mount(options):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip("a tmpfs cannot be mounted here (not root): " + done.stderr.strip())
        mounted.append(place)
        return place

    yield mount
    if mounted:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("program", WRITERS)
def test_read_only(folder, disk, program):
    place = disk("size=1m,ro")
    done = run(folder, program, *WRITERS[program], "--out", "disk/out.h5")
    assert done.returncode == 2, done.stderr
    assert "disk/out.h5" in done.stderr and "read-only" in done.stderr
    assert not any(place.iterdir())


@pytest.mark.parametrize("size", ["4k", "8k", "12k"])
@pytest.mark.parametrize("program", WRITERS)
def test_full_disk(folder, disk, program, size):
    """The existing file of that name stays, the temporary goes."""
    place = disk(f"size={size}")
    old = b"\x89HDF\r\n\x1a\nwhat is left of a file of psflip seal XXH64 0123456789abcdef\n"
    (place / "out.h5").write_bytes(old)
    arguments = ["disk/out.csv" if word == "out.csv" else word for word in WRITERS[program]]
    done = run(folder, program, *arguments, "--out", "disk/out.h5", "--force")
    assert done.returncode == 2, done.stderr
    assert "cannot write disk/out." in done.stderr and "No space left on device" in done.stderr and "disk is full" in done.stderr
    assert [file.name for file in place.iterdir()] == ["out.h5"]
    assert (place / "out.h5").read_bytes() == old


@pytest.mark.parametrize("size", ["60k", "100k"])
def test_disk_fills_in_the_middle(folder, disk, size):
    place = disk(f"size={size}")
    done = run(folder, "gen-disorder", "--first", 0, "--count", 8192, "--out", "disk/out.h5")
    assert done.returncode == 2 and "disk is full" in done.stderr, done.stderr
    arguments = ["--set", "run.snapshots=16", "--set", "thermalize.sweeps=20", "--set", "run.sweeps=80"]
    done = run(folder, *READERS["state.h5"][:-1], "disk/out.h5", "--state-out", "disk/state.h5", *arguments)
    assert done.returncode == 2 and "disk is full" in done.stderr, done.stderr
    assert not any(place.iterdir())


def by_hand(path, couplings, text=str, **options):
    """A disorder file with nothing but what is needed."""
    with h5py.File(path, "w", **options) as file:
        file.attrs["format"] = text("psflip")
        file.attrs["kind"] = text("disorder")
        file.attrs["format_version"] = 2
        file.attrs["first_realization"] = 64
        file["couplings"] = couplings


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64])
@pytest.mark.parametrize("options", [{}, {"libver": "earliest"}, {"libver": ("earliest", "v110")}], ids=["", "earliest", "v110"])
def test_disorder_by_hand(folder, dtype, options):
    with h5py.File(folder / "disorder.h5") as file:
        couplings = file["couplings"][...]
    by_hand(folder / "hand.h5", couplings.astype(dtype), **options)
    for name in ["disorder", "hand"]:
        done = run(folder, "thermalize", "--disorder", f"{name}.h5", "--out", f"from_{name}.h5")
        assert done.returncode == 0, done.stderr
    with h5py.File(folder / "from_disorder.h5") as a, h5py.File(folder / "from_hand.h5") as b:
        assert (a["spins"][...] == b["spins"][...]).all()
        assert a.attrs["couplings_hash"] == b.attrs["couplings_hash"]


def test_disorder_by_hand_with_fixed_length_text(folder):
    couplings = np.random.default_rng(1).choice(np.array([-1, 1]), size=(5, 3, 4, 4, 4))
    by_hand(folder / "disorder.h5", couplings, text=np.bytes_)
    done = run(folder, *READERS["disorder.h5"])
    assert done.returncode == 0, done.stderr


def test_disorder_by_hand_in_a_format_too_new(folder):
    """h5py of another HDF5 version may write what the programs' HDF5 cannot read; they must read it or say so."""
    by_hand(folder / "disorder.h5", np.random.default_rng(1).choice(np.array([-1, 1], np.int8), (64, 3, 4, 4, 4)), libver="latest")
    done = run(folder, *READERS["disorder.h5"])
    assert done.returncode == 0 or (done.returncode == 1 and "newer HDF5" in done.stderr), done.stderr
    assert (folder / "out.h5").exists() == (done.returncode == 0)


def test_gen_disorder_is_independent_of_batches(folder):
    for first, count in [(0, 128), (64, 64)]:
        done = run(folder, "gen-disorder", "--first", first, "--count", count, "--out", f"{first}.h5")
        assert done.returncode == 0, done.stderr
    with h5py.File(folder / "0.h5") as a, h5py.File(folder / "64.h5") as b:
        assert (a["couplings"][64:] == b["couplings"][...]).all()
        assert set(np.unique(a["couplings"])) == {-1, 1}
        assert b.attrs["first_realization"] == 64 and b.attrs["seed"] == 7 and b.attrs["kind"] == "disorder"
        assert "seed: 7" in b["provenance"].attrs["config"]
