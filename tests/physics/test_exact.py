"""Energies, specific heats and overlap moments of 4 x 4 x 4 realizations against exact sums over all states.

Every one of the 12 realizations is simulated COPIES[share] times with different random numbers, started from random spins. With share 1 all
copies are independent, also where the lanes of words are replicas, and with demons. With share 32 and 128 each pack holds one copy of each of the 12 (and other realizations in the
other lanes), because two copies in one pack would get the same random numbers and merge. Errors come from the copies
alone, so no autocorrelation time enters, and correlations between temperatures are taken into account (Hotelling's T^2).
"""

import h5py
import numpy as np
import pytest

import exact_L4
import physics_runs
import physics_statistics as ps

TEMPERATURES = [0.5, 0.6, 0.72, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5]
COPIES = {1: 96, 32: 96, 128: 64}
SEED = {1: 1001, 32: 1032, 128: 1128, "replicas": 1007, "demons": 1009}


CODINGS = [
    pytest.param(1, id="share1"),
    pytest.param(32, id="share32", marks=pytest.mark.long),
    pytest.param(128, id="share128", marks=pytest.mark.long),
    pytest.param("replicas", id="replicas", marks=pytest.mark.long),
    pytest.param("demons", id="demons"),
]


def simulate(folder, coding, seed=None):
    """(config, disorder, run file, columns of the copies of each realization, exact realizations)."""
    share = coding if coding in COPIES else 1
    copies = COPIES[share]
    exact = exact_L4.realizations()
    stride = {1: len(exact), 32: 32, 128: 128}[share]
    random = np.random.default_rng(7)
    couplings = 1 - 2 * random.integers(0, 2, size=(copies * stride, 3, 4, 4, 4), dtype=np.int8)
    lanes = physics_runs.place_copies([realization.couplings for realization in exact], couplings, copies)
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=4,
        temperatures=TEMPERATURES,
        seed=SEED[coding] if seed is None else seed,
        share=share,
        lanes="replicas" if coding == "replicas" else "realizations",
        update="demon" if coding == "demons" else "metropolis",
        thermalize=4096,
        sweeps=16384,
        measure_every=8,
        swap=4,
        blocks=16 if share == 1 else 4,
        realizations=len(couplings),
    )
    return config, disorder, physics_runs.thermalize_and_run(folder, config, disorder), lanes, exact


@pytest.fixture(scope="module", params=CODINGS)
def simulated(request, tmp_path_factory):
    """(run, lanes): lanes[i] are the columns of the copies of realization i."""
    coding = request.param
    folder = tmp_path_factory.mktemp(f"share{coding}")
    config, disorder, run_file, lanes, exact = simulate(folder, coding)
    if coding == 1:
        physics_runs.means_of_run(folder, config, disorder, run_file)
    run = physics_runs.Run(run_file)
    run.observables = folder / "observables.h5"
    return run, lanes, exact


def names_of(exact):
    return [
        f"{quantity} of {realization.tag} at T = {T}"
        for realization in exact
        for quantity in ("energy", "specific heat")
        for T in TEMPERATURES
    ]


def copies_of(run, lanes):
    """(copy, quantity): energies, then specific heats at all temperatures."""
    return np.concatenate([run.mean_energy()[:, lanes], run.specific_heat()[:, lanes]]).T


def exact_values(realization, scale=1.0):
    values = np.array([realization.energy_and_heat(scale * T) for T in TEMPERATURES])
    return np.concatenate([values[:, 0], values[:, 1]])


def test_energies_and_specific_heats(simulated):
    run, lanes, exact = simulated
    chi2 = [ps.hotelling(copies_of(run, lanes[i]), exact_values(r)) for i, r in enumerate(exact)]
    z = [ps.z_scores(copies_of(run, lanes[i]), exact_values(r)) for i, r in enumerate(exact)]
    ps.check_each(z, names_of(exact), "energies and specific heats")
    ps.check_chi2(sum(chi2), len(exact) * 2 * len(TEMPERATURES), "energies and specific heats")


def test_a_temperature_off_by_half_a_percent_would_be_seen(simulated):
    run, lanes, exact = simulated
    chi2 = sum(ps.hotelling(copies_of(run, lanes[i]), exact_values(r, 1.005)) for i, r in enumerate(exact))
    assert chi2 > 2 * len(exact) * 2 * len(TEMPERATURES)


def test_overlap_moments(simulated):
    run, lanes, _ = simulated
    exact, couplings = exact_L4.overlaps_of_1001()
    assert np.array_equal(couplings, exact_L4.realizations()[0].couplings)
    columns, wanted, names = [], [], []
    for T, values in exact.items():
        t = TEMPERATURES.index(T)
        found = {"q2": run.q2[0, t], "q4": run.q4[0, t], "q_link": run.q_link[0, t]}
        found["chi_kmin"] = run.N * run.kmin[0, t]
        for name, value in values.items():
            columns.append(found[name][lanes[0]])
            wanted.append(value)
            names.append(f"{name} at T = {T}")
    copies = np.array(columns).T
    ps.check_each(ps.z_scores(copies, wanted), names, "overlap moments")
    ps.check_chi2(ps.hotelling(copies, np.array(wanted)), len(names), "overlap moments")


def test_overlap_is_symmetric_and_bounded(simulated):
    run, lanes, _ = simulated
    q = run.q[0][:, np.concatenate(lanes)]
    z = q.mean(axis=1) / (q.std(axis=1, ddof=1) / np.sqrt(q.shape[1]))
    ps.check_each(z, [f"q at T = {T}" for T in TEMPERATURES], "spin-flip symmetry")
    assert np.all(run.q2 >= run.q_abs**2) and np.all(run.q4 >= run.q2**2 * (1 - 1e-12)) and np.all(run.q2 <= 1)


def test_exchanges_work(simulated):
    run, lanes, _ = simulated
    assert np.all(run.accepted > 0)
    assert np.all(run.round_trips.sum(axis=1)[np.concatenate(lanes)] > 0)


def test_measure_gives_these_means_with_honest_errors(simulated):
    """Deviations of single simulations from the exact values in units of the errors that `measure` gives from 16 blocks: their
    spread is that of Student's t with about 15 degrees of freedom, 1.07; with 2 * 15 for the energy of two replicas 1.03.
    """
    run, lanes, exact = simulated
    if not run.observables.exists():
        pytest.skip("measured with realizations as lanes at share 1 only")
    overlaps, _ = exact_L4.overlaps_of_1001()
    with h5py.File(run.observables) as file:
        mean = {name: data[:] for name, data in file["mean"].items()}
        error = {name: data[:] for name, data in file["error"].items()}
        equilibrated = file["equilibration/equilibrated"][:]
    for name, own in (
        ("energy", run.mean_energy()),
        ("specific_heat", run.specific_heat()),
        ("q2", run.q2[0]),
        ("q4", run.q4[0]),
        ("q_link", run.q_link[0]),
        ("q_abs", run.q_abs[0]),
        ("kmin", run.kmin[0]),
    ):
        assert np.allclose(mean[name], own, rtol=1e-9, atol=1e-12), name
    for k, name in enumerate(("energy", "specific_heat")):
        wanted = np.array([exact_values(r).reshape(2, -1)[k] for r in exact])
        pulls = np.array(
            [(mean[name][:, lanes[i]].T - wanted[i]) / error[name][:, lanes[i]].T for i in range(len(exact))]
        )
        check_pulls(pulls.reshape(-1, len(TEMPERATURES)), TEMPERATURES, name)
    for name in ("q2", "q4", "q_link", "q2_product"):
        slots = [TEMPERATURES.index(T) for T in overlaps]
        wanted = np.array([values["q2"] ** 2 if name == "q2_product" else values[name] for values in overlaps.values()])
        check_pulls(
            (mean[name][slots][:, lanes[0]].T - wanted) / error[name][slots][:, lanes[0]].T, list(overlaps), name
        )
    print(f"equilibrated: {equilibrated.mean():.4f}")
    assert equilibrated.mean() > 0.97


def check_pulls(pulls, temperatures, name):
    """Spread of (copy, temperature) between 0.85 and 1.3 at every temperature."""
    spread = np.sqrt((pulls**2).mean(axis=0))
    print(f"{name}: spread of deviations over errors", dict(zip(temperatures, spread.round(2))))
    assert np.all((spread > 0.85) & (spread < 1.3)), name
