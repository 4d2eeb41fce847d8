"""Observables files of the shape and storage that `measure` writes, with made-up numbers: to see how reduce-disorder scales.

    python synthetic_observables.py FOLDER REALIZATIONS     # writes FOLDER/study.yaml and files of two sizes, prints their names
"""

import pathlib
import sys

import h5py
import numpy as np
from raw_runs import run

BATCH, BINS, SIZES = 1024, 50, (8, 12)
T = np.round(np.geomspace(0.7, 2.0, 24), 4)
EDGES = np.array([0, *(8192 * 2**k // 256 for k in range(12))])
STUDY = """\
seed: 5
lattice: {L: [8, 12]}
disorder: {realizations: REALIZATIONS, batch: 1024}
temperatures: {list: TEMPERATURES}
replicas: 2
multispin: {share: 128}
thermalize: {sweeps: 0}
run: {sweeps: 65536, measure_every: 32, blocks: 16, histogram_bins: 50}
dynamics: {sweeps_per_swap: 8}
"""


def physics(folder, study, L):
    """The text that identifies the study, from a file of the programs."""
    run("gen-disorder", "--config", study, "--L", L, "--first", 0, "--count", 32, "--out", folder / f"d{L}.h5", "--set", "disorder.batch=1024")
    run("thermalize", "--config", study, "--L", L, "--disorder", folder / f"d{L}.h5", "--out", folder / f"s{L}.h5")
    with h5py.File(folder / f"s{L}.h5") as file:
        return file.attrs["physics"]


def write_batch(path, L, first, count, text):
    random = np.random.default_rng([L, first])
    shape, N = (len(T), count), L**3
    t = T[:, None]
    x = (t - 1.1) * L
    q2 = np.clip((0.4 / (1 + np.exp(x)) + 0.02) * random.gamma(4, 0.25, size=shape), 0, 1)
    q4 = np.clip(q2**2 * (1.3 + 1.5 / (1 + np.exp(-x))), 0, 1)
    energy = -1.75 + 0.35 * (t - 0.7) + random.normal(scale=0.03, size=shape)
    means = {
        "energy": energy, "energy2": energy**2 + 0.5 / N, "energy_product": energy**2, "specific_heat": 0.5 / t**2 + 0 * energy,
        "q": random.normal(scale=0.05, size=shape), "q_abs": np.sqrt(q2) * 0.9, "q2": q2, "q4": q4, "q_link": 0.8 - 0.2 * t + 0 * energy,
        "kmin": np.clip(q2 / (1 + (2 * L * np.sin(np.pi / L) * 0.6 * np.exp(-x / 16)) ** 2) * random.gamma(9, 1 / 9, size=shape), 0, 1),
    }  # fmt: skip
    means |= {"q_link2": means["q_link"] ** 2, "q_link_product": means["q_link"] ** 2, "q2_product": q2**2}
    means |= {name: q2 * means["q_link"] for name in ("q2_q_link", "q2_q_link_product")}
    means |= {f"{name}_dbeta": means[name] for name in ("q2", "q4", "kmin")}
    storage = {"compression": 4, "shuffle": True, "fletcher32": True}
    with h5py.File(path, "w") as file:
        file.attrs.update(format="psflip", kind="observables", format_version=2, physics_version=2, L=L, physics=text)
        file.attrs.update(first_realization=first, realizations=count, run_last=int(EDGES[-1]), replicas=2)
        file.attrs["run.discard"] = 0.5

        def write(name, values):
            file.create_dataset(name, data=values, chunks=True, **storage)

        write("temperatures", T)
        write("realization", np.arange(first, first + count))
        for name, mean in means.items():
            write(f"mean/{name}", mean)
            write(f"error/{name}", np.abs(random.normal(scale=0.01, size=shape)))
        for name in ("energy", "specific_heat", "q_abs", "q2", "q4", "q_link", "kmin", "q2_q4", "q2_kmin"):
            write(f"shared/{name}", random.normal(scale=1e-3, size=(len(T), -(-count // 128))))
        write("tau/too_short", np.zeros(shape, dtype=np.uint8))
        log2 = lambda mean: mean + random.normal(scale=0.01, size=(len(EDGES) - 1, *shape))
        write("log2/q_link", log2(means["q_link"]))
        for name in ("energy", "q2", "q_link"):
            for what in ("noise", "excess"):
                write(f"log2/pack_{what}_{name}", random.gamma(2, 1e-3, size=(len(T), -(-count // 128))))
            file[f"log2/pack_noise_{name}"].attrs["dof"] = 18
        for name in ("energy", "q2"):
            write(f"tau/{name}", random.gamma(2, 50, size=shape))
            write(f"equilibration/sigma_{name}", random.normal(size=(2, *shape)))
            write(f"equilibration/dof_{name}", np.full(shape, 8, dtype=np.int32))
            write(f"log2/{name}", np.clip(log2(means[name]), -3 if name == "energy" else 0, 1))
        write("tau/walk", random.gamma(4, 200, size=count))
        deviation = np.abs(random.normal(size=count)) + 1
        write("equilibration/equilibrated", (deviation < 4).astype(np.uint8))
        write("equilibration/moved", np.ones(count, dtype=np.uint8))
        write("equilibration/max_deviation", deviation)
        write("equilibration/hottest_sweeps", np.array([1, 2]))
        write("equilibration/hottest_time", np.ones(count))
        for name in ("correlation", "square"):
            write(f"equilibration/hottest_{name}", np.zeros((2, count)))
        write("equilibration/worst_temperature", random.integers(0, len(T), size=count).astype(np.int32))
        file["equilibration"].attrs.update(basis="log2 test, temperature walk and hottest temperature", test="log2", threshold_sigma=4.0, min_walk_times=20.0)
        write("log2/edges", EDGES)
        write("log2/count", np.diff(EDGES) // 32)
        counts = random.multinomial(2048, np.full(BINS, 1 / BINS), size=(len(T), count))
        for name in ("overlap", "link"):
            write(f"histogram/{name}", counts.transpose(0, 2, 1).astype(np.uint32))
        for name in ("energy", "first_half"):
            write(f"lowest/{name}", np.full(count, -int(1.75 * N)))
        write("lowest/count", np.ones(count, dtype=np.int64))
        write("tempering/swap_rate", random.uniform(0.3, 0.6, size=(len(T) - 1, count)))
        write("tempering/round_trips", random.poisson(40, size=count))
        write("tempering/sweeps", EDGES[-1:])
    return path


def write_study(folder, realizations):
    """study.yaml and the files of `realizations` realizations of each of the two sizes."""
    study = folder / "study.yaml"
    study.write_text(STUDY.replace("REALIZATIONS", str(realizations)).replace("TEMPERATURES", str(T.tolist())))
    files = []
    for L in SIZES:
        text = physics(folder, study, L)
        for first in range(0, realizations, BATCH):
            files.append(write_batch(folder / f"o{L}-{first}.h5", L, first, min(BATCH, realizations - first), text))
    return study, files


if __name__ == "__main__":
    print(*write_study(pathlib.Path(sys.argv[1]), int(sys.argv[2]))[1], sep="\n")
