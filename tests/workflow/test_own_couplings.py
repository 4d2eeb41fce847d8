"""Campaigns on your own couplings (disorder.source: files): the same averages however files are cut, growth, and refused files."""

import json
from contextlib import contextmanager

import h5py
import numpy as np
import psflip
import pytest
import yaml
from conftest import planned, snakemake
from psflip.analysis.couplings import write_couplings
from psflip.campaign import own_couplings
from psflip.campaign.campaign import Campaign
from psflip.campaign.errors import StudyError
from psflip.campaign.study import Study


def couplings(L, count, positive=0.5, seed=1, dimension=3):
    return np.where(np.random.default_rng([seed, L]).random((count, dimension, *[L] * dimension)) < positive, 1, -1)


@pytest.fixture
def own(study, tmp_path):
    """Writes tiny.yaml with couplings from files, and a folder with 64 realizations of both sizes. The couplings of L = 4 are in two files."""
    study(disorder={"source": "files"})
    folder = tmp_path / "mine"
    folder.mkdir()
    J = couplings(4, 64)
    write_couplings(folder / "a.h5", J[:32])
    write_couplings(folder / "b.h5", J[32:], 32)
    write_couplings(folder / "c.h5", couplings(6, 64))
    return folder


def campaign(study, out):
    return Campaign(Study.read(study.file), out, 2)


def check(study, out, couplings):
    found = own_couplings.check(campaign(study, out), None if couplings is None else str(couplings))
    own_couplings.write_index(out, found)
    return found


def test_what_is_read_once_is_not_read_again(study, own, tmp_path, monkeypatch):
    first = check(study, tmp_path, own)
    assert sum(source.count for source, _ in first.values()) == 128 and all(0.45 < c.positive / c.bonds < 0.55 for _, c in first.values())
    monkeypatch.setattr(own_couplings, "hdf5_file", lambda *_: pytest.fail("opened again"))
    assert check(study, tmp_path, own) == first


def test_batches_do_not_go_beyond_the_files(study, own, tmp_path):
    study(disorder={"realizations": 40, "batch": 32})
    assert [(b.first, b.last) for b in campaign(study, tmp_path).batches(4)] == [(0, 31), (32, 39)]


def remove(own, study):
    (own / "b.h5").unlink()


def several(own, study):
    write_couplings(own / "d.h5", couplings(4, 32, seed=9), 32)


@contextmanager
def changing(path):
    """Opens a file for changes, without the attribute of the seal, because HDF5 cuts the seal off."""
    with h5py.File(path, "r+") as file:
        file.attrs.pop("sealed", None)
        yield file


def alike(own, study):
    with changing(own / "c.h5") as file:
        file["couplings"][40] = file["couplings"][3]


def no_couplings(own, study):
    with changing(own / "c.h5") as file:
        file["couplings"][40, 0, 0, 0, 0] = 7


def another(name, value):
    """Changes a root attribute, or replaces the couplings."""

    def change(own, study):
        with changing(own / "c.h5") as file:
            if name == "couplings":
                del file[name]
                file[name] = value
            else:
                file.attrs[name] = value

    return change


def huge(shape):
    """Couplings of a shape that no memory holds, of which all that HDF5 needs is there: one chunk."""

    def change(own, study):
        with changing(own / "c.h5") as file:
            del file["couplings"]
            file.create_dataset("couplings", shape, np.int8, chunks=(1, 3, 6, 6, 6))[0] = 1

    return change


def torn(own, study):
    data = bytearray((own / "c.h5").read_bytes())
    data[len(data) // 2] ^= 1
    (own / "c.h5").write_bytes(data)


def another_size(own, study):
    study(lattice={"L": [4, 6, 8]})


def plane(own, study):
    write_couplings(own / "d.h5", couplings(4, 32, dimension=2))


def other_file(own, study):
    (own / "d.h5").write_text("no")


def more(own, study):
    study(disorder={"realizations": 96})


@pytest.mark.parametrize("change, words", [
    (remove, ["realization 32 of L = 4 is in no file", "disorder.realizations is 64", "to 32"]), (more, ["realization 64 of L = 4 is in no file"]),
    (several, ["b.h5 (realizations 32 to 63 of L = 4)", "d.h5 (realizations 32 to 63", "first_realization"]), (alike, ["realization 40 of L = 6", "realization 3"]),
    (no_couplings, ["c.h5", "+1, -1, or 0"]), (another_size, ["no couplings of L = 8", "lattice.L", "but only of L = 4, 6;"]),
    (plane, ["d.h5", "2 dimensions", "model.dimension: 3"]), (other_file, ["d.h5", "not a disorder file"]), (torn, ["c.h5", "damaged"]),
    (another("format", "other"), ["c.h5", "format = psflip"]), (another("format_version", 99), ["format_version is 99"]), (another("format_version", "1"), ["instead of one integer"]),
    (another("kind", "state"), ["it is a file of kind state"]), (another("kind", 3), ["kind has type", "instead of text"]), (another("physics_version", 1), ["physics_version is 1"]),
    (another("first_realization", 0.5), ["first_realization has type float64", "instead of one integer"]), (another("first_realization", [0, 32]), ["instead of one integer"]),
    (another("first_realization", -32), ["numbered from 0"]), (another("first_realization", 1 << 24), ["numbered from 0"]), (another("L", 8), ["L = 8 contradicts dataset couplings, which has 6"]),
    (another("realizations", 65), ["realizations = 65 contradicts"]), (another("dimension", 2), ["dimension = 2 contradicts"]), (another("couplings", np.ones((64, 3, 6, 6))), ["c.h5", "equal sides"]),
    (another("couplings", np.ones((64, 3, 6, 6, 6))), ["couplings has type float64 instead of int8"]), (another("couplings", np.ones((64, 3, 6, 6, 6), bool)), ["couplings has type bool"]),
    (huge((1 << 33, 3, 6, 6, 6)), ["was never written"]), (another("couplings", np.ones((64, 3, 2, 2, 2), np.int8)), ["an even L from 4"]),
])  # fmt: skip
def test_wrong_files_are_refused(study, own, tmp_path, change, words):
    change(own, study)
    with pytest.raises(StudyError) as error:
        check(study, tmp_path, own)
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.parametrize("text", [
    lambda text: np.bytes_(text), lambda text: np.array([text.encode()]), lambda text: np.array([text], dtype=object), lambda text: np.bytes_(text + "\0\0"),
    lambda text: np.array([text.encode() + bytes(9)]),
])  # fmt: skip
@pytest.mark.parametrize("number", [np.int32, np.uint64, lambda number: np.array([number], dtype=">i4"), lambda number: np.array([[number]])])
def test_files_as_other_languages_write_them(study, own, tmp_path, text, number):
    """Texts of fixed length, and attributes that are arrays of one, as C, Fortran, MATLAB, Julia and R write them. The programs take them, too."""
    with changing(own / "c.h5") as file:
        for name in ("format", "kind"):
            value = text(str(file.attrs.pop(name)))
            file.attrs.create(name, value, dtype=h5py.string_dtype() if getattr(value, "dtype", None) == object else None)
        for name in ("format_version", "first_realization"):
            file.attrs[name] = number(int(file.attrs.pop(name)))
    assert sum(source.count for source, _ in check(study, tmp_path, own).values()) == 128
    assert psflip.open_file(own / "c.h5").realization.values.tolist() == list(range(64))


def test_texts_of_fortran(study, own, tmp_path):
    """They are filled with blanks."""
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(12)
    kind.set_strpad(h5py.h5t.STR_SPACEPAD)
    with changing(own / "c.h5") as file:
        for name in ("format", "kind"):
            value = np.array(str(file.attrs.pop(name)).ljust(12).encode())
            h5py.h5a.create(file.id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR)).write(value, kind)
    check(study, tmp_path, own)
    assert psflip.open_file(own / "c.h5").sizes["realization"] == 64


def test_hidden_files_are_no_inputs(study, own, tmp_path):
    """As a killed writer, or a file system without names for removed files, leaves them."""
    write_couplings(own / "._c.h5", couplings(6, 64, seed=5))
    (own / ".nfs0001.h5").write_text("no")
    assert sum(source.count for source, _ in check(study, tmp_path, own).values()) == 128


def test_only_what_the_study_takes_is_read(study, own, tmp_path):
    write_couplings(own / "d.h5", couplings(4, 64, seed=9), 64)
    study(disorder={"realizations": 32})
    found = check(study, tmp_path, own)
    assert sorted(len(content.digests) for _, content in found.values()) == [32, 32]
    study(disorder={"realizations": 64})
    assert sorted(len(content.digests) for _, content in check(study, tmp_path, own).values()) == [32, 32, 64]


def test_real_couplings(study, own, tmp_path):
    """For studies with model.couplings: gaussian; those have float64 couplings, or integers."""
    study(model={"couplings": "gaussian"}, multispin={"share": 1}, lattice={"L": [6]})
    assert check(study, tmp_path, own)
    (own / "c.h5").unlink()
    write_couplings(own / "c.h5", np.random.default_rng(3).normal(size=(64, 3, 6, 6, 6)).clip(-8, 8))
    assert check(study, tmp_path, own)
    study(model={"couplings": "discrete"})
    with pytest.raises(StudyError, match="couplings has type float64 instead of int8"):
        check(study, tmp_path / "other", own)


def test_wrong_uses_are_refused(study, own, tmp_path):
    for given, words in ((None, "--couplings FOLDER"), ("nowhere", "couplings=nowhere: no such file"), (study.file, "not a disorder file")):
        with pytest.raises(StudyError, match=words):
            check(study, tmp_path, given)
    study(disorder={"source": "drawn"})
    with pytest.raises(StudyError, match="the study draws its couplings"):
        check(study, tmp_path, own)


def test_copies_without_disorder_may_be_alike(study, own, tmp_path):
    for name, L in (("a.h5", 4), ("b.h5", 4), ("c.h5", 6)):
        (own / name).unlink()
        if name != "b.h5":
            write_couplings(own / name, np.ones((64, 3, L, L, L)))
    check(study, tmp_path, own)


def test_couplings_that_batches_were_made_from_may_not_change(study, own, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    check(study, out, own)
    (own / "b.h5").unlink()
    write_couplings(own / "b.h5", couplings(4, 32, seed=5), 32)
    check(study, out, own)  # nothing was made of them yet
    batch = out / "L4/batch0000032-0000063"
    batch.mkdir(parents=True)
    (batch / "disorder.h5").touch()
    (own / "b.h5").unlink()
    write_couplings(own / "b.h5", couplings(4, 32, seed=6), 32)
    with pytest.raises(StudyError, match="b.h5: realization 32 of L = 4 has other couplings than .*batch0000032-0000063, which was made from this realization"):
        check(study, out, own)


def test_a_campaign(study, own, tmp_path, programs):
    """Plans, runs, audits and extends a campaign. Its averages equal the averages of the programs by hand on the same couplings in one file, and the averages
    of a campaign that had all couplings from the start."""
    study(lattice={"L": [4]}, disorder={"realizations": 32}, equilibration={"test": "none"}, run={"sweeps": 2048})
    given = {"study": study.file, "bin": programs, "backend": "cpu", "out": "out"}
    done = snakemake(tmp_path, "reduce", check=False, **given)
    assert done.returncode == 1 and "--couplings FOLDER" in done.stderr and not (tmp_path / "out/study.json").exists()
    assert planned(snakemake(tmp_path, "reduce", "--dry-run", couplings="mine", **given).stdout)["disorder"] == 1
    snakemake(tmp_path, "reduce", couplings="mine", **given)
    study(disorder={"realizations": 64})
    snakemake(tmp_path, couplings="mine", audit=1, **given)
    with h5py.File(tmp_path / "out/L4/batch0000032-0000063/disorder.h5") as file, h5py.File(own / "b.h5") as mine:
        assert np.array_equal(file["couplings"], mine["couplings"]) and file.attrs["first_realization"] == 32
    one = tmp_path / "one.h5"
    write_couplings(one, couplings(4, 64))
    snakemake(tmp_path, "reduce", **{**given, "out": "other", "couplings": one})
    tables = [(tmp_path / folder / "results.csv").read_text() for folder in ("out", "other")]
    assert tables[0] == tables[1] and list((tmp_path / "out/audit").glob("passed-*"))
    origin = psflip.load(tmp_path / "out").provenance["couplings_origin"].dropna()
    assert len(origin) >= 8 and origin.str.startswith("by hand, ").all() and "% of the couplings are +1" in (tmp_path / "out/report.html").read_text()
    assert json.loads((tmp_path / "out/couplings.json").read_text())["files"][0]["content"]["digests"]
    data = yaml.safe_load(study.file.read_text())
    data["disorder"]["source"] = "drawn"
    study.file.write_text(yaml.safe_dump(data))
    done = snakemake(tmp_path, "reduce", check=False, **given)
    assert done.returncode == 1 and "disorder.source: finished files have files, but the study file has drawn" in done.stderr
