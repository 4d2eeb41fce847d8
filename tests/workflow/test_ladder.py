"""The target `ladder` and campaigns that take tuned temperatures."""

import json

import h5py
import numpy as np
import pytest
import yaml
from psflip.campaign.ladders import text_with_ladder, with_ladder
from psflip.campaign.study import Study, StudyError
from psflip.commands import ladder
from conftest import planned, snakemake


def tuned_file(folder, L, temperatures):
    path = folder / "ladder" / f"L{L}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# a comment\ntemperatures:\n  list: {temperatures}\n")


def test_a_study_with_tuned_ladders(tmp_path, study):
    given = Study.read(study.file)
    assert with_ladder(given, tmp_path, "study") is given
    tuned_file(tmp_path, 4, [0.9, 2.0])
    with pytest.raises(StudyError, match="no tuned ladder for L = 6.*target `ladder`"):
        with_ladder(given, tmp_path, "tuned")
    assert with_ladder(given, tmp_path, "tuned:4").temperatures(6) == [0.9, 2.0]
    tuned_file(tmp_path, 6, [0.9, 1.2, 2.0])
    tuned = with_ladder(given, tmp_path, "tuned")
    assert (tuned.temperatures(4), tuned.temperatures(6)) == ([0.9, 2.0], [0.9, 1.2, 2.0])
    (tmp_path / "ladder" / "L6.yaml").write_text("temperatures: {min: 1}\n")
    with pytest.raises(StudyError, match="L6.yaml: this is not a ladder"):
        with_ladder(given, tmp_path, "tuned")
    with pytest.raises(StudyError, match="known are study, tuned"):
        with_ladder(given, tmp_path, "tund")


BEGIN, END = "seed: 7\nlattice: {L: [4, 6]}\n\n", "\n# about the replicas\nreplicas: 2\n"


@pytest.mark.parametrize(
    "own",
    [
        "temperatures: {min: 0.9, max: 2.0}  # mine\n",
        "temperatures:\n  # a remark\n  4: {list: [0.9,\n   2.0]}\n  6: {min: 0.9, count: 4}\n",
        "temperatures:\n  list:\n  - 0.9\n  - 2.0\n",
    ],
)
def test_only_the_temperatures_of_the_text_change(tmp_path, own):
    tuned = "temperatures:  # tuned, see ladder/\n  4: {list: [0.9, 2]}\n  6: {list: [0.9, 1.2, 2]}\n"
    data = yaml.safe_load(BEGIN + tuned)
    study = Study(data | {"temperatures": {str(L): ladder for L, ladder in data["temperatures"].items()}})
    assert text_with_ladder(BEGIN + own + END, study) == BEGIN + tuned + END
    assert text_with_ladder(BEGIN + END + own, study) == BEGIN + END + tuned
    assert text_with_ladder(BEGIN + END, study) == BEGIN + END + tuned
    assert yaml.safe_load(text_with_ladder("{seed: 7, lattice: {L: [4, 6]}}", study)) == data


def test_plan(tmp_path, study, stand_ins):
    def plan(**options):
        output = snakemake(tmp_path, "ladder", "--dry-run", study=study.file, bin=stand_ins, **options).stdout
        return {name: count for name, count in planned(output).items() if name != "total"}

    whole = {"ladder": 1, "ladder_couplings": 2, "ladder_tuning": 2, "ladder_plot": 2}
    assert plan() == whole
    snakemake(tmp_path, "ladder", "--until", "ladder_tuning", study=study.file, bin=stand_ins)
    plots = {"ladder": 1, "ladder_plot": 2}
    assert plan() == plots
    assert plan(ladder_options="--feedback") == whole
    study(thermalize={"sweeps": 1024}, run={"sweeps": 4096})
    assert plan() == plots
    study(temperatures={"min": 0.8})
    assert plan() == whole
    missing = snakemake(tmp_path / ".", "--dry-run", check=False, study=study.file, bin=stand_ins, out="other", ladder="tuned")
    assert missing.returncode != 0 and "no tuned ladder for L = 4" in missing.stdout + missing.stderr


def test_a_campaign_with_tuned_temperatures(tmp_path, study, programs):
    study(temperatures={"min": 0.9, "max": 2.0, "count": 12, "spacing": "inverse"}, equilibration={"max_doublings": 0})
    options = {"study": study.file, "bin": programs, "backend": "cpu"}
    snakemake(tmp_path, "ladder", **options, ladder_options="--tune-sweeps 1000")
    out = tmp_path / "results" / "tiny"
    ladders = {}
    for L in (4, 6):
        ladders[L] = yaml.safe_load((out / "ladder" / f"L{L}.yaml").read_text())["temperatures"]["list"]
        assert (ladders[L][0], ladders[L][-1]) == (0.9, 2.0) and len(ladders[L]) < 12
        assert (out / "ladder" / f"L{L}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (out / "ladder" / f"L{L}.svg").read_text()
        with h5py.File(out / "ladder" / f"L{L}.h5") as file:
            assert file.attrs["first_realization"] == 2**24 - 128
    snakemake(tmp_path, "reduce", **options, ladder="tuned")
    runs = list(out.glob("L*/batch*/run-*.h5"))
    assert len(runs) == 4
    for file in runs:
        L = int(file.parents[1].name[1:])
        with h5py.File(file) as run:
            np.testing.assert_array_equal(run["temperatures"][...], ladders[L])
            config = yaml.safe_load(run["provenance"].attrs["config"])
        assert config["temperatures"][L]["list"] == ladders[L]
    assert json.loads((out / "study.json").read_text())["sizes"]["6"]["thermalize"]["temperatures"] == ladders[6]
    again = snakemake(tmp_path, "reduce", "--dry-run", **options, ladder="tuned").stdout
    assert planned(again) == {}
    (tmp_path / "copy.yaml").write_text((out / "study.yaml").read_text())
    from_copy = snakemake(tmp_path, "reduce", "--dry-run", **options | {"study": "copy.yaml"}, out="results/tiny").stdout
    assert planned(from_copy) == {}

    without = snakemake(tmp_path, "reduce", check=False, **options)
    assert without.returncode != 0 and "temperatures: finished files have" in without.stdout + without.stderr
    tuned_file(out, 6, [0.9, 1.5, 2.0])
    other = snakemake(tmp_path, "reduce", check=False, **options, ladder="tuned")
    assert other.returncode != 0 and "temperatures: finished files have" in other.stdout + other.stderr


@pytest.mark.parametrize("key, value", [("kind", "heisenberg"), ("couplings", "gaussian")])
def test_vectors_and_real_couplings_have_no_ladder(tmp_path, key, value):
    study_file = tmp_path / "vectors.yaml"
    study_file.write_text(f"model: {{{key}: {value}}}\n")
    with pytest.raises(StudyError, match=f"vectors.yaml: model.{key} = {value}"):
        ladder.main([str(study_file), "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
