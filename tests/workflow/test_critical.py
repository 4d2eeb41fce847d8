"""Quotients and extrapolation on scaling forms with known parameters: exact curves, plain recomputation, coverage, another package."""

import csv
import json

import emcee
import h5py
import numpy as np
import pytest
from psflip.critical import stored
from psflip.critical.analysis import analyse
from psflip.critical.curves import nearest
from psflip.critical.extrapolation import ROUNDS, SPREAD, Omega, all_numbers, chosen_pairs, critical_point, exponent_of, shift_of_exponent, shift_of_R, shift_of_T
from psflip.critical.jackknife import covariance, error, group_count, rows_of, shared_noise
from psflip.critical.least_squares import fit, hotelling_p, inflation
from psflip.critical.quotients import RATIOS, errors, quotients
from critical_coverage import Tally
from psflip.results.averages import Size
from psflip.results.reduced import Reduced, read_reduced
from scaling_forms import GROUPS, NAMES, Truth, reduced_of, write
from scipy import stats

T = np.linspace(0.95, 1.3, 16)
SIZES = (4, 6, 8, 12, 16)
MILD = Truth(amplitudes=(-0.05, -0.1), of_chi=(0.9, 0.15))


@pytest.fixture(scope="module")
def study():
    return reduced_of(MILD, np.random.default_rng(1), SIZES, T, 0.002)


@pytest.mark.parametrize("slopes", [False, True])
def test_quotients_of_curves_without_noise(slopes):
    """T, values and both exponents of pairs agree with the exact curves, to what polynomials in a window are off by."""
    data = reduced_of(MILD, np.random.default_rng(2), SIZES, T, 1e-6, slopes)
    found = quotients(data, group_count(data))
    assert len(found) == 2 * 5
    for q in found:
        T_x = MILD.crossing(q.quantity, q.L1, q.L2, (T[0], T[-1]))
        step = 1e-5
        slope = [MILD.curve(q.quantity, T_x + step, L) - MILD.curve(q.quantity, T_x - step, L) for L in (q.L1, q.L2)]
        assert q.T[0] == pytest.approx(T_x, abs=2e-4)
        assert q.value[0] == pytest.approx(MILD.curve(q.quantity, T_x, q.L1), abs=1e-3)
        assert q.inverse_nu[0] == pytest.approx(np.log(slope[1] / slope[0]) / np.log(q.s), abs=5e-3)
        chi = np.log(MILD.q2(T_x, q.L2) / MILD.q2(T_x, q.L1)) / np.log(q.s) + 3
        assert q.two_minus_eta[0] == pytest.approx(chi, abs=2e-3)
        assert q.slopes_measured == slopes


def test_slopes_that_contradict_the_values_are_left_out(study):
    """Slopes of one size off by 2%, many of their errors: its curves come from the values alone, and the pairs that have it say so; the others keep their slopes."""
    data = reduced_of(MILD, np.random.default_rng(5), SIZES, T, 3e-4, True)
    large = data.sizes[-1]
    assert large.L == 16
    for of in (large.columns, large.samples):
        of["xi_over_L_dbeta"] = 1.02 * of["xi_over_L_dbeta"]
    for q in quotients(data, group_count(data)):
        off = q.quantity == "xi_over_L" and 16 in (q.L1, q.L2)
        assert q.slopes_measured != off
        (c,) = (c for c in data.crossings[q.quantity] if (c.L1, c.L2) == (q.L1, q.L2))
        assert ("left out for xi_over_L of L = 16" in c.note) == off and "contradict" not in q.note


def first_order(quantity: str, L: float, s: float, inverse_nu: float, omega: float) -> np.ndarray:
    """T_x, R_x, 1/nu and 2 - eta of a quotient from R = R* exp(-f x) + g L^-omega with small g, by solving for the crossing."""
    truth = Truth(nu=1 / inverse_nu, omega=omega, amplitudes=(1e-4, 1e-4), of_chi=(0.9, 1e-4))
    T_x = truth.crossing(quantity, L, s * L, (1.05, 1.15))
    h = 1e-5
    slopes = [(truth.curve(quantity, T_x + h, n) - truth.curve(quantity, T_x - h, n)) for n in (L, s * L)]
    chi = truth.q2(T_x, s * L) / truth.q2(T_x, L)
    return np.array([T_x, truth.curve(quantity, T_x, L), np.log(slopes[1] / slopes[0]) / np.log(s), np.log(chi) / np.log(s) + 3])


@pytest.mark.parametrize("quantity", ["binder", "xi_over_L"])
def test_corrections_to_scaling_have_one_amplitude_for_all_pairs(quantity):
    """What quotients of exact curves with small corrections are off by, over the functions of L and s that extrapolations take, is one number."""
    inverse_nu, omega = 0.8, 1.1
    limits = np.array([1.1, Truth().stars[NAMES.index(quantity)], inverse_nu, 2 - Truth().eta])
    shifts = (shift_of_T, shift_of_R, shift_of_exponent, shift_of_exponent)
    amplitudes = [
        (first_order(quantity, L, s, inverse_nu, omega) - limits) / [shift(L, s, inverse_nu, omega) for shift in shifts] for L, s in ((4, 2), (8, 2), (6, 1.5), (24, 1.5))
    ]
    assert np.abs(amplitudes[0]).min() > 1e-6
    for others in amplitudes[1:]:
        assert others == pytest.approx(amplitudes[0], rel=3e-3)


def plain_curve(group, name, T0, rows):
    """Coefficients of cubics and quintics by textbook formulas, for row 0 (all) and each jackknife row."""
    x = group["temperatures"][:] / T0 - 1
    table = np.vstack([group[name][:], group[f"jackknife/{name}"][:]])
    above = int(np.searchsorted(x, 0))
    middle = 0.5 * (x[above - 1] + x[above])
    order = np.argsort(np.abs(x - middle) + 1e-9 * (x > middle), kind="stable")
    coefficients, logs = [], []
    for degree in (3, 5):
        for n in range(degree + 1, len(x) + 1):
            if n > degree + 1 + GROUPS // 10 or (n > degree + 1 and abs(x[order[n - 1]]) > 0.2):
                break
            use = np.sort(order[:n])
            C = np.cov(table[1:, use].T) * (GROUPS - 1) ** 2 / GROUPS
            A = np.vander(x[use], degree + 1, increasing=True)
            inverse = np.linalg.inv(C)
            p = np.linalg.solve(A.T @ inverse @ A, A.T @ inverse @ table[:, use].T).T
            rest = table[:, use] - p @ A.T
            dof = n - degree - 1
            chi2 = np.einsum("ri,ij,rj->r", rest, inverse, rest) if dof else np.zeros(len(p))
            nu = GROUPS - 1
            mean = p[1:].mean(axis=0)
            p[1:] = mean + (p[1:] - mean) * np.sqrt(nu * (nu - 1) / ((nu - dof) * (nu - dof - 1)))
            coefficients.append(np.pad(p, ((0, 0), (0, 5 - degree))))
            logs.append(dof - chi2 / 2 * (GROUPS - dof) / (GROUPS - 1))
    weights = np.exp(np.array(logs) - np.max(logs, axis=0))
    return np.einsum("wr,wrk->rk", weights / weights.sum(axis=0), np.array(coefficients))[:rows]


@pytest.mark.parametrize("spaced", [np.linspace(2.1, 2.5, 20), np.linspace(1.0, 1.6, 13), np.linspace(0.5, 1.6, 32)])
def test_the_last_digit_of_a_crossing_does_not_choose_between_evenly_spaced_temperatures(spaced):
    for T0 in np.random.default_rng(1).uniform(spaced[1], spaced[-2], 1000):
        orders = np.array([np.searchsorted(spaced, t * (1 + nearest(spaced / t - 1)) - 1e-9) for t in T0 * (1 + 2e-16 * np.arange(-2, 3))])
        first = orders[0, 0]
        assert (orders == orders[0]).all() and orders[0, :3].tolist() == [first, first + 1, first - 1 if first else first + 2]


def plain_quotient(file, crossing, name, rows=GROUPS + 1):
    """T_x, 1/nu and 2 - eta (row, 3) of a pair by numpy's roots, for as many rows. Curves are fitted around the temperatures that the crossing uses."""
    L1, L2, T0 = crossing.L1, crossing.L2, crossing.curves[0].T0
    R1, R2, chi1, chi2 = (plain_curve(file[f"L{L}"], which, around, rows) for which, around in ((name, T0), ("q2", crossing.T)) for L in (L1, L2))
    told = []
    for a, b, c, d in zip(R1, R2, chi1, chi2):
        roots = np.roots((b - a)[::-1])
        x = min((r.real for r in roots if abs(r.imag) < 1e-12), key=abs)
        ratio = np.polyval(np.polyder(b[::-1]), x) / np.polyval(np.polyder(a[::-1]), x)
        y = T0 * (1 + x) / crossing.T - 1
        told.append([T0 * (1 + x), np.log(ratio) / np.log(L2 / L1), np.log(np.polyval(d[::-1], y) / np.polyval(c[::-1], y)) / np.log(L2 / L1) + 3])
    return np.array(told)


def test_plain_recomputation_from_the_file(study, tmp_path):
    """Quotients and one fit to all 1/nu, from the HDF5 file with straightforward formulas. The inverse of a covariance, which is not made here by its modes, costs digits."""
    path = write(tmp_path / "reduced.h5", study)
    data = read_reduced(path)
    found = quotients(data, GROUPS)
    with h5py.File(path) as file:
        plain = {(name, c.L1, c.L2): plain_quotient(file, c, name) for name, of in data.crossings.items() for c in of if c.L2 / c.L1 in RATIOS}
    for q in found:
        rows = plain[q.quantity, q.L1, q.L2]
        assert np.abs(rows - np.array([q.T, q.inverse_nu, q.two_minus_eta]).T).max() < 1e-8
        told = np.sqrt((GROUPS - 1) / GROUPS * ((rows[1:] - rows[1:].mean(axis=0)) ** 2).sum(axis=0))
        assert [errors(q)[name] for name in ("T", "inverse_nu", "two_minus_eta")] == pytest.approx(told, rel=1e-6)
    pairs = [(name, *pair) for name in ("xi_over_L", "binder") for pair in ((4, 8), (6, 12), (8, 12), (8, 16))]
    y = np.array([plain[pair][:, 1] for pair in pairs]).T
    A = np.array([[1, *(L1**-w * (1 - (L2 / L1) ** -w) / np.log(L2 / L1) * (name == of) for w in (1.1, 2.1) for of in ("xi_over_L", "binder"))] for name, L1, L2 in pairs])
    C = np.cov(y[1:].T) * (GROUPS - 1) ** 2 / GROUPS
    inverse, width, dof = np.linalg.inv(C), np.full(2, 1e-9), 8 - 3
    for _ in range(1 + ROUNDS):  # the first fit has no second correction
        p = np.linalg.solve(A.T @ inverse @ A + np.diag([0, 0, 0, *(1 / width**2)]), A.T @ inverse @ y.T).T
        rest = C + (A[:, 3:] * width**2) @ A[:, 3:].T
        first = np.sqrt((GROUPS - 1) / GROUPS * inflation(dof, GROUPS)) * np.linalg.norm(p[1:, 1:3] - p[1:, 1:3].mean(axis=0), axis=0)
        before, width = width, SPREAD * np.hypot(p[0, 1:3], first)
    number = all_numbers(found, 1.1)["inverse_nu"]
    fit_of_all, away = number.fits[0], y[0] - A[:, :3] @ p[0, :3]
    assert number.choices[0].L_min == 4 and fit_of_all.dof == dof
    assert np.abs(fit_of_all.parameters[0] - p[0]).max() < 1e-6
    assert fit_of_all.chi2[0] == pytest.approx(away @ np.linalg.inv(rest) @ away, abs=1e-6)  # the second correction belongs to the covariance
    weights = np.linalg.solve(A[:, :3].T @ np.linalg.inv(rest) @ A[:, :3], A[:, :3].T @ np.linalg.inv(rest))[0]
    assert fit_of_all.prior_errors[0] == pytest.approx(np.sqrt(weights @ (A[:, 3:] * before**2) @ A[:, 3:].T @ weights), rel=1e-6)


def test_pairs_that_close_a_circle_are_left_out(study):
    pairs = [(q.L1, q.L2) for q in chosen_pairs(quotients(study, GROUPS)) if q.quantity == "binder"]
    assert pairs == [(4, 8), (6, 12), (8, 12), (8, 16)]


def test_shared_noise_enters_errors():
    """The square of the shared part is added to the variance, at each temperature."""
    size = reduced_of(MILD, np.random.default_rng(3), (8,), T, 0.002).sizes[0]
    alone = error(rows_of(size, "q2"))
    size.columns["q2_err_shared"] = np.linspace(0, 3, len(T)) * alone
    shared = shared_noise(8, "q2", size.columns["q2_err_shared"], GROUPS)
    assert error(np.vstack([shared[:1], shared])) == pytest.approx(size.columns["q2_err_shared"], rel=1e-9)
    assert error(rows_of(size, "q2")) == pytest.approx(np.hypot(alone, size.columns["q2_err_shared"]), rel=0.2)


def test_p_and_errors_of_fits_with_an_estimated_covariance():
    """2000 fits of a line to 8 correlated numbers whose covariance is known from 40 samples: p is uniform, and errors cover."""
    random, groups, n = np.random.default_rng(4), 40, 8
    mix = np.tril(random.normal(size=(n, n))) + 2 * np.eye(n)
    design = np.vander(np.linspace(-1, 1, n), 2)
    p, z = [], []
    for _ in range(2000):
        data = (random.normal(size=(groups, n)) @ mix.T) * np.sqrt(groups)
        mean = data.mean(axis=0)
        found = fit(design, np.array([mean, *((groups * mean - data) / (groups - 1))]))
        p.append(found.p)
        z.append(found.parameters[0] / error(found.parameters))
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert np.std(z, axis=0) == pytest.approx(1, abs=0.05)
    assert inflation(6, 40) > 1.3 and hotelling_p(10.0, 6, 40) > stats.chi2.sf(10.0, 6)


def test_coverage_of_the_whole_chain():
    """40 studies: what comes out scatters around the truth as the errors tell. critical/README.md has the table of 1000."""
    tally = Tally(MILD)
    for seed in range(40):
        tally.add(reduced_of(MILD, np.random.default_rng(1000 + seed), SIZES, T, 0.002))
    numbers, quantities = ("T_c", "inverse_nu", "two_minus_eta"), ("binder", "xi_over_L")
    assert set(tally.found) == {*numbers, *quantities}
    for name, of in tally.found.items():
        assert len(of) == 40, name
        assert 0.5 < tally.within(name, 1) <= 0.95, name
        assert tally.within(name, 2) > 0.85, name
        assert abs(tally.bias(name)) < 0.6, name


def test_a_posterior_agrees(study):
    """emcee samples T_c and all amplitudes with omega free within its band: the same T_c, and the error that statistics, the second correction and omega make."""
    omega = Omega(MILD.omega, 0.1, "")
    found = quotients(study, GROUPS)
    number = critical_point(found, omega)["T_c"]
    choice = number.choices[0]
    inverse_nu = all_numbers(found, omega.value)["inverse_nu"].value
    y = np.array([q.T for q in choice.pairs]).T
    inverse = np.linalg.inv(covariance(y)) * (GROUPS - len(choice.pairs) - 2) / (GROUPS - 1)
    names = choice.quantities
    width = SPREAD * np.hypot(number.fits[0].parameters[0, 1:3], error(number.fits[0].parameters[:, 1:3]))

    def log_probability(parameters):
        T_c, w, *amplitudes = parameters
        if not 0.2 < w < 3:
            return -np.inf
        first, second = np.reshape(amplitudes, (2, len(names)))
        of = [names.index(q.quantity) for q in choice.pairs]
        shifts = [[shift_of_T(q.L1, q.s, inverse_nu, exponent_of(order, w)) for q in choice.pairs] for order in (1, 2)]
        rest = y[0] - (T_c + first[of] * shifts[0] + second[of] * shifts[1])
        return -0.5 * rest @ inverse @ rest - 0.5 * ((w - omega.value) / omega.error) ** 2 - 0.5 * ((second / width) ** 2).sum()

    random = np.random.default_rng(5)
    best = number.fits[0].parameters[0]
    start = np.array([best[0], omega.value, *best[1:]]) * (1 + 1e-3 * random.normal(size=(24, 2 + 2 * len(names))))
    sampler = emcee.EnsembleSampler(24, start.shape[1], log_probability)
    sampler.random_state = np.random.RandomState(6).get_state()
    sampler.run_mcmc(start, 3000)
    chain = sampler.get_chain(discard=1000, flat=True)[:, 0]
    whole = np.sqrt(number.error**2 + number.range_error**2 + number.omega_error**2)
    assert chain.mean() == pytest.approx(best[0], abs=0.3 * number.error)
    assert chain.std() == pytest.approx(whole, rel=0.15)


def above(size: Size, lowest: float) -> Size:
    """Without the temperatures below the lowest one."""
    keep = size.temperatures > lowest
    columns = {name: values[keep] for name, values in size.columns.items()}
    return Size(size.L, size.temperatures[keep], size.n_realizations, columns, samples={name: rows[:, keep] for name, rows in size.samples.items()}, dimension=size.dimension)


def test_few_sizes_say_what_they_can(study):
    pair = Reduced(study.sizes[:1] + study.sizes[2:3])
    found = analyse(pair)
    assert found["missing"].startswith("An extrapolation needs crossings of two or more pairs") and not found["results"]
    assert [(q["L1"], q["L2"], q["note"]) for q in found["quotients"]] == [(4, 8, "")] * 2 and all(q["nu_err"] > 0 for q in found["quotients"])
    assert analyse(Reduced(study.sizes[1:3]))["missing"] == "Exponents need two sizes with the ratio 2 or 1.5"
    found = analyse(Reduced([above(size, 1.2) for size in pair.sizes]))
    assert found["missing"] == "No pair of sizes has a crossing with an error" and "on both sides of a change of sign" in found["quotients"][0]["note"]


def test_too_few_groups_and_models_without_crossings(study):
    few = [Size(s.L, s.temperatures, 8, s.columns, samples={name: rows[:8] for name, rows in s.samples.items()}, dimension=3) for s in study.sizes]
    assert analyse(Reduced(few))["missing"] == "The file has 8 jackknife groups, but covariances need 20 or more"
    older = [Size(s.L, s.temperatures, 8, s.columns, dimension=3) for s in study.sizes]
    assert analyse(Reduced(older))["missing"].startswith("The file has 0 jackknife groups")
    square = Reduced(study.sizes, {"config": "model: {dimension: 2}"})
    assert analyse(square)["missing"].startswith("The two-dimensional spin glass")
    in_field = Reduced(study.sizes, {"config": "model: {kind: ferromagnet, field: 0.1}"})
    assert analyse(in_field)["missing"] == "A ferromagnet in a field has no transition, so crossings of its curves are not critical temperatures"


def test_files_hold_what_was_found(study, tmp_path):
    found = analyse(study)
    assert not found["missing"]
    stored.write_critical(tmp_path / "critical.json", found)
    again = stored.read_critical(tmp_path / "critical.json")
    assert again["results"]["nu"]["value"] == found["results"]["nu"]["value"]
    json.loads((tmp_path / "critical.json").read_text(), parse_constant=pytest.fail)
    stored.write_table(tmp_path / "critical.csv", found)
    rows = list(csv.DictReader((tmp_path / "critical.csv").open()))
    assert {row["table"] for row in rows} == {"result", "quotient", "fit", "band"}
    nu = next(row for row in rows if (row["table"], row["name"]) == ("result", "nu"))
    assert float(nu["value"]) == pytest.approx(found["results"]["nu"]["value"], rel=1e-9) and float(nu["published"]) == 2.562
    assert sum(row["table"] == "quotient" for row in rows) == 4 * len(found["quotients"])
