"""Programs write the same data on a GPU and on the CPU: thermalize, pt-run and measure, for every share, and if a run stops on
one backend and resumes on the other. Skipped without a GPU that works."""

import ctypes
import json
import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "physics"))
from physics_runs import BIN, need_gpu

CONFIG = """\
seed: 77
lattice: {{L: {L}}}
disorder: {{realizations: 256, batch: 256}}
temperatures: {{min: 0.7, max: 1.9, count: 9}}
replicas: 3
multispin: {{share: {share}}}
thermalize: {{sweeps: 205}}
run: {{sweeps: {sweeps}, measure_every: 40, blocks: 4, snapshots: 4}}
checkpoint: {{every_seconds: 0}}
"""


def program(folder, name, *arguments, code=0):
    command = [str(a) for a in [BIN / name, "--config", "study.yaml", *arguments]]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert result.returncode == code, result.stderr
    return result


@pytest.fixture(scope="module", autouse=True)
def gpu():
    need_gpu()


def write_study(folder, L, share, sweeps=960):
    (folder / "study.yaml").write_text(CONFIG.format(L=L, share=share, sweeps=sweeps))


def datasets(path):
    """Returns every dataset outside /provenance."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return {name: value for name, value in found.items() if not name.startswith("provenance")}


def assert_same(first, second):
    a, b = datasets(first), datasets(second)
    assert a.keys() == b.keys() and a
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def simulate(folder, backend):
    common = ["--disorder", "disorder.h5", "--backend", backend]
    program(folder, "thermalize", *common, "--out", f"state_{backend}.h5")
    program(folder, "pt-run", *common, "--state", f"state_{backend}.h5", "--out", f"run_{backend}.h5", "--state-out", f"end_{backend}.h5")


@pytest.mark.parametrize("L,share", [(4, 1), (6, 32), (8, 64), (8, 128), (26, 128)])
def test_same_files(tmp_path, L, share):
    write_study(tmp_path, L, share)
    program(tmp_path, "gen-disorder", "--first", 128, "--count", 72, "--out", "disorder.h5")
    for backend in ("cpu", "cuda"):
        simulate(tmp_path, backend)
    for kind in ("state", "run", "end"):
        assert_same(tmp_path / f"{kind}_cpu.h5", tmp_path / f"{kind}_cuda.h5")
    for backend in ("cpu", "cuda"):
        program(tmp_path, "measure", "--disorder", "disorder.h5", "--run", "run_cuda.h5", "--out", f"observables_{backend}.h5",
                "--from-snapshots", "--backend", backend)
    assert_same(tmp_path / "observables_cpu.h5", tmp_path / "observables_cuda.h5")


def first_device():
    """Returns the number, among all GPUs, of the first GPU that programs see."""
    return int(os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0])


def energy_counter():
    """Returns the millijoules of the GPU that programs take, by NVML, or None if NVML does not report them."""
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    device, energy = ctypes.c_void_p(), ctypes.c_ulonglong()
    calls = [library.nvmlInit_v2(), library.nvmlDeviceGetHandleByIndex_v2(first_device(), ctypes.byref(device)),
             library.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(energy))]
    return energy.value if calls == [0, 0, 0] else None


def test_audit_and_energy(tmp_path):
    """Each backend finds the other's run equal. A run on the GPU reports its energy if NVML does."""
    write_study(tmp_path, 8, 64, sweeps=960000)
    program(tmp_path, "gen-disorder", "--first", 128, "--count", 224, "--out", "disorder.h5")
    before = energy_counter()
    simulate(tmp_path, "cuda")
    after = energy_counter()
    with h5py.File(tmp_path / "run_cuda.h5") as file:
        joules = file["provenance"].attrs.get("gpu_energy_joules")
    assert (joules is None) == (before is None)
    assert joules is None or 0 < joules <= (after - before) / 1000
    simulate(tmp_path, "cpu")
    for made, again in [("cuda", "cpu"), ("cpu", "cuda")]:
        program(tmp_path, "audit", "--disorder", "disorder.h5", "--state", f"state_{made}.h5", "--run", f"run_{made}.h5",
                "--end-state", f"end_{made}.h5", "--backend", again, "--out", "audit.json")  # fmt: skip
        result = json.loads((tmp_path / "audit.json").read_text())
        assert result["equal"] and made in result["original"]["backend"] and again in result["rerun"]["backend"]


def test_same_ladder(tmp_path):
    write_study(tmp_path, 8, 128)
    program(tmp_path, "gen-disorder", "--first", 0, "--count", 128, "--out", "disorder.h5")
    tune = ["--tune-ladder", "--tune-sweeps", 2000, "--feedback", "--disorder", "disorder.h5"]
    for backend in ("cpu", "cuda"):
        program(tmp_path, "pt-run", *tune, "--backend", backend, "--out", f"{backend}.yaml", "--numbers", f"{backend}.h5")
    assert (tmp_path / "cpu.yaml").read_text() == (tmp_path / "cuda.yaml").read_text()
    assert_same(tmp_path / "cpu.h5", tmp_path / "cuda.h5")


def test_stopped_runs_resume_on_the_other_backend(tmp_path):
    """The time limit grows from stop to stop, because it includes the start of CUDA, whose length depends on the machine."""
    write_study(tmp_path, 8, 64, sweeps=96000)
    program(tmp_path, "gen-disorder", "--first", 0, "--count", 64, "--out", "disorder.h5")
    simulate(tmp_path, "cuda")
    stops = 0
    for backend in ["cpu", "cuda"] * 20:
        command = [BIN / "pt-run", "--config", "study.yaml", "--disorder", "disorder.h5", "--state", "state_cuda.h5",
                   "--out", "run.h5", "--state-out", "end.h5", "--backend", backend, "--time-limit", 0.3 * 1.15**stops]
        code = subprocess.run([str(a) for a in command], cwd=tmp_path, capture_output=True, timeout=300).returncode
        if code == 0:
            break
        assert code == 75
        stops += 1
    assert code == 0 and stops >= 2
    assert_same(tmp_path / "run.h5", tmp_path / "run_cuda.h5")
    assert_same(tmp_path / "end.h5", tmp_path / "end_cuda.h5")
