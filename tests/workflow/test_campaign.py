"""Batches, runs and contradictions, planned from the names of the files in a folder."""

import json

import h5py
import pytest
from psflip.campaign import manifest, rounds
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.study import Study, StudyError, validate
from psflip.report import report_audit, report_campaign
from psflip.results.provenance import collect
from conftest import planned, snakemake
from synthetic import write_campaign

STUDY = {"lattice": {"L": [4, 6]}, "run": {"sweeps": 4096, "measure_every": 20, "blocks": 8}}


def campaign(out, physics=2, **sections):
    return Campaign(Study(validate({**STUDY, **sections})), out, physics)


def put(out, batch, *names):
    folder = out / batch.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()


def ranges(batches):
    return [(batch.first, batch.last) for batch in batches]


def test_new_batches_fill_whole_words(tmp_path):
    def cut(**disorder):
        return ranges(campaign(tmp_path, disorder=disorder).batches(4))

    assert cut(realizations=300, batch=128) == [(0, 127), (128, 255), (256, 383)]
    assert cut(realizations=300, batch=256) == [(0, 255), (256, 383)]
    assert cut(realizations=200, batch=200) == [(0, 255)]
    assert campaign(tmp_path).batches(6)[1].folder == "L6/batch0000128-0000255"
    small = campaign(tmp_path, disorder={"realizations": 60, "batch": 32}, multispin={"share": 32})
    assert ranges(small.batches(4)) == [(0, 31), (32, 63)]


@pytest.mark.parametrize("sections", [{"multispin": {"lanes": "sites"}, "lattice": {"L": [64]}, "model": {"dimension": 2}}, {"multispin": {"lanes": "replicas"}},
                                      {"model": {"kind": "heisenberg"}}, {"model": {"couplings": "gaussian"}},
                                      {"model": {"kind": "ferromagnet"}, "dynamics": {"update": "wolff"}}])  # fmt: skip
def test_batches_without_words_of_realizations_are_as_large_as_wanted(tmp_path, sections):
    few = campaign(tmp_path, disorder={"realizations": 2, "batch": 2}, **sections)
    L = few.study.sizes[0]
    assert ranges(few.batches(L)) == [(0, 1)]
    assert ranges(campaign(tmp_path, disorder={"realizations": 70, "batch": 32}, **sections).batches(L)) == [(0, 31), (32, 63), (64, 69)]
    put(tmp_path, Batch(L, 0, 1), "disorder.h5")
    with pytest.raises(StudyError, match="end with realization 1, but a batch must begin at a multiple of 32; set it to 2"):
        campaign(tmp_path, disorder={"realizations": 3, "batch": 3}, **sections).batches(L)


def test_finished_batches_stay_and_gaps_are_filled(tmp_path):
    for first, last in ((0, 127), (512, 639), (1024, 1151)):
        put(tmp_path, Batch(4, first, last), "disorder.h5")
    (tmp_path / Batch(4, 128, 255).folder).mkdir()  # made by a job that was not started
    found = campaign(tmp_path, disorder={"realizations": 1000, "batch": 256})
    assert ranges(found.batches(4)) == [(0, 127), (128, 383), (384, 511), (512, 639), (640, 895), (896, 1023)]
    assert ranges(campaign(tmp_path, disorder={"realizations": 100}).batches(4)) == [(0, 127)]


def test_batches_that_overlap_are_refused(tmp_path):
    put(tmp_path, Batch(4, 0, 255), "disorder.h5")
    put(tmp_path, Batch(4, 128, 255), "state-0.h5")
    with pytest.raises(StudyError, match="L4/batch0000000-0000255 and L4/batch0000128-0000255"):
        campaign(tmp_path).batches(4)


def test_chain_of_runs(tmp_path):
    batch = Batch(4, 0, 127)
    fresh = campaign(tmp_path)
    assert fresh.chain(batch, 4096) == [4096] and fresh.start(batch, 4096) == 0
    assert fresh.chain(batch, 16384) == [4096, 8192, 16384] and fresh.start(batch, 16384) == 8192
    put(tmp_path, batch, "run-2048.h5", "state-2048.h5", "run-4096.h5.checkpoint.h5", "observables-2048.h5")
    assert campaign(tmp_path).chain(batch, 8192) == [2048, 4096, 8192]
    longer = campaign(tmp_path, run={**STUDY["run"], "sweeps": 16384})
    assert longer.chain(batch, 16384) == [2048, 4096, 16384]


def finished(tmp_path, *ends):
    batch = Batch(4, 0, 127)
    put(tmp_path, batch, "disorder.h5", "state-0.h5", *(f"{kind}-{end}.h5" for end in ends for kind in ("run", "state", "observables")))
    manifest.write(campaign(tmp_path))


def refused(tmp_path, **sections):
    with pytest.raises(StudyError) as error:
        manifest.check(campaign(tmp_path, **sections))
    assert "--config out=" in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    "sections, told",
    [
        ({"seed": 5}, "seed: finished files have 20261121, but the study file has 5"),
        ({"model": {"p_ferro": 0.6}}, "model.p_ferro: finished files have 0.5, but the study file has 0.6"),
        ({"temperatures": {"list": [1, 1.5]}}, "temperatures: finished files have 0.8 to 1.8 (20 values), but the study file has [1, 1.5]"),
        ({"replicas": 3}, "replicas: finished files have 2, but the study file has 3"),
        ({"multispin": {"share": 64}}, "multispin.share: finished files have 128, but the study file has 64"),
        ({"dynamics": {"sweeps_per_swap": 5}}, "dynamics.sweeps_per_swap: finished files have 10, but the study file has 5"),
        ({"thermalize": {"sweeps": 100}}, "thermalize.sweeps: finished files have 2048, but the study file has 100"),
        ({"run": {**STUDY["run"], "blocks": 4}}, "run.blocks: finished files have 8, but the study file has 4"),
        ({"run": {**STUDY["run"], "measure_every": 40}}, "run.measure_every: finished files have 20, but the study file has 40"),
        ({"run": {**STUDY["run"], "snapshots": 1}}, "run.snapshots: finished files have 0, but the study file has 1"),
        ({"run": {**STUDY["run"], "histogram_bins": 9}}, "run.histogram_bins: finished files have 50, but the study file has 9"),
        ({"run": {**STUDY["run"], "sweeps": 2048}}, "4096, 8192 sweeps, but the study file has 2048; runs cannot get shorter"),
        ({"run": {**STUDY["run"], "sweeps": 6144}}, "has 6144, which is not a doubling of these; use 4096, 8192, 16384"),
    ],
)
def test_contradictions_are_refused(tmp_path, sections, told):
    finished(tmp_path, 4096, 8192)
    assert told in refused(tmp_path, **sections)


def test_tuned_temperatures_are_recalled(tmp_path):
    finished(tmp_path, 4096)
    assert "ladder=" not in refused(tmp_path, temperatures={"list": [1, 1.5]})
    (tmp_path / "ladder").mkdir()
    assert "ladder=... each time" in refused(tmp_path, temperatures={"list": [1, 1.5]})
    assert "ladder=" not in refused(tmp_path, seed=5)


def test_absent_keys_have_their_default(tmp_path):
    """study.json of a psflip that did not know p_ferro yet."""
    finished(tmp_path, 4096)
    data = json.loads((tmp_path / manifest.NAME).read_text())
    for size in data["sizes"].values():
        del size["disorder"]["model.p_ferro"]
    (tmp_path / manifest.NAME).write_text(json.dumps(data))
    manifest.check(campaign(tmp_path))
    assert "model.p_ferro: finished files have 0.5, but the study file has 0.6" in refused(tmp_path, model={"p_ferro": 0.6})


def test_one_temperature_of_many(tmp_path):
    finished(tmp_path, 4096)
    values = campaign(tmp_path).study.temperatures(4)
    values[7] = 1.111
    assert "; value 8 is 1.0" in refused(tmp_path, temperatures={"list": values})


def test_other_physics_is_refused(tmp_path):
    finished(tmp_path, 4096)
    assert "physics version: finished files have 2, but the programs have 3" in refused(tmp_path, physics=3)


def test_missing_manifest_is_refused(tmp_path):
    finished(tmp_path, 4096)
    (tmp_path / manifest.NAME).unlink()
    assert "study.json is missing" in refused(tmp_path)
    (tmp_path / manifest.NAME).write_text("{")
    with pytest.raises(StudyError, match="restore it"):
        manifest.check(campaign(tmp_path))


@pytest.mark.parametrize(
    "sections",
    [
        {"disorder": {"realizations": 64}},
        {"disorder": {"realizations": 1024, "batch": 256}},
        {"lattice": {"L": [4, 6, 8]}},
        {"lattice": {"L": [6]}, "replicas": 3},  # nothing of L = 6 is finished
        {"run": {**STUDY["run"], "sweeps": 16384}},
        {"equilibration": {"threshold_sigma": 3, "max_doublings": 0}},
    ],
)
def test_what_contradicts_nothing_is_taken(tmp_path, sections):
    finished(tmp_path, 4096, 8192)
    manifest.check(campaign(tmp_path, **sections))


def test_only_stages_with_files_count(tmp_path):
    put(tmp_path, Batch(4, 0, 127), "disorder.h5")
    manifest.write(campaign(tmp_path))
    manifest.check(campaign(tmp_path, replicas=3))
    put(tmp_path, Batch(4, 0, 127), "state-0.h5.checkpoint.h5")
    assert "replicas" in refused(tmp_path, replicas=3)


def test_manifest_keeps_sizes_that_the_study_no_longer_has(tmp_path):
    finished(tmp_path, 4096)
    manifest.write(campaign(tmp_path, lattice={"L": 8}))
    assert list(manifest.read(tmp_path)["sizes"]) == ["4", "8"]
    assert "seed" in refused(tmp_path, seed=1)


def test_the_workflow_refuses_before_anything_runs(tmp_path, study, stand_ins):
    snakemake(tmp_path, "reduce", study=study.file, bin=stand_ins)
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "results").rglob("*") if file.is_file()}
    study(seed=8)
    done = snakemake(tmp_path, "reduce", check=False, study=study.file, bin=stand_ins)
    assert done.returncode != 0 and "seed: finished files have 7, but the study file has 8" in done.stdout + done.stderr
    assert {file: file.stat().st_mtime_ns for file in before} == before


def test_a_folder_tells_its_physics_version(tmp_path):
    (tmp_path / "study.yaml").write_text("lattice: {L: 4}\n")
    with pytest.raises(StudyError, match="study.json is missing"):
        manifest.campaign_of(tmp_path / "study.yaml", tmp_path)
    finished(tmp_path, 4096)
    assert manifest.campaign_of(tmp_path / "study.yaml", tmp_path).physics_version == 2 and manifest.campaign_of(tmp_path / "study.yaml", tmp_path).analysis_version == 1
    assert campaign(tmp_path, physics=3).averaged() != campaign(tmp_path).averaged()


def test_observables_judged_by_other_criteria_are_refused(tmp_path):
    """A clock that went back lets such a file look current."""
    study, batch = campaign(tmp_path, equilibration={"threshold_sigma": 5}), Batch(4, 0, 31)
    file = study.observables(batch, 4096)
    file.parent.mkdir(parents=True)
    with h5py.File(file, "w") as opened:
        opened["equilibration/equilibrated"] = [1, 0, 1]
        opened["equilibration"].attrs.update({"test": "log2", "threshold_sigma": 5.0})
    assert rounds.unequilibrated(file, batch, study) == [1]
    with h5py.File(file, "r+") as opened:
        opened["equilibration"].attrs["threshold_sigma"] = 4.0
    with pytest.raises(StudyError, match=r"observables-4096.h5: this file was made with equilibration.threshold_sigma = 4.0, but the study asks for 5"):
        rounds.unequilibrated(file, batch, study)


def test_hidden_files_are_passed_over(tmp_path):
    """Names that begin with a dot are leftovers of killed writers, or of other programs: they are no files of a batch, and no table, log or list has them."""
    study = write_campaign(tmp_path)
    found = Campaign(study, tmp_path, 2)

    def listed():
        found.forget()
        return collect(tmp_path), found.on_disk(4), report_audit.read(tmp_path), report_campaign.failures(tmp_path)

    before = listed()
    for name in ("L4/batch0000000-0000127/.state-0.h5", "L4/batch0000000-0000127/._run-8192.h5", "L4/batch0000256-0000383/.disorder.h5", "audit/._L4.json", "logs/run/.L4.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("pt-run: error: no")
    assert listed() == before
