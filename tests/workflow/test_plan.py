"""The plan of a campaign: jobs as Snakemake finds them, flips as the programs count them, times from measured rates."""

import json
import os
import re
import subprocess

import h5py
import pytest
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.study import Study, validate
from conftest import PROGRAMS, ROOT, TOOLS, planned, snakemake
from psflip.plan import planning
from psflip.plan.estimate import START, Estimate
from psflip.plan.rates import OTHER_MODEL, Rates, timed_as
from psflip.results import provenance
from psflip.results.used import hours, used_by

STUDY = {
    "lattice": {"L": [4, 6]},
    "disorder": {"realizations": 64, "batch": 32},
    "temperatures": {"count": 6},
    "multispin": {"share": 32},
    "thermalize": {"sweeps": 500},
    "run": {"sweeps": 2048, "measure_every": 20, "blocks": 8},
    "equilibration": {"max_doublings": 2},
}


def campaign(out, **sections):
    return Campaign(Study(validate({**STUDY, **sections})), out, 2)


def plan_of(out, gpu=False, file=None, threads=1, **sections):
    found = campaign(out, **sections)
    return planning.make_plan(Estimate(found, Rates(found, gpu, file), threads))


def put_run(out, L, batch, end, flips, seconds, backend="cpu avx2, 2 threads"):
    folder = out / Batch.of(L, batch).folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("disorder.h5", "state-0.h5", f"state-{end}.h5"):
        (folder / name).touch()
    with h5py.File(folder / f"run-{end}.h5", "w") as file:
        file.create_group("provenance").attrs.update(flips=flips, wall_seconds=seconds, backend=backend)


def test_flips_and_jobs(tmp_path):
    plan = plan_of(tmp_path)
    spins = (4**3 + 6**3) * 2 * 6 * 64  # sites, replicas, temperatures, realizations
    assert plan["whole"]["least"]["flips"] == spins * (500 + 2048)
    assert plan["whole"]["most"]["flips"] == spins * (500 + 4 * 2048)
    assert plan["whole"]["least"]["jobs"]["run"] == 4 and plan["whole"]["most"]["jobs"]["measure"] == 12
    assert plan["missing"] == plan["whole"]
    assert plan["whole"]["most"]["core_hours"] > plan["whole"]["least"]["core_hours"] > 0 == plan["whole"]["most"]["gpu_hours"]
    assert plan_of(tmp_path, gpu=True)["whole"]["least"]["gpu_hours"] > 0


def test_flips_and_bonds_of_two_dimensions(tmp_path):
    square = {"model": {"kind": "ferromagnet", "dimension": 2}, "multispin": {"share": 1}}
    plan, found = plan_of(tmp_path, **square), campaign(tmp_path, **square)
    assert plan["whole"]["least"]["flips"] == (4**2 + 6**2) * 2 * 6 * 64 * (500 + 2048)
    square, cubic = (Estimate(c, Rates(c, False)).disorder(6, 32) for c in (found, campaign(tmp_path)))
    assert (cubic.seconds - START) / (square.seconds - START) == pytest.approx(3 * 6**3 / (2 * 6**2))


def test_relaxations_where_there_are_any(tmp_path):
    assert plan_of(tmp_path)["relaxations"] == {}
    plan = plan_of(tmp_path, relax={"last": 1000, "waiting": [0, 100]})
    assert {L: of["flips"] for L, of in plan["relaxations"].items()} == {str(L): L**3 * 2 * 6 * 64 * 1000 for L in (4, 6)}
    longer = plan_of(tmp_path, relax={"last": 4000000, "waiting": [0, 100]})["relaxations"]["6"]
    assert longer["hours"] > 100 * plan["relaxations"]["6"]["hours"] and longer["disk_bytes"] > plan["relaxations"]["6"]["disk_bytes"]
    assert any("snakemake relaxation" in line for line in planning.as_text(plan)) and plan["whole"] == plan_of(tmp_path)["whole"]


def test_the_file_of_a_relaxation(programs, tmp_path):
    """What relax writes has about the size that was planned."""
    sections = {"relax": {"last": 2000, "waiting": [0, 64]}}
    found = campaign(tmp_path, **sections)
    (tmp_path / "study.yaml").write_text(json.dumps({**STUDY, **sections}))
    for name, *arguments in (("gen-disorder", "--first", 0, "--count", 32, "--out", "d.h5"), ("relax", "--disorder", "d.h5", "--out", "r.h5", "--state-out", "s.h5")):
        call = [PROGRAMS / name, "--config", "study.yaml", "--L", 6, *arguments, *(["--backend", "cpu"] if name == "relax" else [])]
        subprocess.run([str(word) for word in call], cwd=tmp_path, check=True, capture_output=True)
    size = sum((tmp_path / name).stat().st_size for name in ("r.h5", "s.h5"))
    assert 0.5 * size < Estimate(found, Rates(found, False)).relax(6, 32).disk < 2 * size


TIMING = {"series": "list", "backend": "cpu", "L": 6, "share": 32, "replicas": 2, "temperatures": 6, "columns": 1, "threads": 1, "production": True}
TIMING |= {"kernel": "auto", "ps_per_flip": 7.0, "spread": 0, "commit": "", "date": "", "device": "cpu avx2, 1 thread, X"}


def test_rates_are_those_of_the_model(tmp_path):
    """Of files with several models; else those of the glass of three dimensions, with more room and by that name."""
    file = tmp_path / "bench.json"
    file.write_text(json.dumps([TIMING, TIMING | {"model": "heatbath3d", "ps_per_flip": 20.0}]))

    def rate(**sections):
        return Rates(campaign(tmp_path, **sections), False, file).rate(6)

    glass, heat_bath, square = rate(), rate(dynamics={"update": "heat-bath"}), rate(model={"dimension": 2})
    assert (glass.ps, glass.source) == (7.0, "bench.json, L = 6") and (heat_bath.ps, heat_bath.source, heat_bath.safety) == (20.0, glass.source, glass.safety)
    assert (square.ps, square.source) == (7.0, "bench.json, L = 6, model ea3d") and square.safety == OTHER_MODEL * glass.safety


def test_vectors_have_rates_of_their_own(tmp_path):
    """Not those of bits, which take a hundredth of the time."""

    def rate(gpu=False, **dynamics):
        return Rates(campaign(tmp_path, model={"kind": "heisenberg"}, multispin={"share": 1}, dynamics=dynamics), gpu).rate(6)

    once = rate(update="heat-bath", sweeps_per_swap=10)
    assert Rates(campaign(tmp_path, model={"couplings": "gaussian"}, multispin={"share": 1}), False).rate(6).ps == pytest.approx(3130)
    assert 1000 < once.ps < 10000 and 10 < rate(gpu=True).ps < 100 and "ea3d" not in once.source
    assert rate(update="heat-bath", sweeps_per_swap=10, precision="double").ps == 2 * once.ps
    assert rate(update="heat-bath", sweeps_per_swap=10, over_relaxation=4).ps == pytest.approx(once.ps + 4 * 1100)


@pytest.mark.parametrize(
    "sections, told",
    [
        ({}, True),
        ({"multispin": {"share": 1, "lanes": "replicas"}}, True),
        ({"multispin": {"share": 1, "lanes": "sites"}, "lattice": {"L": [64]}}, False),
        ({"model": {"kind": "heisenberg"}, "multispin": {"share": 1}}, False),
        ({"model": {"couplings": "gaussian"}, "multispin": {"share": 1}}, False),
    ],
)
def test_codings_are_told_where_there_is_a_choice(tmp_path, sections, told):
    text = "\n".join(planning.as_text(plan_of(tmp_path, **sections)))
    assert ("lanes: replicas" in text) == told


@pytest.mark.parametrize(
    "sections, name",
    [
        ({}, "ea3d"),
        ({"model": {"dimension": 2}}, "ea2d"),
        ({"model": {"kind": "ferromagnet"}}, "ferromagnet3d"),
        ({"model": {"boundary": "open"}}, "diluted3d"),
        ({"model": {"p_absent": 0.4, "field": 0.5}}, "diluted-field3d"),
        ({"model": {"kind": "ferromagnet", "dimension": 2, "field": -1}}, "field2d"),
        ({"dynamics": {"update": "heat-bath"}}, "heatbath3d"),
    ],
)
def test_models_as_bench_flip_names_them(tmp_path, sections, name):
    assert timed_as(campaign(tmp_path, **sections).study.data) == name


def test_only_what_is_missing(tmp_path):
    put_run(tmp_path, 4, "0000000-0000031", 2048, 1.0, 1.0)
    plan = plan_of(tmp_path)
    assert {rule: plan["missing"]["least"]["jobs"][rule] for rule in ("disorder", "run", "measure")} == {"disorder": 3, "run": 3, "measure": 4}
    assert plan["missing"]["most"]["jobs"]["run"] == 11


def test_decided_rounds_count_as_decided(tmp_path):
    found = campaign(tmp_path)
    for L, names in ((4, []), (6, ["0000032-0000063"])):
        file = found.round_file(L, 2048)
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"go_on": names}))
    plan = plan_of(tmp_path)
    assert plan["whole"]["least"]["jobs"]["run"] == 5 and plan["whole"]["most"]["jobs"]["run"] == 6


def test_rates_come_from_the_campaign_first(tmp_path):
    def rate(L, gpu=False, file=None):
        return Rates(campaign(tmp_path), gpu, file).rate(L)

    builtin = rate(4)
    assert "timings of" in builtin.source and 5 < builtin.ps < 100
    assert "NVIDIA" in rate(4, gpu=True).source
    timings = [{"series": "list", "backend": "cpu", "L": 6, "share": 32, "replicas": 2, "temperatures": 6, "columns": 1, "threads": 2, "production": True}]
    timings[0] |= {"kernel": "auto", "ps_per_flip": 7.0, "spread": 0, "commit": "", "date": "", "device": "cpu avx2, 2 threads, X"}
    (tmp_path / "bench.json").write_text(json.dumps(timings))
    measured = rate(4, file=tmp_path / "bench.json")
    assert measured.ps == 14.0 and measured.source == "bench.json, L = 6"
    put_run(tmp_path, 6, "0000000-0000031", 2048, 1e12, 10.0)  # 10 s of 2 threads, on words of 128 with 32 realizations
    put_run(tmp_path, 6, "0000032-0000063", 2048, 1e12, 30.0)
    own = rate(6, file=tmp_path / "bench.json")
    assert own.ps == pytest.approx(40.0 / 4) and own.source == "this campaign, L = 6"
    assert rate(4, file=tmp_path / "bench.json").ps == pytest.approx(40.0 / 4)  # one timing for both sizes: no difference between them
    assert "timings of" in rate(4, gpu=True).source, "a campaign on CPUs tells nothing of GPUs"
    put_run(tmp_path, 4, "0000000-0000031", 2048, 1e12, 20.0, "cuda NVIDIA H200, resident kernel (7 temperatures and 512 threads per block)")
    assert rate(4, gpu=True).ps == pytest.approx(20.0 / 4), "threads of a block are no cores"


def test_time_follows_the_rate(tmp_path):
    put_run(tmp_path, 4, "0000000-0000127", 2048, 1e12, 1000.0, "cpu avx2, 1 thread")
    found = campaign(tmp_path)
    one, two = (Estimate(found, Rates(found, False), threads).run(4, 128, 0, 2**20) for threads in (1, 2))
    assert one.flips == 2**20 * 64 * 2 * 6 * 128
    assert one.seconds == pytest.approx(one.flips * 1e-9, rel=0.05)
    assert two.seconds == pytest.approx(one.seconds / 2, rel=0.05)
    assert one.safe > one.seconds
    part = Estimate(found, Rates(found, False)).run(4, 32, 0, 2**20)
    assert part.flips == one.flips / 4 and part.seconds == pytest.approx(one.seconds, rel=0.05)  # a word that is not full takes as long


def test_jobs_are_those_of_snakemake(tmp_path, study, stand_ins):
    options = {"study": study.file, "bin": stand_ins}
    snakemake(tmp_path, "results/tiny/L4/batch0000000-0000031/observables-2048.h5", **options)
    jobs = planned(snakemake(tmp_path, "--dry-run", **options).stdout)
    missing = Campaign(Study.read(study.file), tmp_path / "results/tiny", 1)
    missing = planning.make_plan(Estimate(missing, Rates(missing, False)))["missing"]["least"]["jobs"]
    assert missing == {rule: jobs[rule] for rule in missing} and missing["run"] == 3


def test_command(tmp_path):
    if not all((PROGRAMS / name).is_file() for name in TOOLS):
        pytest.skip(f"programs not in {PROGRAMS}; set PSFLIP_BIN")
    command = [ROOT / "workflows/plan", ROOT / "configs/ea3d.yaml", "--bin", PROGRAMS, "--backend", "cuda", "--json", tmp_path / "plan.json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    whole = json.loads((tmp_path / "plan.json").read_text())["whole"]["least"]
    assert whole["flips"] == pytest.approx(9.27e15, rel=0.01)
    assert "GPU hours" in done.stdout and f"{whole['flips']:.3g}" in done.stdout and not (tmp_path / "results").exists()
    (tmp_path / "wrong.yaml").write_text("sed: 3\n")
    done = subprocess.run([*command[:1], tmp_path / "wrong.yaml", *command[2:]], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "sed" in done.stderr


def test_the_head_of_ea3d_tells_what_the_plan_tells(tmp_path):
    text = (ROOT / "configs/ea3d.yaml").read_text()
    minutes = float(re.search(r"about (\d+) GPU minutes on an\n# NVIDIA H200", text)[1])
    cores, flips = float(re.search(r"or (\d+) core hours", text)[1]), float(re.search(r"(\S+) proposed spin flips", text)[1])
    found = Campaign(Study.read(ROOT / "configs/ea3d.yaml"), tmp_path, 2)
    gpu, cpu = (planning.make_plan(Estimate(found, Rates(found, on_gpu)))["whole"]["least"] for on_gpu in (True, False))
    assert minutes == pytest.approx(60 * gpu["gpu_hours"], rel=0.2)
    assert cores == pytest.approx(cpu["core_hours"], rel=0.2)
    assert flips == pytest.approx(gpu["flips"], rel=0.02)


def test_planned_is_what_is_used(tmp_path, study, programs):
    """Of a real campaign, with the times of flips that it had: the jobs of each size, with their start, as the report counts them."""
    study(run={"sweeps": 65536, "measure_every": 100, "blocks": 8}, equilibration={"max_doublings": 0}, lattice={"L": [6, 8]}, thermalize={"sweeps": 16384})
    snakemake(tmp_path, "reduce", study=study.file, bin=programs, backend="cpu")
    out = tmp_path / "results/tiny"
    found = Campaign(Study.read(study.file), out, 2)
    planned = planning.make_plan(Estimate(found, Rates(found, False)))["sizes"]["least"]
    used = used_by(provenance.collect(out), out)
    for L in found.study.sizes:
        assert {program for size, program in used if size == L} == {"gen-disorder", "thermalize", "pt-run", "measure"}
        spent = hours({key: part for key, part in used.items() if key[0] == L}, False)["core_hours"]
        assert planned[str(L)]["core_hours"] == pytest.approx(spent, rel=0.2), L


SQUARE = {"model": {"kind": "ferromagnet", "dimension": 2}, "multispin": {"share": 1}}
SITES = {**SQUARE, "multispin": {"share": 1, "lanes": "sites"}, "temperatures": {"min": 2.4, "max": 3.0, "count": 6}}
GLASS_OF_SITES = {"model": {"dimension": 2}, "multispin": {"share": 1, "lanes": "sites"}}


@pytest.mark.parametrize(
    "L, count, start, end, changes",
    [(4, 32, 0, 2048, {}), (6, 128, 0, 4096, {}), (6, 32, 4096, 8192, {}), (12, 128, 0, 4096, SQUARE), (6, 64, 0, 4096, {"run": {"magnetisation": "always"}}), (1024, 2, 0, 512, SITES), (512, 1, 0, 512, GLASS_OF_SITES)],
)
def test_sizes_of_files(programs, tmp_path, L, count, start, end, changes):
    """Disk space and memory of real jobs are not far from, memory not above what is asked for."""
    sections = {**changes, "lattice": {"L": [L, 16 if L < 64 else 64]}, "run": {**STUDY["run"], **changes.get("run", {}), "sweeps": end}, "thermalize": {"sweeps": 20}}
    (tmp_path / "study.yaml").write_text(json.dumps({**STUDY, **sections}))
    found = campaign(tmp_path, **sections)
    estimate = Estimate(found, Rates(found, False))

    def job(name, *arguments):
        """Runs a program and tells the megabytes of memory that it took."""
        command = [PROGRAMS / name, "--config", "study.yaml", "--L", str(L), *map(str, arguments)]
        running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        assert running.returncode == 0
        return usage.ru_maxrss * 1.024e-3

    def close(cost, memory, *files):
        size = sum((tmp_path / file).stat().st_size for file in files)
        assert memory < 500 + 1.5 * cost.memory_mb
        assert 0.4 * size < cost.disk < 2.5 * size + 100e3, (cost.disk, size)

    common = ("--disorder", "d.h5", "--backend", "cpu")
    close(estimate.disorder(L, count), job("gen-disorder", "--first", 0, "--count", count, "--out", "d.h5"), "d.h5")
    close(estimate.thermalize(L, count), job("thermalize", *common, "--out", "state-0.h5"), "state-0.h5")
    if start:
        job("pt-run", *common, "--state", "state-0.h5", "--until", start, "--out", "run-first.h5", "--state-out", f"state-{start}.h5")
    memory = job("pt-run", *common, "--state", f"state-{start}.h5", "--until", end, "--out", "run.h5", "--state-out", "state.h5")
    close(estimate.run(L, count, start, end), memory, "run.h5", "state.h5")
    runs = ["run-first.h5", "run.h5"] if start else ["run.h5"]
    close(estimate.measure(L, count, end), job("measure", "--disorder", "d.h5", "--run", *runs, "--out", "o.h5"), "o.h5")
