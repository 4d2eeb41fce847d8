"""How fast does a dynamics give independent samples, small errors and coherence? Compares Metropolis, shared random numbers and demons on the
three-dimensional +-J glass, as in docs/demons.md, and Houdayer moves, as in docs/houdayer.md. All updates get the same couplings. A command simulates what --keep lacks, then prints its table:

    PSFLIP_BIN=build/bin python tests/physics/merit.py tau --L 8 --realizations 512 --keep FOLDER
    PSFLIP_BIN=build/bin python tests/physics/merit.py noise --L 8 --realizations 8192 --keep FOLDER
    PSFLIP_BIN=build/bin python tests/physics/merit.py growth --L 32 --realizations 128 --keep FOLDER

    PSFLIP_BIN=build/bin python tests/physics/merit.py clusters --L 8 --updates metropolis-1 --keep FOLDER

tau: integrated autocorrelation times with tempering, and independent samples per second. noise: error^2 x seconds of studies of 128 realizations.
growth: the factor of time that maps the coherence length xi_12(t) of an update on the length of the first update.
clusters: sizes of clusters of Houdayer moves in snapshots.
--simulate only fills the folder, which needs the programs, h5py and numpy, for example on a machine with a GPU.
"""

import argparse
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import h5py
import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", REPOSITORY / "build" / "bin"))
STUDY = 128  # realizations of one study of `noise`
GROUPS = 64  # of realizations, for errors of `growth`
UPDATES = {  # by command: update and multispin.share, or dynamics.demon_sites
    "tau": "metropolis-1 demon-4 demon-8 demon-16 demon-32",
    "noise": "metropolis-1 metropolis-32 metropolis-128 demon-16 demon-32",
    "growth": "metropolis-1 heat-bath-1 demon-8 demon-16 demon-32",
    "clusters": "metropolis-1",
}
writing = Lock()


def dynamics(update):
    """The keys of an update: heat-bath-32 has share 32, demon-8 has eight sites per demon. +KEY=VALUE sets a further key of dynamics."""
    basic, *further = update.split("+")
    name, number = basic.rsplit("-", 1)
    keys = "".join(f", {item.replace('=', ': ')}" for item in further)
    share, sites = (1, int(number)) if name == "demon" else (int(number), 16)
    return f"multispin: {{share: {share}}}\ndynamics: {{update: {name}, demon_sites: {sites}, sweeps_per_swap: 10{keys}}}\n"


def call(given, program, *arguments):
    command = [str(BIN / program), *map(str, arguments), "--log-level", "error"]
    if program != "gen-disorder":
        command += ["--backend", given.backend, "--threads", str(given.threads), "--progress", "off"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")


def sum_over_time(given, folder, config, disorder):
    """Numbers of replicas or pairs, and means over them of e, q^2 and their squares in time blocks of equal lengths, (block, temperature, realization)."""
    state, out = folder / "state.h5", folder / "run.h5"
    call(given, "thermalize", "--config", config, "--disorder", disorder, "--out", state)
    call(given, "pt-run", "--config", config, "--disorder", disorder, "--state", state, "--out", out)
    with h5py.File(out) as file:
        first = np.searchsorted(file["blocks/edges"][:], np.arange(given.blocks) * given.sweeps // given.blocks)  # blocks of the file grow with time
        count = np.add.reduceat(file["blocks/count"][:], first).reshape(-1, 1, 1)
        order = "overlap" if "blocks/overlap2" in file else "magnetisation"  # ferromagnets: q2 and q4 are m^2 and m^4
        names = {"e": "energy", "e_square": "energy2", "q2": f"{order}2", "q4": f"{order}4"}
        copies = {name: file[f"blocks/{data}"].shape[1] for name, data in names.items()}
        return copies, {name: np.add.reduceat(file[f"blocks/{data}"][:].mean(axis=1), first) / count for name, data in names.items()}


def tau_of(given, folder, config, disorder):
    """For each temperature and realization: means, variances of single measurements, and variances of means over the run from 8, 16 and 32 blocks. Means of all realizations in blocks."""
    sites, found = given.sites, {}
    copies, sums = sum_over_time(given, folder, config, disorder)
    for name, square, unit in (("e", "e_square", sites), ("q2", "q4", 1)):
        blocks = sums[name] / unit
        found[f"{name}_mean"], found[f"{name}_of_blocks"] = blocks.mean(axis=0), blocks.mean(axis=-1)
        of_means = np.array([blocks.reshape(n, -1, *blocks.shape[1:]).mean(axis=1).var(axis=0, ddof=1) / n for n in (8, 16, 32)])
        found[f"{name}_single"] = sums[square].mean(axis=0) / unit**2 - found[f"{name}_mean"] ** 2 + of_means[1]
        found[f"{name}_of_means"] = of_means * copies[name]  # of one replica or pair
    return found


def noise_of(given, folder, config, disorder):
    """Means of e, q^2 and q^4 over the realizations of each study, (quantity, block, study, temperature)."""
    _, sums = sum_over_time(given, folder, config, disorder)
    found = np.array([sums["e"] / given.sites, sums["q2"], sums["q4"]])
    return {"means": found.reshape(*found.shape[:3], -1, STUDY).mean(axis=-1).swapaxes(2, 3)}


def growth_of(given, folder, config, disorder):
    """Means over groups of realizations of e (time, temperature, group) and C_4 (time, distance, temperature, group)."""
    out = folder / "relaxation.h5"
    call(given, "relax", "--config", config, "--disorder", disorder, "--out", out)
    with h5py.File(out) as file:
        pairs = given.replicas * (given.replicas - 1) // 2
        correlation = file["relaxation/correlation4"][:] / (pairs * given.dimension * given.sites)
        energy = file["relaxation/energy"][:].mean(axis=1) / given.sites
        grouped = [values.reshape(*values.shape[:-1], min(GROUPS, values.shape[-1]), -1).mean(axis=-1) for values in (energy, correlation)]
        return {"times": file["times"][:], "energy": grouped[0], "correlation": grouped[1]}


def clusters_of(given, folder, config, disorder):
    """For each temperature and realization, means over snapshots of the two first replicas: the fraction of sites that differ, and of a random one of
    these sites, the size s of its cluster over N, and min(s, n - s) / N with the number n of sites that differ."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    state, out = folder / "state.h5", folder / "run.h5"
    call(given, "thermalize", "--config", config, "--disorder", disorder, "--out", state)
    call(given, "pt-run", "--config", config, "--disorder", disorder, "--state", state, "--out", out)
    with h5py.File(disorder) as file:
        bonds = np.moveaxis(file["couplings"][:] != 0, 1, 0)  # direction, realization, sites
    with h5py.File(out) as file:
        words = file["snapshots/spins"][:, 0] ^ file["snapshots/spins"][:, 1]  # snapshot, temperature, pack64, sites
    found = np.zeros((3, len(given.temperatures), given.realizations))
    for snapshot, T in np.ndindex(words.shape[:2]):
        differ = np.concatenate([(word >> np.uint64(bit)) & np.uint64(1) for word in words[snapshot, T][:, None] for bit in range(64)])[: given.realizations] == 1
        site = np.arange(differ.size).reshape(differ.shape)
        pairs = []
        for direction, present in enumerate(bonds):
            joined = differ & np.roll(differ, -1, axis=-1 - direction) & present
            pairs.append([site[joined], np.roll(site, -1, axis=-1 - direction)[joined]])
        first, second = np.concatenate(pairs, axis=1)
        labels = connected_components(coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(site.size, site.size)), directed=False)[1]
        size = np.bincount(labels)[labels].reshape(given.realizations, -1)
        differ = differ.reshape(given.realizations, -1)
        number = differ.sum(axis=1)
        of_random_site = [(value * differ).sum(axis=1) / np.maximum(number, 1) for value in (size, np.minimum(size, number[:, None] - size))]
        found[:, T] += np.array([number, *of_random_site]) / given.sites / len(words)
    return dict(zip(("differing", "cluster", "changed"), found, strict=True))


SIMULATIONS = {"tau": tau_of, "noise": noise_of, "growth": growth_of, "clusters": clusters_of}


def path_of(given):
    return given.keep / f"{given.command}-{given.L}.h5"


def simulate(given, update, seed, couplings):
    """Adds the group of an update and a seed to the file of the size."""
    name, begin = f"{update}-{seed}", time.time()
    if begin - START > given.time_limit:
        print(f"left out: {given.command} L = {given.L} {name}", flush=True)
        return
    with tempfile.TemporaryDirectory(dir=given.scratch) as folder:
        folder = Path(folder)
        config = folder / "config.yaml"
        config.write_text(text_of(given, seed) + dynamics(update))
        found = SIMULATIONS[given.command](given, folder, config, couplings)
    with writing, h5py.File(path_of(given), "a") as file:
        if given.command != "growth":
            file.attrs["interval"], file.attrs["sweeps"], file.attrs["replicas"] = given.measure_every, given.sweeps, given.replicas
            file.attrs["ferromagnet"] = "ferromagnet" in given.model
        file.attrs["temperatures"], file.attrs["realizations"] = given.temperatures, given.realizations
        for key, values in found.items():
            file.create_dataset(f"{name}/{key}", data=values.astype(np.float32), compression="gzip", shuffle=True)
    print(f"{given.command} L = {given.L} {name}: {time.time() - begin:.1f} s, {time.time() - START:.1f} s since the start", flush=True)


def text_of(given, seed):
    last = f"relax: {{last: {given.sweeps}, per_decade: 16}}\n"
    run = f"thermalize: {{sweeps: {given.thermalize}}}\nrun: {{sweeps: {given.sweeps}, measure_every: {given.measure_every}, blocks: {given.blocks}, discard: 0, snapshots: {given.snapshots}}}\n"
    return f"""seed: {seed}
model: {{{given.model}}}
lattice: {{L: [{given.L}]}}
disorder: {{realizations: {given.realizations}, batch: {given.realizations}}}
temperatures: {{list: {[float(T) for T in given.temperatures]}}}
replicas: {given.replicas}
{last if given.command == "growth" else run}"""


def simulate_all(given):
    """Runs all updates that the file lacks on the same couplings, of seed 1, with the seeds 1, 2, ... of the dynamics."""
    jobs = [(update, seed) for seed in range(1, given.seeds + 1) for update in given.updates]
    if path_of(given).exists():
        with h5py.File(path_of(given)) as file:
            jobs = [job for job in jobs if "{}-{}".format(*job) not in file]
    if not jobs:
        return
    with tempfile.TemporaryDirectory(dir=given.scratch) as folder, ThreadPoolExecutor(given.workers) as pool:
        config, couplings = Path(folder) / "config.yaml", Path(folder) / "disorder.h5"
        config.write_text(text_of(given, 1) + dynamics(given.updates[0]))
        call(given, "gen-disorder", "--config", config, "--first", 0, "--count", given.realizations, "--out", couplings)
        with h5py.File(couplings, "a") as file:  # couplings of your own, for any seed
            for name in ("seed", "sealed"):
                file.attrs.pop(name, None)
        for running in [pool.submit(simulate, given, *job, couplings) for job in jobs]:
            running.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=SIMULATIONS)
    parser.add_argument("--L", type=int, required=True)
    parser.add_argument("--keep", type=Path, required=True, help="folder of the file COMMAND-L.h5")
    parser.add_argument("--scratch", help="folder of run files, which are removed")
    parser.add_argument("--simulate", action="store_true", help="print no table")
    parser.add_argument("--updates", nargs="+", help="metropolis-SHARE, heat-bath-SHARE, demon-SITES, then +KEY=VALUE for keys of dynamics; the first is the reference")
    parser.add_argument("--model", default="kind: edwards-anderson", help="keys of model")
    parser.add_argument("--realizations", type=int, default=STUDY)
    parser.add_argument("--temperatures", type=float, nargs="+", help="default: 20 from 0.7 to 2.0, or 0.8 and 1.1 for growth")
    parser.add_argument("--seeds", type=int, help="runs of each update on the same couplings")
    parser.add_argument("--replicas", type=int)
    parser.add_argument("--thermalize", type=int, default=10000)
    parser.add_argument("--sweeps", type=int, default=80000)
    parser.add_argument("--measure-every", type=int, default=10)
    parser.add_argument("--blocks", type=int, help="time blocks of a run; a multiple of 32 for tau")
    parser.add_argument("--snapshots", type=int, help="of each run; default: 16 for clusters")
    parser.add_argument("--ps", nargs="*", default=[], metavar="UPDATE=PS", help="picoseconds per flip")
    parser.add_argument("--shown", type=float, nargs="+", default=[0.7, 1.0, 1.4], help="temperatures in the table")
    parser.add_argument("--windows", type=int, nargs="+", default=[1, 8], help="noise: blocks of a study")
    parser.add_argument("--begins", type=int, nargs="+", default=[10, 100, 1000], help="growth: first times of fits")
    parser.add_argument("--plot", help="growth: PNG file")
    parser.add_argument("--data", type=Path, help="growth: JSON file of all curves")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="start no simulation after this number of seconds")
    given = parser.parse_args()
    growth = given.command == "growth"
    given.updates = given.updates or UPDATES[given.command].split()
    given.temperatures = given.temperatures or ([0.8, 1.1] if growth else np.geomspace(0.7, 2.0, 20).round(6))
    given.seeds = given.seeds or (4 if given.command == "noise" else 1)
    given.replicas = given.replicas or (4 if growth else 2)
    given.blocks = given.blocks or (8 if given.command == "noise" else 32)
    given.snapshots = given.snapshots or (16 if given.command == "clusters" else 0)
    given.ps = {name: float(ps) for name, ps in (item.split("=") for item in given.ps)}
    given.dimension = 2 if "dimension: 2" in given.model else 3
    given.sites = given.L**given.dimension
    given.keep.mkdir(parents=True, exist_ok=True)
    simulate_all(given)
    if not given.simulate:
        import merit_tables

        merit_tables.show(given)


START = time.time()
if __name__ == "__main__":
    main()
