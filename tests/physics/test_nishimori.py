"""The Nishimori line: where tanh(1/T) = 2 p - 1, for any lattice that is periodic, [e] = -(bonds/N) tanh(1/T), and the magnetisation
has the moments of the overlap, [<m^k>] = [<q^k>] (Nishimori, Prog. Theor. Phys. 66, 1169, 1981)."""

import numpy as np
import pytest

import physics_runs
import physics_statistics as ps

P_FERRO = 0.8
T_NISHIMORI = 2 / np.log(P_FERRO / (1 - P_FERRO))
COUNT = 2048


@pytest.mark.parametrize("update, share", [("metropolis", 32), ("demon, demon_sites: 16", 1)], ids=["metropolis", "demons"])
@pytest.mark.parametrize("dimension, L", [(2, 8), (3, 4)])
def test_energy_and_moments(dimension, L, update, share, tmp_path):
    config = physics_runs.write_config(
        tmp_path / "config.yaml",
        L=L,
        temperatures=[T_NISHIMORI, 1.7, 2.0, 2.5, 3.2],
        share=share,
        update=update,
        thermalize=1024,
        sweeps=2048,
        measure_every=4,
        blocks=4,
        realizations=COUNT,
        model=f"dimension: {dimension}, p_ferro: {P_FERRO}",
        magnetisation="always",
    )
    disorder = physics_runs.draw_disorder(tmp_path, config, COUNT)
    means = physics_runs.means_of_realizations(tmp_path, config, disorder)
    mean = {name: values[0] for name, values in means.items()}  # on the line
    packs = {name: values.reshape(-1, 32).mean(axis=1) for name, values in mean.items()}
    names = ["energy", "m2 - q2", "m4 - q4", "|m| - |q|"]
    found = np.array([packs["energy"], packs["m2"] - packs["q2"], packs["m4"] - packs["q4"], packs["m_abs"] - packs["q_abs"]]).T
    exact = np.array([-dimension * np.tanh(1 / T_NISHIMORI), 0, 0, 0])
    ps.check_each(ps.z_scores(found, exact), names, f"{dimension} dimensions, L = {L}, {update}")
    ps.check_chi2(ps.hotelling(found, exact), len(names), f"{dimension} dimensions, L = {L}, {update}")
    assert np.mean(mean["q2"]) > 0.1
