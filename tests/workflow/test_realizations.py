"""What the report says of single realizations: overlaps with known peaks, weight and width; energies and specific heats that are exact."""

import json

import h5py
import numpy as np
import pytest
from conftest import ROOT
from psflip.report import report_realizations
from psflip.results import overlaps as shapes
from psflip.results.overlaps import Overlaps
from psflip.results.averages import Size
from psflip.results.reduced import NotReduced, read_reduced
from psflip.results.thermodynamics import energy_integral
from synthetic import write_reduced

N, BINS = 512, 64  # L = 8: eight values of q in a bin


def size_of(*distributions, measurements=100000, L=8, bins=BINS):
    """A size whose realizations have these probabilities of the values of Q."""
    bin_of = np.minimum(np.arange(L**3 + 1) * bins // L**3, bins - 1)
    counts = np.array([np.bincount(bin_of, p / p.sum(), bins) * measurements for p in distributions])
    return Size(L, np.array([1.0]), len(counts), {"coldest_overlap_counts": counts})


def bumps(*places, width=0.05, L=8):
    q = np.arange(-(L**3), L**3 + 1, 2) / L**3
    return sum(np.exp(-0.5 * ((q - sign * place) / width) ** 2) for place in places for sign in (1, -1))


def test_peaks_weight_and_width():
    flat = np.ones(N + 1)
    found = Overlaps.of(size_of(flat, bumps(0.8), bumps(0.0), bumps(0.8, 0.3), bumps(0.05, 0.5, 0.9), bumps(0.8) + 0.02 * bumps(0.4)))
    # A flat distribution has no peak; one of 2% of the height is lower than a flat one.
    assert list(shapes.peaks(found)) == [0, 1, 1, 2, 3, 1]
    weight, width = shapes.weight_near_zero(found), shapes.width(found)
    inside = np.sum(np.abs(np.arange(-N, N + 1, 2)) <= 0.2 * N) / (N + 1)
    assert weight[0] == pytest.approx(inside, abs=0.005) and weight[1] < 1e-9 and weight[2] > 0.999
    assert weight[3] == pytest.approx(0.5 * 0.0228, abs=0.005)  # q is known to bins of 0.03
    assert width[0] == pytest.approx(1 / np.sqrt(12), rel=0.01) and width[1] == pytest.approx(0.05, rel=0.05) and width[3] == pytest.approx(0.255, rel=0.01)


@pytest.mark.parametrize("L, bins", [(4, 50), (6, 50), (8, 50), (10, 64)])
def test_a_flat_distribution_is_flat(L, bins):
    """No teeth, whatever the numbers of values in the bins: P(|q|) is 1 up to the sharing of values between bins of |q|."""
    found = Overlaps.of(size_of(np.ones(L**3 + 1), L=L, bins=bins))
    edges, density = found.density(shapes.bins_for_peaks(found))
    np.testing.assert_allclose(density, 1, rtol=1e-9)
    assert edges[0] == 0 and edges[-1] == 1 and shapes.peaks(found)[0] == 0


def test_noise_makes_no_peaks_and_few_measurements_are_not_judged():
    random = np.random.default_rng(5)
    draw = lambda p, n: np.bincount(np.minimum(random.choice(N + 1, size=n, p=p / p.sum()) * BINS // N, BINS - 1), minlength=BINS)
    counts = np.array([draw(bumps(0.8, width=0.1), 1000) for _ in range(300)], dtype=float)
    noisy = Overlaps.of(Size(8, np.array([1.0]), 300, {"coldest_overlap_counts": counts}))
    assert (shapes.peaks(noisy) == 1).mean() > 0.97
    few = Overlaps.of(size_of(bumps(0.8), measurements=8 * shapes.MIN_COUNTS - 1))
    assert shapes.peaks(few) is None


def exact_curves(T):
    """Energy and specific heat per spin of a 4 x 4 x 4 realization from its density of states."""
    states = json.loads((ROOT / "tests/data/ea3d_L4_exact_dos.json").read_text())["realisations"][0]["density_of_states"]
    E, log_g = np.array([float(e) for e in states]), np.log([float(int(g)) for g in states.values()])
    log_w = log_g - E / T[:, None]
    p = np.exp(log_w - log_w.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p @ E / 64, ((p @ E**2) - (p @ E) ** 2) / 64 / T**2


@pytest.mark.parametrize("count", [8, 16, 32])
def test_the_integral_of_an_exact_specific_heat(count):
    """What the interpolation is off by is within the error that it is given."""
    T = np.geomspace(0.6, 2.4, count)
    energy, heat = exact_curves(T)
    same = {"energy": np.tile(energy, (20, 1)), "specific_heat": np.tile(heat, (20, 1))}
    found = energy_integral(Size(4, T, 20, {"energy": energy, "specific_heat": heat}, samples=same))
    assert abs(found.z) < 1 and abs(found.integral - found.energy) < 0.02 * (8 / count) ** 2 and found.energy == energy[-1] - energy[0]


def test_errors_of_the_integral():
    """Independent samples of known scatter: z of many studies is a normal variable. A specific heat 5% too large is seen."""
    random = np.random.default_rng(11)
    T = np.geomspace(0.6, 2.4, 24)
    energy, heat = exact_curves(T)

    def study(scale=1.0):
        e, c = energy + 0.02 * random.normal(size=(400, 24)), scale * heat + 0.2 * random.normal(size=(400, 24))
        rest = lambda x: (x.sum(axis=0) - x) / 399
        size = Size(4, T, 400, {"energy": e.mean(axis=0), "specific_heat": c.mean(axis=0)}, samples={"energy": rest(e), "specific_heat": rest(c)})
        return energy_integral(size).z

    z = np.array([study() for _ in range(200)])
    # the error of the interpolation is on top, so that z scatters less
    assert abs(z.mean()) < 0.3 and 0.8 < z.std() < 1.1
    assert study(1.05) > 4


def test_the_section(tmp_path):
    (tmp_path / "plots").mkdir()
    data = read_reduced(write_reduced(tmp_path / "reduced.h5"))
    html = report_realizations.section(data, tmp_path / "plots")
    assert html.count("<table>") == 3 and "realizations with a lower energy in the last half" in html and "weight near zero" in html and "integral of C dT" in html and "nan" not in html
    one_replica = read_reduced(write_reduced(tmp_path / "one.h5", overlaps=False))
    assert report_realizations.section(one_replica, tmp_path / "plots").count("<table>") == 2


def test_samples_of_another_shape_are_told(tmp_path):
    path = write_reduced(tmp_path / "reduced.h5")
    with h5py.File(path, "r+") as file:
        del file["L6/jackknife/energy"]
        file["L6/jackknife/energy"] = np.zeros((200, 3))
    with pytest.raises(NotReduced, match="L6/jackknife/energy"):
        read_reduced(path)
