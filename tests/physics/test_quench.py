"""The first half sweep and sweep of a quench and the high-temperature series: exact values that need no equilibration at low temperature."""

from math import comb, exp

import h5py
import numpy as np

import physics_runs
import physics_statistics as ps

HALF_SWEEP = {0.5: -0.9373427, 0.7: -0.9359497, 1.1: -0.9248873}  # exact, Metropolis, 3D +-J


def energy_after_update(T, alignment):
    """Per site, of one colour's Metropolis update where the six J s_i s_j of a site are independent with this mean."""
    p, total = (1 + alignment) / 2, 0.0
    for up in range(7):
        k = 2 * up - 6  # flipped always where k <= 0, else with probability exp(-2 k / T)
        total += comb(6, up) * p**up * (1 - p) ** (6 - up) * (abs(k) if k <= 0 else k * (1 - 2 * exp(-2 * k / T)))
    return -total / 2


def first_sweep(T):
    """With random couplings and spins the J s_i s_j of all bonds are independent. After the red update those of a black site are, too: each belongs to
    another red site, whose bonds no two of them share. Their mean is then -e/3."""
    return energy_after_update(T, -energy_after_update(T, 0.0) / 3)


def state_after(folder, L, sweeps, count, share):
    config = physics_runs.write_config(
        folder / f"config{sweeps}.yaml",
        L=L,
        temperatures=list(HALF_SWEEP),
        seed=4,
        share=share,
        thermalize=sweeps,
        swap=4,
        realizations=count,
    )
    disorder = physics_runs.draw_disorder(folder, config, count)
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


def check_half_sweep(folder, share):
    """Red sites are updated first, against black ones that are still random: red spins after the first sweep with the black
    ones before it are the state after half a sweep."""
    L, count = 16, 1024
    before, couplings = state_after(folder, L, 0, count, share)
    after, _ = state_after(folder, L, 1, count, share)
    z, y, x = np.indices((L, L, L))
    half = np.where((x + y + z) % 2 == 0, after, before)
    random_start = energies(before, couplings)
    assert np.all(np.abs(random_start.mean(axis=-1)) < 4.5 * np.sqrt(3 / L**3 / count)), "the start is not random"
    found = energies(half, couplings)
    # Realizations of a pack share their noise, so packs are the independent copies; so are replicas after a random start.
    copies = found.reshape(2, 3, -1, share).mean(axis=-1).transpose(0, 2, 1).reshape(-1, 3)
    print("energies after half a sweep:", copies.mean(axis=0), "+-", copies.std(axis=0, ddof=1) / np.sqrt(len(copies)))
    assert np.all(copies.std(axis=0, ddof=1) / np.sqrt(len(copies)) < 1e-3)
    names = [f"T = {T}" for T in HALF_SWEEP]
    ps.check_each(ps.z_scores(copies, list(HALF_SWEEP.values())), names, f"half sweep, share {share}")
    whole = energies(after, couplings).reshape(2, 3, -1, share).mean(axis=-1).transpose(0, 2, 1).reshape(-1, 3)
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


def test_high_temperature_series(tmp_path):
    """e = -3 t + 12 t^7 (1 - t^2), t = tanh(1/T); in L = 4 the three straight loops around the lattice per 4 sites add a
    quarter of the plaquettes' term, and at T >= 4 what follows is below 3e-5. Share 1: at high temperature shared numbers correlate energies.
    """
    temperatures = [4.0, 5.0, 7.0, 10.0]
    for L, factor, count in ((4, 15.0, 4096), (8, 12.0, 2048)):
        folder = tmp_path / f"L{L}"
        folder.mkdir()
        config = physics_runs.write_config(
            folder / "config.yaml",
            L=L,
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
        print(f"L = {L}: {copies.mean(axis=0)} +- {error}")
        assert np.all(error < 3e-4)
        ps.check_each(
            ps.z_scores(copies, -3 * t + factor * t**7 * (1 - t**2)),
            [f"L = {L}, T = {T}" for T in temperatures],
            "high-temperature series",
        )
