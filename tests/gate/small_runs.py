"""Small fixed runs of all programs on the CPU, and hashes of the values in their files."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from test_frozen import hashes  # noqa: E402

SIZES, SHARES, REPLICAS, LEVELS = (4, 6, 8, 12), (1, 32, 64, 128), (1, 2, 4), ("scalar", "avx2", "avx512")
STUDY = """\
seed: 41
lattice: {{L: {L}}}
disorder: {{realizations: 200, batch: 256}}
temperatures: {{list: [0.7, 0.95, 1.2, 1.6, 2.1]}}
replicas: {replicas}
multispin: {{share: {share}}}
dynamics: {{sweeps_per_swap: 5}}
thermalize: {{sweeps: 40}}
run: {{sweeps: 160, measure_every: 10, blocks: 4, snapshots: 1, histogram_bins: 20}}
equilibration: {{test: log2}}
"""
STEPS = [
    ("gen-disorder", "--out", "disorder.h5"),
    ("thermalize", "--disorder", "disorder.h5", "--out", "state.h5"),
    ("pt-run", "--disorder", "disorder.h5", "--state", "state.h5", "--out", "run.h5", "--state-out", "end.h5"),
    ("measure", "--disorder", "disorder.h5", "--run", "run.h5", "--out", "observables.h5"),
    ("reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv"),
]


def cases():
    """Every size with every share and, by turns, every number of replicas."""
    for i, L in enumerate(SIZES):
        for j, share in enumerate(SHARES):
            yield L, share, REPLICAS[(i + j) % len(REPLICAS)]


def levels(programs):
    """The instruction sets of this machine."""
    command = [programs / "thermalize", "--config", "study.yaml", "--disorder", "disorder.h5", "--out", "state.h5", "--backend", "cpu"]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "study.yaml").write_text(STUDY.format(L=4, share=32, replicas=1))
        call(programs, folder, "scalar", *STEPS[0])
        found = [level for level in LEVELS if "this processor has no" not in subprocess.run(
            [*command, "--force"], cwd=folder, env=environment(level), capture_output=True, text=True).stderr]
    return found


def environment(level):
    return {**os.environ, "PSFLIP_SIMD": level}


def call(programs, folder, level, program, *arguments):
    command = [programs / program, "--config", "study.yaml", *arguments, "--threads", "1", "--backend", "cpu"]
    done = subprocess.run(command, cwd=folder, env=environment(level), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr.strip()}")


def run_case(programs, case, level):
    """{"case/level/file:dataset": hash}; a file that is no HDF5 is one dataset."""
    L, share, replicas = case
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "study.yaml").write_text(STUDY.format(L=L, share=share, replicas=replicas))
        for step in STEPS:
            call(programs, folder, level, *step)
        prefix = f"L={L} share={share} replicas={replicas}/{level}"
        for path in sorted(folder.glob("*.h5")):
            found |= {f"{prefix}/{path.name}:{dataset}": digest for dataset, digest in hashes(path).items()}
        found[f"{prefix}/results.csv"] = hashlib.sha256((folder / "results.csv").read_bytes()).hexdigest()[:16]
    return found


def values(programs):
    """Of all cases at all levels, two at a time."""
    work = [(case, level) for level in levels(programs) for case in cases()]
    found = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for part in pool.map(lambda item: run_case(programs, *item), work):
            found |= part
    return found
