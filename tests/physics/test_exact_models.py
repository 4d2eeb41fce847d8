"""Every model on the 4 x 4 lattice against sums over all its states: glasses, diluted ones, ferromagnets, with and without field,
periodic and open, by both updates. `measure` makes the means.

Copies of each realization are simulated with different random numbers from random spins. With share 32 each pack holds one copy of each
realization, and glasses drawn at random in its other lanes, because two copies in one pack would get the same random numbers. Errors
come from the copies alone, and temperatures may be correlated (Hotelling's T^2).
"""

import h5py
import numpy as np
import pytest

import exact_square
import physics_runs
import physics_statistics as ps

TEMPERATURES = [0.7, 1.0, 1.3, 1.8, 2.5, 4.0]
ORDERED = [1.5, 1.8, 2.1, 2.5, 3.0, 4.0]  # of ferromagnets, whose magnetisation hardly moves below
REALIZATIONS, COPIES, PACK = 3, 128, 32
FERROMAGNET = "kind: ferromagnet, dimension: 2"
MODELS = {
    "glass": ("dimension: 2", [1, 32, "replicas"]),
    "glass-in-field": ("dimension: 2, field: 0.4", [1, 32, "replicas"]),
    "diluted": ("dimension: 2, p_absent: 0.3", [1, 32]),
    "diluted-in-field": ("dimension: 2, p_absent: 0.3, field: -0.7", [1, 32, "replicas"]),
    "open-glass": ("dimension: 2, boundary: open", [1, 32]),
    "gaussian-glass": ("dimension: 2, couplings: gaussian", [1]),
    "gaussian-glass-in-field": ("dimension: 2, couplings: gaussian, field: 0.4", [1]),
    "ferromagnet": (FERROMAGNET, [1]),
    "ferromagnet-in-field": (f"{FERROMAGNET}, field: 0.05", [1, "replicas"]),
    "diluted-ferromagnet-in-strong-field": (f"{FERROMAGNET}, p_absent: 0.4, field: 2.5", [1]),
    "open-ferromagnet": (f"{FERROMAGNET}, boundary: open", [1]),
    "diluted-ferromagnet": (f"{FERROMAGNET}, p_absent: 0.3", []),
}
# Every kind of term, both updates and all codings occur in these; the other combinations are left to envs/check --all.
SHORT = {
    ("glass", "metropolis", 32),
    ("glass-in-field", "heat-bath", "replicas"),
    ("diluted-in-field", "metropolis", 1),
    ("gaussian-glass", "heat-bath", 1),
    ("open-ferromagnet", "metropolis", 1),
}
CASES = [
    pytest.param(
        name,
        update,
        share,
        id=f"{name}-{update}-{share if share == 'replicas' else f'share{share}'}",
        marks=[] if (name, update, share) in SHORT else pytest.mark.long,
    )
    for name, (_, shares) in MODELS.items()
    for update in ("metropolis", "heat-bath")
    for share in shares
]
# Demons that serve one site, three, and all sites of a colour in turn.
SHORT_DEMONS = {("glass", 3), ("ferromagnet", 3), ("diluted", 3), ("diluted-in-field", 32)}
CASES += [
    pytest.param(name, f"demon, demon_sites: {sites}", 1, id=f"{name}-demons-of-{sites}", marks=[] if (name, sites) in SHORT_DEMONS else pytest.mark.long)
    for name in ("glass", "glass-in-field", "diluted", "diluted-in-field", "open-glass", "ferromagnet", "diluted-ferromagnet-in-strong-field")
    for sites in (1, 3, 32)
]
CASES += [
    pytest.param(name, f"demon, demon_sites: {sites}", "replicas", id=f"{name}-demons-of-{sites}-replicas", marks=[] if sites == 16 else pytest.mark.long)
    for name, sites in (("glass", 16), ("ferromagnet", 3))
]
CASES += [
    pytest.param(name, update, 1, id=f"{name}-{update.split(',')[0]}", marks=[] if (name, update[0]) in (("diluted-ferromagnet", "s"), ("open-ferromagnet", "w")) else pytest.mark.long)
    for name in ("ferromagnet", "open-ferromagnet", "diluted-ferromagnet")
    for update in ("swendsen-wang", "wolff, wolff_clusters: 3")
]
# Houdayer moves between the exchanges, at the lower half of the temperatures.
SHORT_MOVES = {("glass", 32), ("gaussian-glass", 1), ("glass-in-field", "replicas")}
CASES += [
    pytest.param(name, "metropolis, houdayer_every: 2, houdayer_below: 2", share, id=f"{name}-houdayer-{share if share == 'replicas' else f'share{share}'}", marks=[] if (name, share) in SHORT_MOVES else pytest.mark.long)
    for name in ("glass", "glass-in-field", "diluted-in-field", "open-glass", "gaussian-glass", "gaussian-glass-in-field")
    for share in (1, 32, "replicas")
    if share in MODELS[name][1] and (share != "replicas" or "diluted" not in name)
]


def temperatures_of(model):
    return ORDERED if "ferromagnet" in model else TEMPERATURES


def draw(model, count, seed):
    """Couplings (realization, direction, y, x) of such a model."""
    random = np.random.default_rng(seed)
    shape = (count, 2, exact_square.L, exact_square.L)
    if "gaussian" in model:
        return random.normal(size=shape)
    signs = np.ones(shape, int) if "ferromagnet" in model else random.choice([-1, 1], shape)
    if "p_absent" in model:
        signs *= random.random(shape) >= 0.3
    if "open" in model:
        signs[:, 0, :, -1] = signs[:, 1, -1, :] = 0
    return signs


def simulate(folder, model, update, share, seed=None):
    """Exact averages of each realization, its columns in the files, and {name: means (temperature, realization)} of `measure`."""
    lanes_are = "replicas" if share == "replicas" else "realizations"
    share = 1 if share == "replicas" else share
    stride = REALIZATIONS if share == 1 else PACK
    couplings = draw(model, COPIES * stride, seed=11)
    own = draw(model, REALIZATIONS, seed=12)
    lanes = physics_runs.place_copies(own, couplings, COPIES)
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=exact_square.L,
        temperatures=temperatures_of(model),
        seed=2000 + share if seed is None else seed,
        share=share,
        lanes=lanes_are,
        thermalize=512,
        sweeps=4096,
        measure_every=4,
        blocks=4,
        replicas=4 if "field" in model and "ferromagnet" not in model else 2,
        realizations=len(couplings),
        model=model,
        update=update,
        magnetisation="always",
    )
    means = physics_runs.means_of_realizations(folder, config, disorder)
    field = float(model.split("field: ")[1].split(",")[0]) if "field" in model else 0.0
    return [exact_square.Square(J, field) for J in own], lanes, means


GROUPS = {
    "energy": ["energy", "specific_heat"],
    "magnetisation": ["m", "m2", "m_kmin"],
    "moments of the magnetisation": ["m_abs", "m4"],
    "improved estimators": ["m2_improved", "m_kmin_improved"],
    "overlap": ["q", "q2", "q_link", "kmin"],
    "moments of the overlap": ["q_abs", "q4"],
    "energy per bond": ["energy_bond"],
    "slopes of the magnetisation": ["m2_dbeta", "m4_dbeta", "m_kmin_dbeta"],
    "slopes of the overlap": ["q2_dbeta", "q4_dbeta", "kmin_dbeta"],
    "replicon": ["replicon", "replicon_kmin", "replicon_diagonal"],
}


def is_measured(group, model, update):
    glass, field = "ferromagnet" not in model, "field" in model
    of = {"replicon": glass and field, "energy per bond": "p_absent" in model or "open" in model, "improved estimators": update == "swendsen-wang"}
    return of.get(group, (glass or "overlap" not in group) and not (field and "slopes" in group))


@pytest.mark.parametrize("name, update, share", CASES)
def test_means(name, update, share, tmp_path):
    model = MODELS[name][0]
    exact, lanes, means = simulate(tmp_path, model, update, share)
    temperatures = temperatures_of(model)
    wanted = [[square.averages(T) for T in temperatures] for square in exact]
    for group, quantities in GROUPS.items():
        assert is_measured(group, model, update) == (quantities[0] in means), (group, sorted(means))
        if quantities[0] not in means:
            continue
        chi2, z = 0.0, []
        for i, averages in enumerate(wanted):
            copies = np.concatenate([means[quantity][:, lanes[i]] for quantity in quantities]).T
            values = np.array([a[quantity.removesuffix("_improved")] for quantity in quantities for a in averages])
            chi2 += ps.hotelling(copies, values)
            z.append(ps.z_scores(copies, values))
        names = [f"{q} of {i} at T = {T}" for i in range(REALIZATIONS) for q in quantities for T in temperatures]
        ps.check_each(z, names, f"{name}, {update}, share {share}")
        ps.check_chi2(chi2, len(names), group)
    if "houdayer" in update:
        check_moves(tmp_path / "observables.h5", exact, lanes)


def check_moves(observables, exact, lanes):
    """Compares acceptance and sizes of clusters of Houdayer moves with averages over all pairs of states."""
    with h5py.File(observables) as file:
        moves, clusters, sites = (file[f"houdayer/{name}"][:] for name in ("moves", "clusters", "sites"))
    moved = [T for T in TEMPERATURES if T <= 2]
    assert (moves[: len(moved)] > 0).all() and not any(counts[len(moved) :].any() for counts in (moves, clusters, sites))
    chi2, z = 0.0, []
    for i, square in enumerate(exact):
        copies = np.concatenate([counts[: len(moved), lanes[i]] / moves[: len(moved), lanes[i]] for counts in (clusters, sites)]).T
        values = np.array([square.houdayer_moves(T) for T in moved]).T.ravel()
        chi2 += ps.hotelling(copies, values)
        z.append(ps.z_scores(copies, values))
    names = [f"{what} of {i} at T = {T}" for i in range(REALIZATIONS) for what in ("acceptance", "sites") for T in moved]
    ps.check_each(z, names, "Houdayer moves")
    ps.check_chi2(chi2, len(names), "Houdayer moves")
