"""Runs of the psflip programs for the physics tests: configuration, disorder files, and sums read back from run files."""

import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "data"
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", REPOSITORY / "build" / "bin"))


def write_config(
    path,
    *,
    L,
    temperatures,
    seed=1,
    share=128,
    lanes="realizations",
    replicas=2,
    thermalize=0,
    sweeps=1024,
    measure_every=8,
    swap=4,
    blocks=16,
    discard=0,
    realizations=128,
    snapshots=0,
    p_ferro=0.5,
    model="",
    update="metropolis",
    tile=0,
    hits=1,
    magnetisation="auto",
    dynamics="",
):
    """A configuration of one lattice size. model and dynamics: further keys, "dimension: 2, field: 0.5"."""
    path.write_text(f"""seed: {seed}
model: {{{model or f"p_ferro: {p_ferro}"}}}
lattice: {{L: [{L}]}}
disorder: {{realizations: {realizations}, batch: {realizations}}}
temperatures: {{list: [{', '.join(repr(float(t)) for t in temperatures)}]}}
replicas: {replicas}
multispin: {{share: {share}, lanes: {lanes}}}
dynamics: {{sweeps_per_swap: {swap}, update: {update}, tile: {tile}, hits: {hits}{dynamics and ', '}{dynamics}}}
thermalize: {{sweeps: {thermalize}}}
run: {{sweeps: {sweeps}, measure_every: {measure_every}, blocks: {blocks}, discard: {discard}, snapshots: {snapshots}, histogram_bins: 10, magnetisation: {magnetisation}}}
""")
    return path


def need_gpu():
    """Skips where no GPU works."""
    if not (BIN / "bench-flip").exists():
        pytest.skip(f"{BIN} holds no programs")
    quick = ["--L", "4", "--share", "128", "--temperatures", "4", "--repeats", "1", "--seconds", "0.01"]
    probe = subprocess.run([BIN / "bench-flip", "--backend", "cuda", *quick], capture_output=True)
    if probe.returncode == 2:  # the environment has no GPU that works
        pytest.skip("no GPU works here")
    assert probe.returncode == 0, probe.stderr.decode()


def call(program, *arguments):
    """Runs a program on one thread (tests run two chains at a time) and returns its standard output."""
    command = [str(BIN / program), *map(str, arguments)]
    if program in ("thermalize", "pt-run", "relax"):
        command += ["--backend", "cpu", "--threads", "1", "--log-level", "warn"]
    assert os.access(command[0], os.X_OK), f"{command[0]} is missing: build psflip or set PSFLIP_BIN"
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def write_disorder(path, couplings, first=0):
    """Writes a disorder file as a user does by hand: couplings (realization, direction, z, y, x)."""
    couplings = np.asarray(couplings)
    return write_file(path, first, couplings=couplings if couplings.dtype == float else couplings.astype(np.int8))


def write_occupation(path, species, first=0):
    """Writes a disorder file of vector spins: species 0 (a) or 1 (b), (realization, z, y, x)."""
    return write_file(path, first, occupation=np.asarray(species, dtype=np.uint8))


def write_file(path, first, **datasets):
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "psflip"
        file.attrs["kind"] = "disorder"
        file.attrs["format_version"] = 2
        file.attrs["first_realization"] = first
        for name, data in datasets.items():
            file.create_dataset(name, data=data)
    return path


def place_copies(own, others, copies):
    """Puts `copies` copies of each realization of `own` at equal distances into `others`, and returns the columns of each realization's copies.

    If the distance is that of share groups or a multiple, no two copies share random numbers.
    """
    distance = len(others) // copies
    columns = [np.arange(copies) * distance + i for i in range(len(own))]
    for realization, its_columns in zip(own, columns):
        others[its_columns] = realization
    return columns


def draw_disorder(folder, config, count, first=0):
    """The disorder file of realizations first ... first + count - 1."""
    path = folder / "disorder.h5"
    call("gen-disorder", "--config", config, "--first", first, "--count", count, "--out", path)
    return path


def thermalize_and_run(folder, config, disorder):
    """State after thermalize, run file of pt-run."""
    state, run = folder / "state.h5", folder / "run.h5"
    call("thermalize", "--config", config, "--disorder", disorder, "--out", state)
    call("pt-run", "--config", config, "--disorder", disorder, "--state", state, "--out", run)
    return run


def means_of_realizations(folder, config, disorder):
    """{name: (temperature, realization)}: the means of `measure` of thermalization and run."""
    return means_of_run(folder, config, disorder, thermalize_and_run(folder, config, disorder))


def means_of_run(folder, config, disorder, run):
    """{name: (temperature, realization)}: the means of `measure` of a run file."""
    observables = folder / "observables.h5"
    call("measure", "--config", config, "--disorder", disorder, "--run", run, "--out", observables)
    with h5py.File(observables) as file:
        return {name: data[:] for name, data in file["mean"].items()}


def disorder_averages(folder, config, disorder, run):
    """{name: array over temperatures} of the reduced file: averages, errors (_err), and what shared numbers add (_err_shared)."""
    return reduce(folder, config, disorder, run)[0]


def reduce(folder, config, disorder, run):
    """Datasets and attributes of the size in the reduced file."""
    observables, reduced = folder / "observables.h5", folder / "reduced.h5"
    call("measure", "--config", config, "--disorder", disorder, "--run", run, "--out", observables)
    call("reduce-disorder", "--config", config, "--out", reduced, "--csv", folder / "results.csv", observables)
    with h5py.File(reduced) as file:
        (group,) = (file[name] for name in file if name[0] == "L")
        return {name: node[:] for name, node in group.items() if isinstance(node, h5py.Dataset)}, dict(group.attrs)


class Run:
    """Time averages of a run file in intensive units, from the sums of all blocks; arrays (component, temperature, realization)."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.L = int(file.attrs["L"])
            self.N = self.L**3
            self.temperatures = file["temperatures"][:]
            measurements = file["blocks/count"][:].sum()
            total = {
                name: file[f"blocks/{name}"][:].sum(axis=0) / measurements
                for name in file["blocks"]
                if name not in ("count", "edges")
            }
            self.accepted = file["tempering/accepted"][:].sum(axis=(0, 1)) if "tempering/accepted" in file else None
            self.round_trips = file["tempering/round_trips"][:]
        N = self.N
        self.energy = total["energy"] / N
        self.energy2 = total["energy2"] / N**2
        self.q, self.q_abs = total["overlap"] / N, total["overlap_abs"] / N
        self.q_link = total["link"] / (3 * N)
        self.q2, self.q4 = total["overlap2"], total["overlap4"]
        self.kmin = total["kmin"] / 3  # mean over the axes; (pair, T, R)

    def mean_energy(self):
        """(temperature, realization), mean of the replicas."""
        return self.energy.mean(axis=0)

    def specific_heat(self):
        """(temperature, realization): beta^2 N (<e^2> - <e>_0 <e>_1), unbiased because replicas are independent."""
        product = self.energy[0] * self.energy[1]
        return self.N * (self.energy2.mean(axis=0) - product) / self.temperatures[:, None] ** 2
