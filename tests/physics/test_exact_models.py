"""Every model on the 4 x 4 lattice against sums over all its states: glasses, diluted ones, ferromagnets, with and without field,
periodic and open, by both updates. The means are those of `measure`.

Copies of each realization are simulated with different random numbers from random spins. With share 128 each pack holds one copy of each
realization, and glasses drawn at random in its other lanes, because two copies in one pack would get the same random numbers. Errors
come from the copies alone, and temperatures may be correlated (Hotelling's T^2).
"""

import h5py
import numpy as np
import pytest

import exact_square
import physics_runs
import physics_statistics as ps

TEMPERATURES = [0.6, 0.9, 1.3, 1.8, 2.5, 4.0]
REALIZATIONS, COPIES = 3, {1: 160, 128: 128}
PACK = 128
FERROMAGNET = "kind: ferromagnet, dimension: 2"
MODELS = {
    "glass": ("dimension: 2", [1, 128]),
    "glass-in-field": ("dimension: 2, field: 0.4", [1, 128]),
    "diluted": ("dimension: 2, p_absent: 0.3", [1, 128]),
    "diluted-in-field": ("dimension: 2, p_absent: 0.3, field: -0.7", [1, 128]),
    "open-glass": ("dimension: 2, boundary: open", [1, 128]),
    "ferromagnet": (FERROMAGNET, [1]),
    "ferromagnet-in-field": (f"{FERROMAGNET}, field: 0.05", [1]),
    "diluted-ferromagnet-in-strong-field": (f"{FERROMAGNET}, p_absent: 0.4, field: 2.5", [1]),
    "open-ferromagnet": (f"{FERROMAGNET}, boundary: open", [1]),
}
CASES = [
    pytest.param(name, update, share, id=f"{name}-{update}-share{share}")
    for name, (_, shares) in MODELS.items()
    for update in ("metropolis", "heat-bath")
    for share in shares
]


def draw(model, count, seed):
    """Couplings (realization, direction, y, x) of such a model."""
    random = np.random.default_rng(seed)
    shape = (count, 2, exact_square.L, exact_square.L)
    signs = np.ones(shape, int) if "ferromagnet" in model else random.choice([-1, 1], shape)
    if "p_absent" in model:
        signs *= random.random(shape) >= 0.3
    if "open" in model:
        signs[:, 0, :, -1] = signs[:, 1, -1, :] = 0
    return signs


def simulate(folder, model, update, share):
    """Exact averages of each realization, its columns in the files, and {name: means (temperature, realization)} of `measure`."""
    stride = REALIZATIONS if share == 1 else PACK
    couplings = draw(model, COPIES[share] * stride, seed=11)
    lanes = [np.arange(COPIES[share]) * stride + i for i in range(REALIZATIONS)]
    own = draw(model, REALIZATIONS, seed=12)
    for i in range(REALIZATIONS):
        couplings[lanes[i]] = own[i]
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=exact_square.L,
        temperatures=TEMPERATURES,
        seed=2000 + share,
        share=share,
        thermalize=512,
        sweeps=8192,
        blocks=16 if share == 1 else 4,
        realizations=len(couplings),
        model=model,
        update=update,
        magnetisation="always",
    )
    run = physics_runs.thermalize_and_run(folder, config, disorder)
    observables = folder / "observables.h5"
    physics_runs.call("measure", "--config", config, "--disorder", disorder, "--run", run, "--out", observables)
    field = float(model.split("field: ")[1].split(",")[0]) if "field" in model else 0.0
    with h5py.File(observables) as file:
        means = {name: data[:] for name, data in file["mean"].items()}
    return [exact_square.Square(J, field) for J in own], lanes, means


GROUPS = {
    "energy": ["energy", "specific_heat"],
    "magnetisation": ["m", "m_abs", "m2", "m4", "m_kmin"],
    "overlap": ["q", "q_abs", "q2", "q4", "q_link", "kmin"],
}


@pytest.mark.parametrize("name, update, share", CASES)
def test_means(name, update, share, tmp_path):
    model = MODELS[name][0]
    exact, lanes, means = simulate(tmp_path, model, update, share)
    wanted = [[square.averages(T) for T in TEMPERATURES] for square in exact]
    has_overlaps = "ferromagnet" not in model
    assert ("q2" in means) == has_overlaps
    for group, quantities in GROUPS.items():
        if group == "overlap" and not has_overlaps:
            continue
        chi2, z = 0.0, []
        for i, averages in enumerate(wanted):
            copies = np.concatenate([means[quantity][:, lanes[i]] for quantity in quantities]).T
            values = np.array([a[quantity] for quantity in quantities for a in averages])
            chi2 += ps.hotelling(copies, values)
            z.append(ps.z_scores(copies, values))
        names = [f"{q} of {i} at T = {T}" for i in range(REALIZATIONS) for q in quantities for T in TEMPERATURES]
        ps.check_each(z, names, f"{name}, {update}, share {share}")
        ps.check_chi2(chi2, len(names), group)
