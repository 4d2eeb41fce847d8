"""The folder of results: what is there and was not made by the workflow stays as it is."""

import os

import pytest
from conftest import snakemake
from test_options import refused

OTHER = "seed: 1\nlattice: {L: [4]}\n"


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".snakemake" not in path.parts}


def stays(folder, **given):
    """What the refusal says; all files are as before."""
    before = content(folder)
    line = refused(snakemake(folder, "reduce", check=False, **given))
    assert content(folder) == before
    return line


@pytest.mark.parametrize("name", ["study.yaml", "results.csv", "report.html", "plan.json", "study.zip", "plots/binder.png", "ladder/L4.yaml", "audit/sample.json"])
def test_a_folder_with_files_of_others_is_refused(tmp_path, study, stand_ins, name):
    file = tmp_path / "proj" / name
    file.parent.mkdir(parents=True)
    file.write_text(OTHER)
    assert f"proj: the workflow would replace {name}, which it did not make" in stays(tmp_path, study=study.file, bin=stand_ins, out="proj")


def test_other_files_are_no_reason(tmp_path, study, stand_ins):
    (tmp_path / "proj").mkdir()
    (tmp_path / "proj/notes.txt").write_text("mine")
    study.file.rename(tmp_path / "proj/tiny.yaml")
    snakemake(tmp_path, "reduce", study="proj/tiny.yaml", bin=stand_ins, out="proj")
    assert (tmp_path / "proj/notes.txt").read_text() == "mine" and (tmp_path / "proj/results.csv").is_file()


def tuned_file(folder, L, temperatures):
    (folder / "ladder").mkdir(parents=True, exist_ok=True)
    (folder / f"ladder/L{L}.yaml").write_text(f"temperatures:\n  list: {temperatures}\n")


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_the_study_file_that_is_given_may_be_the_copy_only_if_it_stays(tmp_path, study, stand_ins, link):
    """Also through links."""
    out = tmp_path / "proj"
    out.mkdir()
    given = out / "study.yaml"
    if link:
        link(study.file, given)
        given = study.file
    else:
        study.file.rename(given)
    before = given.read_bytes()
    snakemake(tmp_path, "ladder", "--until", "ladder_couplings", study=given, bin=stand_ins, out="proj")
    assert (out / "study.yaml").samefile(given) and given.read_bytes() == before
    for L in (4, 6):
        tuned_file(out, L, [0.9, 1.1, 2.0])
    assert "proj/study.yaml is the given study file, whose temperatures would be replaced" in stays(tmp_path, study=given, bin=stand_ins, out="proj", ladder="tuned")
    (tmp_path / "copy.yaml").write_bytes(before)
    snakemake(tmp_path, "reduce", study="copy.yaml", bin=stand_ins, out="proj", ladder="tuned")
    tuned = (out / "study.yaml").read_text()
    assert "# tuned" in tuned
    snakemake(tmp_path, "--dry-run", "reduce", study="proj/study.yaml", bin=stand_ins, out="proj", ladder="tuned")


def test_rounds_that_are_wrong_end_in_a_sentence(tmp_path, study, stand_ins, finished):
    for file in (tmp_path / "results/tiny/rounds").glob("L4-2048-*.json"):
        file.write_text('{"go_on": 7}')
    next((tmp_path / "results/tiny/rounds").glob("averages-*.json")).unlink()
    next((tmp_path / "results/tiny/rounds").glob("L4-final-*.json")).unlink()
    done = snakemake(tmp_path, "reduce", check=False, study=study.file, bin=stand_ins)
    text = done.stdout + done.stderr
    assert done.returncode == 1 and "not a round of psflip (remove it, and it is decided anew)" in text and "Traceback" not in text
