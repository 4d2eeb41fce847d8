"""Writes a reduced.h5 with curves like the +-J Edwards-Anderson model, to develop and test plots and report without a run."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
from psflip.campaign import manifest
from psflip.campaign.campaign import Campaign
from psflip.campaign.study import Study
from psflip.campaign.whole_files import write_json


CONFIG = """seed: 20261121
lattice:
  L: [4, 6, 8]
disorder: {realizations: 512, batch: 128}
replicas: 2
thermalize:
  sweeps: {4: 4096, 6: 8192, 8: 8192}
run: {sweeps: 8192}
equilibration: {test: log2, threshold_sigma: 4, min_walk_times: 20, unequilibrated: keep}
"""


def xi_over_L(T, L):
    return 0.563 * np.exp(-0.495 * (T - 1.19) * L**0.495 * (1 - 0.15 * (T - 1.19)))


def binder(T, L):
    x = (T - 1.13) * L**0.4
    return np.clip(0.755 - 0.21 * x - 0.03 * x**2 + 0.01 * x**3, 0.02, None)


def energy(T):
    return -1.787 + 0.085 * T**3.2 / (1 + 0.06 * T**2.5)


def specific_heat(T, L):
    return 1.6 * (T / 1.1) ** 2 / (1 + (T / 1.1) ** 4.4) * (1 + 0.1 / L)


def density(q, T, L):
    width = 0.12 + 0.35 / L
    peak = np.clip(0.85 * np.sqrt(np.clip(1.6 - T, 0, None)), 0, None)
    if peak < 0.2:
        raw = np.exp(-0.5 * (q / (0.9 / L**0.6 * 1.5 / T)) ** 2)
    else:
        raw = np.exp(-0.5 * ((np.abs(q) - peak) / width) ** 2) + 0.35 * np.exp(-0.5 * (q / 0.4) ** 2)
    return raw / (raw.sum() * (q[1] - q[0]))


def write_size(file, L, T, n, random):
    group = file.create_group(f"L{L}")
    group.attrs["n_realizations"] = n
    group.attrs.update(verdict_basis="log2 test, temperature walk and hottest temperature", warnings="", warning_kinds="", never_moved=0)
    count = len(T)

    def put(name, value, relative):
        error = relative * np.abs(value) * np.sqrt(512 / n) + 1e-12
        group[name] = value + error * random.normal(size=np.shape(value))
        group[name + "_err"] = error

    group["temperatures"], group["beta"] = T, 1 / T
    put("energy", energy(T), 0.0015)
    put("specific_heat", specific_heat(T, L), 0.02)
    put("binder", binder(T, L), 0.004)
    put("xi_over_L", xi_over_L(T, L), 0.005)
    q2 = np.clip(0.62 - 0.35 * (T - 0.6), 0.02, None) * (4 / L) ** 0.3
    for name, value in (("q_abs", np.sqrt(q2) * 0.9), ("q2", q2), ("q4", q2**2 * 1.4), ("q_link", 0.8 - 0.3 * T), ("chi_sg", q2 * L**3)):
        put(name, value, 0.01)
    put("chi_kmin", 0.3 * q2 * L**3, 0.01)
    group["q4"][...] = (3 - 2 * group["binder"][:]) * group["q2"][:] ** 2
    for name in ("energy", "specific_heat", "q2", "binder"):
        group[f"{name}_passing"], group[f"{name}_passing_err"] = group[name][:], group[f"{name}_err"][:]
    group["swap_rate"] = 0.85 * np.exp(-0.012 * L**1.5 * np.diff(T) / 0.08)
    group["round_trips"] = np.full(count, 4000 / L)
    deviation = np.abs(random.normal(size=n)) + random.exponential(0.6, size=n)
    group["max_deviation"], group["equilibrated"] = deviation, (deviation < 4).astype(np.uint8)
    group["realization"] = np.arange(n)
    group["hottest_sweeps"] = 2 ** np.arange(9)
    group["hottest_memory"] = 0.4 * np.exp(-np.sqrt(group["hottest_sweeps"][:] / 3.0))
    group["hottest_time"] = np.array([np.inf if L == 8 else 5.7])
    group["tau_walk"] = random.lognormal(np.log(12.0 * L), 0.6, size=n)
    group["equilibrated_fraction"] = np.full(count, np.mean(deviation < 4))

    edges = np.concatenate([[0], 8192 * 2.0 ** np.arange(-6, 1)]).astype(np.int64)
    approach = np.exp(-edges[1:] / (40.0 * L))[:, None]
    group["log2_edges"] = edges
    for name, base, shift in (("energy", energy(T), -0.02), ("q2", q2, -0.1)):
        error = 0.01 * np.abs(base)[None, :] * np.ones_like(approach) * (0.2 if name == "energy" else 1)
        group[f"log2_{name}"] = base[None, :] * (1 + shift * approach) + 0.3 * error * random.normal(size=error.shape)
        group[f"log2_{name}_err"] = error
    write_paired(group, random)

    bins, sites = 50, L**3
    overlap = np.arange(-sites, sites + 1, 2)
    weights = np.array([density(overlap / sites, t, L) for t in T])
    part = parts_of_bins(L, bins)
    width = part.sum(axis=0) * 2 / sites
    values = weights / weights.sum(axis=1)[:, None] @ part / width
    noise = 0.01 * random.normal(size=values.shape)
    group["histogram_q_edges"], group["histogram_q_width"] = np.linspace(-1, 1, bins + 1), width
    group["histogram_density"] = values * (1 + noise + noise[:, ::-1])
    group["histogram_density_err"] = 0.01 * values
    put("q2_spread", 0.15 / (1 + np.exp((T - 1.3) * L**0.5)), 0.1)
    put("guerra", 0.34 / (1 + np.exp((T - 1.5) * L**0.5)), 0.1)
    count_in = np.minimum(np.arange(sites + 1) * bins // sites, bins - 1)
    coldest = np.bincount(count_in, weights[0] / weights[0].sum(), bins)
    group["coldest_overlap_counts"] = np.array([random.multinomial(4096, p) for p in random.dirichlet(5 * coldest + 1e-9, size=n)], dtype=np.uint32)
    put("q_link_variance", 0.02 * np.exp(-((T - 1.1) ** 2)) * (4 / L) ** 1.5, 0.05)
    put("q2_link_correlation", 0.9 / (1 + np.exp((T - 1.6) * 4)), 0.02)
    steps = 3 * sites // 2
    links = np.arange(steps + 1) * 2 / steps - 1
    put_density(group, "histogram_link", np.array([np.exp(-0.5 * ((links - 0.8 + 0.3 * t) / 0.1) ** 2) for t in T]), bins)
    lowest = -4 * np.round(0.45 * sites + 0.3 * L**1.5 * random.normal(size=n)).astype(int)
    group["lowest_energy"], group["lowest_count"] = lowest, random.poisson(50, size=n) + 1
    group["lowest_first_half"] = lowest + 4 * (random.uniform(size=n) < 0.01)
    groups = min(n, 200)
    for name in ("energy", "specific_heat", "binder", "xi_over_L"):
        noise = random.normal(size=(groups, count)) / np.sqrt(groups - 1)
        group[f"jackknife/{name}"] = group[name][:] + group[f"{name}_err"][:] * noise
        group[f"jackknife/{name}"].attrs["axes"] = "group, temperature"
    for name, node in group.items():
        if isinstance(node, h5py.Dataset) and node.shape == (count,):
            node.attrs["axes"] = "temperature"


def put_density(group, name, weights, bins):
    """Of values from -1 to 1 with these weights (temperature, value), each in the bin above its lower edge."""
    steps = weights.shape[1] - 1
    place = np.minimum(np.arange(steps + 1) * bins // steps, bins - 1)
    width = np.bincount(place, minlength=bins) * 2 / steps
    density = np.array([np.bincount(place, w / w.sum(), bins) for w in weights]) / width
    group[f"{name}_width"], group[f"{name}_density"], group[f"{name}_density_err"] = width, density, 0.01 * density


def parts_of_bins(L, bins):
    """Which part of each value of the overlap is in each bin (value, bin): half of those on an inner edge."""
    place = np.arange(L**3 + 1)[:, None] * bins / L**3 - np.arange(bins)  # 0: on the lower edge, 1: on the upper one
    inner = (np.isclose(place, 0) & (np.arange(bins) > 0)) | (np.isclose(place, 1) & (np.arange(bins) < bins - 1))
    return np.where(inner, 0.5, (place > -1e-9) & (place < 1 + 1e-9))


def write_paired(group, random):
    """Of the last log2 bin and those before; the one of q_link is like that of energy."""
    for name in ("energy", "q2", "q_link"):
        bins = group["log2_energy" if name == "q_link" else f"log2_{name}"][:]
        difference = bins[-1] - bins[-2::-1]
        error = 0.2 * group[f"{name}_err"][:] * np.ones_like(difference)
        difference += error * random.normal(size=error.shape)
        group[f"paired_{name}"], group[f"paired_{name}_err"], group[f"paired_{name}_z"] = difference, error, difference / error
    group.attrs.update(stationary=1, largest_paired_z=2.5)


def write_reduced(path, sizes=(4, 6, 8), n=512, count=16, seed=1, overlaps=True):
    random = np.random.default_rng(seed)
    T = np.geomspace(0.8, 2.0, count)
    with h5py.File(path, "w") as file:
        file.attrs.update(format="psflip", kind="reduced", format_version=2, physics_version=2)
        for L in sizes:
            write_size(file, L, T, n, random)
            if not overlaps:
                for name in ("coldest_overlap_counts", "histogram_link_density", "histogram_link_density_err", "histogram_link_width"):
                    del file[f"L{L}/{name}"]
                for name in list(file[f"L{L}"]):
                    if name.startswith(("binder", "xi_", "q", "chi_", "guerra", "histogram_density", "log2_q2")):
                        file[f"L{L}"][name][...] = np.nan
        provenance = file.create_group("provenance")
        provenance.attrs.update(
            program="reduce-disorder", version="0.1.0", git_commit="0123abc", config_hash="00112233aabbccdd", host="node7", device="a CPU",
            command_line="reduce-disorder --config quickstart.yaml --out reduced.h5 --csv results.csv L4/batch0000000/observables.h5",
            start_time="2026-11-21T10:00:00Z", end_time="2026-11-21T10:00:02Z",
            config=CONFIG,
        )  # fmt: skip
    return Path(path)


@contextmanager
def changed_reduced(folder, **options):
    """folder/reduced.h5, open for changes."""
    with h5py.File(write_reduced(folder / "reduced.h5", **options), "r+") as file:
        yield file


def write_made(path, kind, L, program, **usage):
    """A file that only tells what made it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file.attrs.update(format="psflip", kind=kind, format_version=2, L=L, physics_version=1)
        file.create_group("provenance").attrs.update(program=program, version="0.1.0", git_commit="0123abc", backend="cuda", host="node7", **usage)


def write_campaign(folder, sizes=(4, 6), batches=2, sweeps=8192):
    """The files of a campaign of which one batch of the last size is not measured and one of the first was prolonged; its study."""
    text = f"lattice: {{L: {list(sizes)}}}\ndisorder: {{realizations: {128 * batches}, batch: 128}}\nrun: {{sweeps: {sweeps}}}\n"
    (folder / "study.yaml").write_text(text)
    study = Study.read(folder / "study.yaml")
    for L in sizes:
        for batch in range(batches):
            name = f"L{L}/batch{128 * batch:07d}-{128 * batch + 127:07d}"
            write_made(folder / name / "disorder.h5", "disorder", L, "gen-disorder")
            cost = {"flips": 1e12 * L**3, "wall_seconds": 0.2 * L**3, "calls": 1 + batch, "gpu_energy_joules": 100.0 * L**3}
            write_made(folder / name / "state-0.h5", "state", L, "thermalize", **cost)
            ends = [sweeps, 2 * sweeps] if (L, batch) == (sizes[0], 1) else [sweeps]
            for end in ends:
                write_made(folder / name / f"run-{end}.h5", "run", L, "pt-run", **{key: 2 * cost[key] for key in cost if key != "calls"}, calls=3)
                write_made(folder / name / f"state-{end}.h5", "state", L, "pt-run", **cost)
                if (L, batch) != (sizes[-1], batches - 1):
                    write_made(folder / name / f"observables-{end}.h5", "observables", L, "measure")
    campaign = Campaign(study, folder, 2)
    manifest.write(campaign)
    write_json(campaign.round_file(sizes[0], sweeps), {"go_on": ["0000128-0000255"]})
    return study


def write_ladder(path, L=8, feedback=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file.attrs.update(format="psflip", kind="ladder", format_version=2, L=L, constant=1, chosen=2 if feedback else 1, converged=1, target_acceptance=0.4, rounds=3 if feedback else 2)
        for i, count in enumerate((16, 12, 12)[: 3 if feedback else 2]):
            group = file.create_group(f"round{i}")
            group["temperatures"] = np.geomspace(0.8, 2.0, count)
            group["acceptance"] = np.linspace(0.3, 0.7, count - 1) if i == 0 else np.full(count - 1, 0.4)
            group["acceptance_error"] = np.full(count - 1, 0.01)
            group["cold_fraction"] = np.linspace(1, 0, count)
            group["diffusivity"] = np.geomspace(1e-6, 1e-4, count - 1)
            group.attrs.update(round_trips=1e-4 * (1 + i), round_trips_error=1e-6)
        file["choices/count"] = np.array([8, 12, 16])
        file["choices/round_trips"] = np.array([1.5e-4, 2e-4, 2.2e-4])


def write_results_csv(path, reduced):
    """Rows as reduce-disorder writes them."""
    with h5py.File(reduced) as file:
        groups = [file[name] for name in sorted((name for name in file if name.startswith("L")), key=lambda name: int(name[1:]))]
        averages = [name for name in groups[0] if f"{name}_err" in groups[0] and groups[0][name].ndim == 1 and not name.endswith("_passing")]
        names = ["beta", *(name + ending for name in averages for ending in ("", "_err")), "swap_rate", "round_trips", "equilibrated_fraction"]
        lines = ["L,T,n_realizations," + ",".join(names)]
        for group in groups:
            for i, T in enumerate(group["temperatures"][:]):
                cells = [repr(float(group[name][i])) if i < len(group[name]) else "" for name in names]
                lines.append(",".join([group.name[2:], repr(float(T)), str(group.attrs["n_realizations"]), *cells]))
    Path(path).write_text("\n".join(lines) + "\n")
