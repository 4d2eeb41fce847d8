"""The first half sweep and sweep of a quench and the high-temperature series: exact values that need no equilibration at low temperature."""

from math import comb, exp, tanh

import h5py
import numpy as np
import pytest

import physics_runs
import physics_statistics as ps

L, COUNT = 16, 1024  # of the first sweeps
HALF_SWEEP = {0.5: -0.9373427, 0.7: -0.9359497, 1.1: -0.9248873}  # exact, Metropolis, 3D +-J


def after_metropolis(k, T):
    """Mean of k = sum J s_i s_j of a spin after its update: the spin flips always if k <= 0, else with probability exp(-2 k / T)."""
    return abs(k) if k <= 0 else k * (1 - 2 * exp(-2 * k / T))


def after_heat_bath(k, T):
    return k * tanh(k / T)


def energy_after_update(T, alignment, after=after_metropolis):
    """Energy per site after the update of one colour, if the six J s_i s_j of a site are independent with mean `alignment`."""
    p, total = (1 + alignment) / 2, 0.0
    for up in range(7):
        total += comb(6, up) * p**up * (1 - p) ** (6 - up) * after(2 * up - 6, T)
    return -total / 2


def first_sweep(T, after=after_metropolis):
    """With random couplings and spins the J s_i s_j of all bonds are independent. After the red update the bonds of a
    black site remain independent, because each belongs to another red site. The mean of J s_i s_j is then -e/3."""
    return energy_after_update(T, -energy_after_update(T, 0.0, after) / 3, after)


def state_after(folder, sweeps, share, seed):
    config = physics_runs.write_config(
        folder / f"config{sweeps}.yaml",
        L=L,
        temperatures=list(HALF_SWEEP),
        seed=seed,
        share=share,
        thermalize=sweeps,
        swap=4,
        realizations=COUNT,
    )
    disorder = physics_runs.draw_disorder(folder, config, COUNT)
    state = folder / f"state{sweeps}.h5"
    physics_runs.call("thermalize", "--config", config, "--disorder", disorder, "--out", state)
    with h5py.File(state) as file, h5py.File(disorder) as couplings:
        return file["spins"][:], couplings["couplings"][:]


def energies(spins, couplings):
    """(replica, temperature, realization): energy per site of spins (replica, temperature, pack64, z, y, x)."""
    R, L = len(couplings), spins.shape[-1]
    packs = couplings.reshape(R // 64, 64, 3, L, L, L)
    lane = np.arange(64, dtype=np.uint64).reshape(1, 64, 1, 1, 1, 1)
    negative = np.bitwise_or.reduce((packs < 0).astype(np.uint64) << lane, axis=1)  # (pack, direction, z, y, x)
    unsatisfied = np.zeros((*spins.shape[:2], R))
    for direction in range(3):
        words = spins ^ np.roll(spins, -1, axis=-1 - direction) ^ negative[:, direction]
        for bit in range(64):
            unsatisfied[..., bit::64] += ((words >> np.uint64(bit)) & np.uint64(1)).sum(axis=(-1, -2, -3))
    return 2 * unsatisfied / L**3 - 3


def copies_of(energies, share):
    """(copy, temperature) from (replica, temperature, realization). Realizations of a share group share their noise, so that means over
    groups are the independent copies. Replicas are independent, too, after a random start."""
    return energies.reshape(2, 3, -1, share).mean(axis=-1).transpose(0, 2, 1).reshape(-1, 3)


def energies_of_first_sweep(folder, share, seed=4):
    """Energies (copy, temperature) after the first half sweep and the first sweep of Metropolis.

    Red sites are updated first, against black ones that are still random: red spins after the first sweep with the black
    ones before it are the state after half a sweep.
    """
    before, couplings = state_after(folder, 0, share, seed)
    after, _ = state_after(folder, 1, share, seed)
    z, y, x = np.indices((L, L, L))
    half = np.where((x + y + z) % 2 == 0, after, before)
    random_start = energies(before, couplings)
    assert np.all(np.abs(random_start.mean(axis=-1)) < 4.5 * np.sqrt(3 / L**3 / COUNT)), "the start is not random"
    return copies_of(energies(half, couplings), share), copies_of(energies(after, couplings), share)


def energies_of_relax(folder, share, seed=14):
    """Energies (copy, temperature) of `relax` after the first sweep of the heat bath."""
    config = physics_runs.write_config(
        folder / "relax.yaml", L=L, temperatures=list(HALF_SWEEP), seed=seed, share=share, realizations=COUNT, update="heat-bath"
    )
    config.write_text(config.read_text() + "relax: {first: 1, last: 1}\n")
    disorder, out = physics_runs.draw_disorder(folder, config, COUNT), folder / "relaxation.h5"
    physics_runs.call("relax", "--config", config, "--disorder", disorder, "--out", out)
    with h5py.File(out) as file:
        assert list(file["times"]) == [1]
        return copies_of(file["relaxation/energy"][0] / L**3, share)


def check_half_sweep(folder, share):
    copies, whole = energies_of_first_sweep(folder, share)
    print("energies after half a sweep:", copies.mean(axis=0), "+-", copies.std(axis=0, ddof=1) / np.sqrt(len(copies)))
    assert np.all(copies.std(axis=0, ddof=1) / np.sqrt(len(copies)) < 1e-3)
    names = [f"T = {T}" for T in HALF_SWEEP]
    ps.check_each(ps.z_scores(copies, list(HALF_SWEEP.values())), names, f"half sweep, share {share}")
    ps.check_each(ps.z_scores(whole, [first_sweep(T) for T in HALF_SWEEP]), names, f"first sweep, share {share}")


def test_exact_values_of_the_half_sweep():
    for T, energy in HALF_SWEEP.items():
        assert abs(energy_after_update(T, 0.0) - energy) < 1e-7


def test_first_half_sweep_share_32(tmp_path):
    check_half_sweep(tmp_path, 32)


def test_first_half_sweep_share_1(tmp_path):
    check_half_sweep(tmp_path, 1)


def test_first_half_sweep_share_128(tmp_path):
    check_half_sweep(tmp_path, 128)


@pytest.mark.parametrize("share", [1, 32, 128])
def test_first_sweep_of_relax_with_the_heat_bath(share, tmp_path):
    copies = energies_of_relax(tmp_path, share)
    assert np.all(copies.std(axis=0, ddof=1) / np.sqrt(len(copies)) < 1e-3)
    names = [f"T = {T}" for T in HALF_SWEEP]
    ps.check_each(ps.z_scores(copies, [first_sweep(T, after_heat_bath) for T in HALF_SWEEP]), names, f"relax, share {share}")


def test_high_temperature_series(tmp_path):
    """e = -3 t + 12 t^7 (1 - t^2), t = tanh(1/T); in L = 4 the three straight loops around the lattice per 4 sites add a
    quarter of the plaquettes' term, and at T >= 4 what follows is below 3e-5. Share 1: at high temperature shared numbers correlate energies.
    """
    temperatures = [4.0, 5.0, 7.0, 10.0]
    for size, factor, count in ((4, 15.0, 4096), (8, 12.0, 2048)):
        folder = tmp_path / f"L{size}"
        folder.mkdir()
        config = physics_runs.write_config(
            folder / "config.yaml",
            L=size,
            temperatures=temperatures,
            seed=6,
            share=1,
            thermalize=64,
            sweeps=2048,
            measure_every=4,
            swap=4,
            blocks=1,
            realizations=count,
        )
        disorder = physics_runs.draw_disorder(folder, config, count)
        run = physics_runs.Run(physics_runs.thermalize_and_run(folder, config, disorder))
        t = np.tanh(1 / np.array(temperatures))
        copies = run.mean_energy().T
        error = copies.std(axis=0, ddof=1) / np.sqrt(len(copies))
        print(f"L = {size}: {copies.mean(axis=0)} +- {error}")
        assert np.all(error < 3e-4)
        ps.check_each(
            ps.z_scores(copies, -3 * t + factor * t**7 * (1 - t**2)),
            [f"L = {size}, T = {T}" for T in temperatures],
            "high-temperature series",
        )
