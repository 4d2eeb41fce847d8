"""Crossings of small real studies: against an independent computation with numpy from the observables files, and against a spline through
the same points. With p_ferro 0.85 and 1 the curves are those of a ferromagnet, steep enough that no wide cubic fits them."""

import itertools

import h5py
import numpy as np
import pytest
from raw_runs import run
from scipy import optimize, stats
from scipy.interpolate import CubicSpline
from scipy.linalg import null_space

STUDY = """\
seed: 1
model: {p_ferro: P_FERRO}
lattice: {L: SIZES}
disorder: {realizations: 512, batch: 512}
temperatures: {TEMPERATURES, spacing: geometric}
replicas: 2
multispin: {share: SHARE}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 300}
run: {sweeps: SWEEPS, measure_every: 5, blocks: 16, histogram_bins: 10}
"""
STUDIES = {
    "p_ferro 0.85": ("0.85", [4, 6, 8], "min: 1.5, max: 5.0, count: 16", 1, 640),
    "p_ferro 0.85, fine": ("0.85", [4, 8], "min: 2.5, max: 3.5, count: 24", 1, 320),
    "p_ferro 1": ("1", [4, 8], "min: 3.5, max: 6.0, count: 16", 1, 640),
    "p_ferro 0.9, shared": ("0.9", [4, 6], "min: 2.8, max: 4.2, count: 14", 128, 320),
}
GROUPS = 200


@pytest.fixture(scope="module", params=STUDIES)
def study(request, tmp_path_factory):
    """Sizes, observables files and the reduced file."""
    folder = tmp_path_factory.mktemp("crossings")
    p_ferro, sizes, temperatures, share, sweeps = STUDIES[request.param]
    text = STUDY.replace("P_FERRO", p_ferro).replace("SIZES", str(sizes)).replace("TEMPERATURES", temperatures)
    config = folder / "study.yaml"
    config.write_text(text.replace("SHARE", str(share)).replace("SWEEPS", str(sweeps)))
    files = {L: folder / f"o{L}.h5" for L in sizes}
    for L, out in files.items():
        common = ["--config", config, "--L", L]
        d, s, r = (folder / f"{name}.h5" for name in "dsr")
        run("gen-disorder", *common, "--first", 0, "--count", 512, "--out", d)
        run("thermalize", *common, "--disorder", d, "--out", s)
        run("pt-run", *common, "--disorder", d, "--state", s, "--out", r)
        run("measure", *common, "--disorder", d, "--run", r, "--out", out)
        for path in (d, s, r):
            path.unlink()
    reduced = folder / "reduced.h5"
    text = run("reduce-disorder", "--config", config, "--out", reduced, "--csv", folder / "results.csv", *files.values()).stdout
    return files, reduced, text


class Curve:
    """Binder ratio or xi_L/L of one size: T, values, jackknife samples (group, T), errors from shared noise (T)."""

    def __init__(self, path, L, name):
        self.L, self.binder = L, name == "binder"
        with h5py.File(path) as file:
            self.T = file["temperatures"][:]
            other = "q4" if self.binder else "kmin"
            a, b = file["mean/q2"][:], file[f"mean/{other}"][:]
            self.value, n = self.of(a.mean(axis=1), b.mean(axis=1)), a.shape[1]
            group = file["realization"][:] % GROUPS
            self.samples = np.array([self.of(a[:, group != g].mean(axis=1), b[:, group != g].mean(axis=1)) for g in range(GROUPS)])
            self.shared = np.zeros(len(self.T))
            if "shared" in file:
                S = [file[f"shared/{key}"][:].sum(axis=1) for key in ("q2", f"q2_{other}", other)]
                h = 1e-6
                da, db = ((self.of(a.mean(axis=1) + x, b.mean(axis=1) + y) - self.of(a.mean(axis=1) - x, b.mean(axis=1) - y)) / (2 * h) for x, y in ((h, 0), (0, h)))
                self.shared = np.sqrt(np.maximum(0, da**2 * S[0] + 2 * da * db * S[1] + db**2 * S[2])) / n

    def of(self, a, b):
        return (3 - b / a**2) / 2 if self.binder else np.sqrt(a / b - 1) / (2 * self.L * np.sin(np.pi / self.L))


def bracket(z):
    """The place below the best split, by trying all of them."""
    z = np.clip(z, -5, 5)
    score = {i: min(np.cumsum(z[i::-1]).max(), np.cumsum(-z[i + 1 :]).max()) for i in range(len(z) - 1) if z[i] > 0 >= z[i + 1]}
    return max(score, key=score.get)


class Crossing:
    """All figures of the crossing of two curves on the same temperatures."""

    def __init__(self, small, large):
        self.small, self.large, self.T, self.known = small, large, small.T, {}
        samples = large.samples - small.samples
        n = GROUPS
        self.covariance = (n - 1) ** 2 / n * np.cov(samples.T) + np.diag(small.shared**2 + large.shared**2)
        D = large.value - small.value
        self.below = i = bracket(D / np.sqrt(np.diag(self.covariance)))
        self.middle = (self.T[i] + self.T[i + 1]) / 2
        distance = np.abs(self.T / self.middle - 1)
        self.windows = [np.sort(np.argsort(distance)[:k]) for k in range(4, 4 + n // 10 + 1) if k == 4 or k <= (distance <= 0.2).sum()]
        self.limits = self.T[max(i - 1, 0)], self.T[min(i + 2, len(D) - 1)]
        self.temperature, self.weights, self.chi2 = self.evaluate(D)
        self.value = self.value_at(self.temperature)
        self.errors(D)

    def maps(self, window, degree=3):
        """Linear maps of D in a window: to the coefficients of the fit, and the matrix of chi2, of what no cubic can describe."""
        key = (tuple(window), degree)
        if key not in self.known:
            x, C = self.T[window] / self.middle - 1, self.covariance[np.ix_(window, window)]
            X, keep, chi2 = np.vander(x, degree + 1), np.eye(len(x)), np.zeros((len(x), len(x)))
            if len(x) > degree + 1:
                B = null_space(X.T)
                chi2 = B @ np.linalg.solve(B.T @ C @ B, B.T)
                keep = keep - C @ chi2
            self.known[key] = np.linalg.pinv(X) @ keep, chi2
        return self.known[key]

    def fit(self, D, window, degree=3):
        """Root, chi2 and weight."""
        coefficients, matrix = self.maps(window, degree)
        y, dof = D[window], len(window) - degree - 1
        c, chi2 = coefficients @ y, y @ matrix @ y
        roots = np.roots(c)
        roots = roots.real[(abs(roots.imag) < 1e-9) & (np.polyval(np.polyder(c), roots.real) < 0)]
        roots = [x for x in roots if self.limits[0] <= self.middle * (1 + x) <= self.limits[1]]
        root = self.middle * (1 + min(roots, key=abs)) if roots else np.nan
        return root, chi2, np.exp(dof - chi2 * (GROUPS - dof) / (GROUPS - 1) / 2)

    def evaluate(self, D):
        roots, chi2, weights = np.array([self.fit(D, window) for window in self.windows]).T
        weights = np.where(np.isfinite(roots), weights, 0)
        return np.nansum(weights * roots) / weights.sum(), weights / weights.sum(), chi2

    def value_at(self, T, small=None, large=None):
        values = [curve.value if given is None else given for curve, given in ((self.small, small), (self.large, large))]
        return np.mean([CubicSpline(self.T, v, bc_type="natural")(T) for v in values])

    def errors(self, D):
        n = GROUPS
        pairs = list(zip(self.small.samples, self.large.samples))
        T = np.array([self.evaluate(b - a)[0] for a, b in pairs])
        values = np.array([self.value_at(t, a, b) for t, (a, b) in zip(T, pairs)])
        squares = [(n - 1) * T.var(), (n - 1) * values.var()]
        for curve, sign in ((self.small, -1), (self.large, 1)):
            for t, error in enumerate(curve.shared):
                step = np.zeros(len(D))
                step[t] = error / 10
                moved = self.evaluate(D + sign * step)[0]
                value = self.value_at(moved, *(c.value + step * (c is curve) for c in (self.small, self.large)))
                squares[0] += 100 * (moved - self.temperature) ** 2
                squares[1] += 100 * (value - self.value) ** 2
        nearest, (low, high) = self.windows[0], self.T[[self.below, self.below + 1]]
        root = self.fit(D, nearest)[0]
        parts = [window for window in (nearest[1:], nearest[:-1]) if self.below in window and self.below + 1 in window]
        others = np.array([self.fit(D, window, 2)[0] for window in parts])
        off = np.where(np.isnan(others), (high - low) / 2, np.abs(others - root)).max()
        self.interpolation = self.weights[0] * off
        ends = [self.value_at(self.temperature + x) for x in (self.interpolation, -self.interpolation)]
        self.temperature_error = np.sqrt(squares[0] + self.interpolation**2)
        self.value_error = np.sqrt(squares[1] + ((ends[0] - ends[1]) / 2) ** 2)


def crossings_of(study):
    """Name of each crossing -> its figures in the reduced file, and what numpy makes of the same curves."""
    files, reduced, _ = study
    crossings = {}
    with h5py.File(reduced) as file:
        group = file["crossings"]
        for name in ("binder", "xi_over_L"):
            for i, (a, b) in enumerate(zip(group["L1"][:], group["L2"][:])):
                mine = {key.removeprefix(name + "_"): group[key][i] for key in group if key.startswith(name)}
                crossings[f"{name} of {a} and {b}"] = mine, Crossing(*(Curve(files[L], L, name) for L in (a, b)))
    assert set(crossings) == {f"{name} of {a} and {b}" for name in ("binder", "xi_over_L") for a, b in itertools.combinations(files, 2)}
    return crossings


def test_against_numpy(study):
    """The temperature to 10 digits, errors and chi2 to 7: their sums have other orders of addition and other formulas."""
    for name, (found, expected) in crossings_of(study).items():
        print(name, found)
        best = int(np.argmax(expected.weights))
        window, dof = expected.windows[best], len(expected.windows[best]) - 4
        assert found["T"] == pytest.approx(expected.temperature, rel=1e-10), name
        assert found["value"] == pytest.approx(expected.value, rel=1e-10), name
        assert found["T_err"] == pytest.approx(expected.temperature_error, rel=1e-6), name
        assert found["value_err"] == pytest.approx(expected.value_error, rel=1e-6), name
        assert found["T_err_interpolation"] == pytest.approx(expected.interpolation, rel=1e-6), name
        assert (found["dof"], found["degree"]) == (dof, 3)
        assert (found["T_first"], found["T_last"]) == (expected.T[window[0]], expected.T[window[-1]])
        if dof == 0:
            assert np.isnan(found["p"])
            continue
        chi2, n = expected.chi2[best], GROUPS
        assert found["chi2"] == pytest.approx(chi2, rel=1e-6, abs=1e-8), name
        assert found["p"] == pytest.approx(stats.f.sf(chi2 * (n - dof) / (dof * (n - 1)), dof, n - dof), rel=1e-6), name


def test_beside_the_sign_change_and_acceptable(study):
    """Where the spline through the same points changes sign in the bracket, the crossing is there within its error; no fit that chi2
    refuses is reported."""
    for name, (found, expected) in crossings_of(study).items():
        i, D = expected.below, expected.large.value - expected.small.value
        low, high = expected.T[[i, i + 1]]
        width = high - low
        assert low - width < found["T"] < high + width, name
        root = optimize.brentq(CubicSpline(expected.T, D, bc_type="natural"), low, high)
        # one curve, two ways to go between its points: closer than the error, which contains the noise of the points
        assert abs(found["T"] - root) < found["T_err"], f"{name}: {found['T']} +- {found['T_err']}, spline {root}"
        assert found["dof"] == 0 or found["p"] > 0.01, name


@pytest.mark.parametrize("study", [name for name, (_, sizes, *_) in STUDIES.items() if 8 in sizes], indirect=True)
def test_steep_curves_are_not_fitted_over_a_wide_window(study):
    """The Binder ratios of L = 4 and 8: a cubic over 20% on either side is refused by chi2."""
    found, expected = crossings_of(study)["binder of 4 and 8"]
    _, chi2, _ = expected.fit(expected.large.value - expected.small.value, expected.windows[-1])
    dof = len(expected.windows[-1]) - 4
    assert dof > 0 and chi2 > 10 * dof
    assert found["T_last"] - found["T_first"] < 0.3 * found["T"]


def test_the_table_says_what_there_is_to_know(study):
    _, reduced, text = study
    with h5py.File(reduced) as file:
        for name in ("binder", "xi_over_L"):
            notes = file["crossings"].attrs[f"{name}_notes"].split("\n")[:-1]
            dofs = file[f"crossings/{name}_dof"][:]
            assert len(notes) == len(dofs)
            for dof, note in zip(dofs, notes):
                assert ("interpolation through 4 temperatures" in note) == (dof == 0)
                assert note in text
    assert text.count("chi2/dof") == sum((h5py.File(reduced)[f"crossings/{name}_dof"][:] > 0).sum() for name in ("binder", "xi_over_L"))
