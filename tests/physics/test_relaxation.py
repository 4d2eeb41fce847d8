"""Relaxations of 4 x 4 x 4 glasses: at long times they are at the exact equilibrium, from any start. What the update leaves in correlations in time."""

import h5py
import numpy as np

import exact_L4
import physics_runs
import physics_statistics as ps

COPIES, TEMPERATURES = 16, [1.1, 1.5, 2.0]


def relaxed_energies(folder, start, seed):
    """Returns energies per site at well separated late times, (temperature, realization, independent copy). The batch has COPIES copies of every
    realization, each with its own random numbers (share 1)."""
    config = physics_runs.write_config(
        folder / "config.yaml", L=4, temperatures=TEMPERATURES, seed=seed, share=1, replicas=4, realizations=12 * COPIES
    )
    config.write_text(config.read_text() + f"relax: {{start: {start}, first: 400, last: 4000, per_decade: 12}}\n")
    couplings = np.repeat([one.couplings for one in exact_L4.realizations()], COPIES, axis=0)
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    out = folder / "relaxation.h5"
    physics_runs.call("relax", "--config", config, "--disorder", disorder, "--out", out)
    with h5py.File(out) as file:
        late = file["times"][:] >= 1000
        energy = file["relaxation/energy"][late] / 64  # (time, replica, temperature, realization)
    return energy.mean(axis=0).transpose(1, 0, 2).reshape(len(TEMPERATURES), 4, 12, COPIES).transpose(0, 2, 1, 3).reshape(3, 12, -1)


def check(folder, start, seed):
    found, exact = relaxed_energies(folder, start, seed), exact_L4.realizations()
    names = [f"{one.tag}, T = {T}" for T in TEMPERATURES for one in exact]
    wanted = [one.energy_and_heat(T)[0] for T in TEMPERATURES for one in exact]
    ps.check_each(ps.z_scores(found.reshape(len(names), -1).T, wanted), names, f"start {start}")


def test_from_random_spins(tmp_path):
    check(tmp_path, "random", seed=12)


def test_from_spins_all_up(tmp_path):
    check(tmp_path, "up", seed=13)


def above_its_neighbours(folder, update):
    """Of C(t_w, t_w + t) at t = 12 over the mean of t = 10 and 14, t_w = 240, T = 0.4: value and standard error."""
    folder.mkdir()
    config = physics_runs.write_config(folder / "config.yaml", L=8, temperatures=[0.4], seed=21, share=32, replicas=4, realizations=1024, update=update)
    config.write_text(config.read_text() + "relax: {last: 254, measure_every: 2, waiting: [240]}\n")
    disorder, out = physics_runs.draw_disorder(folder, config, 1024), folder / "relaxation.h5"
    physics_runs.call("relax", "--config", config, "--disorder", disorder, "--out", out)
    with h5py.File(out) as file:
        at = [int(np.flatnonzero(file["times"][:] == 240 + t)[0]) for t in (10, 12, 14)]
        C = file["relaxation/two_time_overlap"][:][at][:, :, 0].mean(axis=1).reshape(3, 32, 32).mean(axis=2) / 512
    above = C[1] - (C[0] + C[2]) / 2
    return above.mean(), above.std(ddof=1) / np.sqrt(32)


def test_metropolis_repeats_after_12_sweeps_and_heat_bath_does_not(tmp_path):
    """With Metropolis, groups of spins whose local field is 0 return to their configuration after 2, 3 or 4 sweeps. So C has a maximum at the least common multiple."""
    value, error = above_its_neighbours(tmp_path / "metropolis", "metropolis")
    assert 0.012 < value < 0.028 and value > 10 * error
    value, error = above_its_neighbours(tmp_path / "heat-bath", "heat-bath")
    assert abs(value) < 4.5 * error < 0.003
