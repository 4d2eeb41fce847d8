"""reduced.h5 and results.csv of a small real study, every number computed again with numpy from the observables files."""

import csv

import h5py
import numpy as np
import pytest
from raw_runs import link_density, overlap_density, run, write_study

BATCHES = ((4, 0, 640), (4, 192, 1280), (6, 192, 640))  # size, first realization, sweeps
SETTINGS = {
    "realizations": ("realizations: 128", "realizations: 224"),
    "run": ("sweeps: 640, measure_every: 10", "sweeps: 640, measure_every: 5"),
    "bins": ("histogram_bins: 20", "histogram_bins: 50"),
    "strict": ("threshold_sigma: 4", "threshold_sigma: 1.9, min_walk_times: 0"),
}
NAMES = ("energy", "specific_heat", "q_abs", "q2", "q4", "binder", "chi_sg", "xi_over_L", "q_link", "chi_kmin", "q2_spread", "guerra",
         "q_link_variance", "q2_link_correlation", "q2_dbeta", "binder_dbeta", "xi_over_L_dbeta")
# the observables of which an average is a function
OF = {"binder": ("q2", "q4"), "chi_sg": ("q2",), "xi_over_L": ("q2", "kmin"), "chi_kmin": ("kmin",), "q2_spread": ("q2", "q2_product"),
      "guerra": ("q2", "q2_product", "q4"), "q_link_variance": ("q_link2", "q_link_product"),
      "q2_link_correlation": ("q2_q_link", "q2_q_link_product", "q_link2", "q_link_product", "q4", "q2_product"),
      "binder_dbeta": ("q2", "q4", "q2_dbeta", "q4_dbeta"), "xi_over_L_dbeta": ("q2", "kmin", "q2_dbeta", "kmin_dbeta")}
# For averages whose shared noise is unknown: the averages whose shared noise decides instead
LIKE = {"q2_spread": ("q2", "q4"), "guerra": ("q2", "q4"), "q_link_variance": ("q_link", "q2"), "q2_link_correlation": ("q_link", "q2"),
        "q2_dbeta": ("energy", "q2"), "binder_dbeta": ("energy", "q2"), "xi_over_L_dbeta": ("energy", "q2")}  # fmt: skip
DIGITS = 1e-10


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Makes two sizes. The first has two batches, one of which is extended to twice the sweeps. Some jackknife groups are in both sizes, some in one."""
    folder = tmp_path_factory.mktemp("tables")
    config = write_study(folder, **SETTINGS)
    files = []
    for L, first, sweeps in BATCHES:
        at = folder / f"{L}-{first}"
        at.mkdir()
        common = ["--config", config, "--L", L, "--disorder", at / "d.h5"]
        run("gen-disorder", "--config", config, "--L", L, "--first", first, "--count", 32, "--out", at / "d.h5")
        run("thermalize", *common, "--out", at / "0.h5")
        ends = [640 * 2**k for k in range(10) if 640 * 2**k <= sweeps]
        for start, end in zip([0, *ends], ends):
            run("pt-run", *common, "--state", at / f"{start}.h5", "--until", end, "--out", at / f"r{end}.h5", "--state-out", at / f"{end}.h5")
        run("measure", *common, "--run", *(at / f"r{end}.h5" for end in ends), "--out", at / "o.h5")
        files.append(at / "o.h5")
    out, table = folder / "reduced.h5", folder / "results.csv"
    run("reduce-disorder", "--config", config, "--out", out, "--csv", table, *files)
    with table.open() as stream:
        rows = list(csv.DictReader(stream))
    with h5py.File(out) as reduced:
        yield {L: [h5py.File(f) for f, b in zip(files, BATCHES) if b[0] == L] for L in (4, 6)}, reduced, rows


def close(found, expected, digits=DIGITS):
    np.testing.assert_allclose(found, expected, rtol=digits, atol=1e-14)


def of_all(files, name):
    """A dataset (..., realization) of all files as (realization, ...)."""
    return np.concatenate([np.moveaxis(file[name][...], -1, 0) for file in files])


def function(name, L):
    """Of the averages of OF[name]."""
    if name == "binder":
        return lambda q2, q4: (3 - q4 / q2**2) / 2
    if name == "xi_over_L":
        return lambda q2, kmin: np.sqrt(q2 / kmin - 1) / (2 * L * np.sin(np.pi / L))
    if name == "q2_spread":
        return lambda q2, product: product / q2**2 - 1
    if name == "guerra":
        return lambda q2, product, q4: (product - q2**2) / (q4 - q2**2)
    if name == "q_link_variance":
        return lambda square, product: square - product
    if name == "q2_link_correlation":
        return lambda both, product, l2, ll, q4, q2q2: (both - product) / np.sqrt((l2 - ll) * (q4 - q2q2))
    if name == "binder_dbeta":
        return lambda q2, q4, by2, by4: q4 * by2 / q2**3 - by4 / (2 * q2**2)
    if name == "xi_over_L_dbeta":
        scale = (2 * L * np.sin(np.pi / L)) ** 2
        return lambda q2, k, by2, byk: (by2 / k - q2 * byk / k**2) / (2 * scale * np.sqrt((q2 / k - 1) / scale))
    return lambda mean: (L**3 if name.startswith("chi") else 1) * mean


def gradient(f, means):
    """By differences of the fourth order: ten digits and more."""
    slopes = []
    for i, mean in enumerate(means):
        step = 1e-3 * mean
        at = lambda k, i=i, step=step: f(*(m + k * step * (j == i) for j, m in enumerate(means)))
        slopes.append((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step))
    return slopes


def shared_noise(files, chosen, name):
    """Sum over the packs of 32, of which m realizations are chosen: the part m (m - 1) / (32 * 31)."""
    m = chosen.reshape(-1, 32).sum(axis=1)
    return np.concatenate([file[f"shared/{name}"][:] for file in files], axis=1) @ (m * (m - 1) / (32 * 31))


def expected_average(files, L, name, chosen):
    """Value, error, and the part of the error that comes from shared random numbers."""
    of, f = OF.get(name, (name,)), function(name, L)
    columns = [of_all(files, f"mean/{o}")[chosen] for o in of]
    n = len(columns[0])
    means = [c.mean(axis=0) for c in columns]
    rest = np.array([f(*(np.delete(c, j, axis=0).mean(axis=0) for c in columns)) for j in range(n)])
    if name in LIKE:  # no error if sharing adds more than a tenth to the other errors at some temperature, because there are fewer than 10 packs
        others = [expected_average(files, L, like, chosen)[1:] for like in LIKE[name]]
        few = name in ("q2_spread", "guerra") and n < 512  # skewed distributions
        unknown = few or np.any([error > 1.1 * np.sqrt(error**2 - shared**2) for error, shared in others])
        return f(*means), np.where(unknown, np.nan, np.sqrt((n - 1) * rest.var(axis=0))), None
    slopes = gradient(f, means)
    noise = sum(slope**2 * shared_noise(files, chosen, o) for slope, o in zip(slopes, of))
    if len(of) == 2:
        noise = noise + 2 * slopes[0] * slopes[1] * shared_noise(files, chosen, "_".join(of))
    shared = np.sqrt(np.maximum(noise, 0)) / n
    return f(*means), np.hypot(np.sqrt((n - 1) * rest.var(axis=0)), shared), shared


def equilibrated(files):
    return of_all(files, "equilibration/equilibrated") == 1


@pytest.mark.parametrize("L", [4, 6])
def test_averages_over_all_and_over_those_that_pass(study, L):
    files, reduced, _ = study
    files, group, passing = files[L], reduced[f"L{L}"], equilibrated(files[L])
    assert 2 < passing.sum() < len(passing) - 2
    for name in NAMES:
        value, error, shared = expected_average(files, L, name, np.full(len(passing), True))
        close(group[name], value)
        close(group[f"{name}_err"], error)
        if shared is None:
            assert f"{name}_err_shared" not in group
        else:
            close(group[f"{name}_err_shared"], shared, 1e-9)
        value, error, _ = expected_average(files, L, name, passing)
        close(group[f"{name}_passing"], value)
        close(group[f"{name}_passing_err"], error)
    assert any((group[f"{name}_err_shared"][:] > 0).any() for name in NAMES if name not in LIKE)
    assert {name.removesuffix("_passing") for name in group if name.endswith("_passing")} == set(NAMES)


@pytest.mark.parametrize("L", [4, 6])
def test_overlap_densities(study, L):
    files, reduced, _ = study
    group = reduced[f"L{L}"]
    width, density = overlap_density(of_all(files[L], "histogram/overlap"), L)
    found = group["histogram_density"][:]
    close(group["histogram_q_width"], width)
    close(found, density.mean(axis=0))
    close(group["histogram_density_err"], density.std(axis=0, ddof=1) / np.sqrt(len(density)))
    close(found @ width, np.ones(len(found)))
    assert np.array_equal(group["coldest_overlap_counts"], of_all(files[L], "histogram/overlap")[:, 0])
    assert np.array_equal(found, found[:, ::-1])
    width, density = link_density(of_all(files[L], "histogram/link"), L)
    close(group["histogram_link_width"], width)
    close(group["histogram_link_density"], density.mean(axis=0))
    close(group["histogram_link_density_err"], density.std(axis=0, ddof=1) / np.sqrt(len(density)))
    for name in ("energy", "count", "first_half"):
        assert np.array_equal(group[f"lowest_{name}"], of_all(files[L], f"lowest/{name}"))


@pytest.mark.parametrize("L", [4, 6])
def test_exchanges_and_verdicts(study, L):
    files, reduced, _ = study
    group, walkers = reduced[f"L{L}"], 2 * 3
    trips = np.concatenate([1e6 * file["tempering/round_trips"][:] / walkers / file["tempering/sweeps"][0] for file in files[L]])
    assert trips.mean() > 0 and {int(file["tempering/sweeps"][0]) for file in files[L]} == {b[2] for b in BATCHES if b[0] == L}
    close(group["round_trips"], np.full(3, trips.mean()))
    close(group["swap_rate"], np.concatenate([file["tempering/swap_rate"][:] for file in files[L]], axis=1).mean(axis=1))
    close(group["equilibrated_fraction"], np.full(3, equilibrated(files[L]).mean()))
    for name in ("energy", "q2"):
        close(group[f"tau_{name}"], np.nanmean(of_all(files[L], f"tau/{name}"), axis=0))


def test_jackknife_samples(study):
    files, reduced, _ = study
    number = {L: of_all(files[L], "realization") for L in files}
    groups = sorted({r % 200 for L in files for r in number[L]})
    assert list(reduced["jackknife_groups"]) == groups == [*range(32), *range(192, 200)] and reduced["jackknife_groups"].dtype == np.int32
    for L in files:
        assert set(reduced[f"L{L}/jackknife"]) == set(NAMES)
        for name in NAMES:
            columns = [of_all(files[L], f"mean/{o}") for o in OF.get(name, (name,))]
            expected = [function(name, L)(*(c[number[L] % 200 != g].mean(axis=0) for c in columns)) for g in groups]
            close(reduced[f"L{L}/jackknife/{name}"], expected)


def test_the_covariance_from_the_samples_has_the_errors_of_the_averages(study):
    """Groups of one realization or two: not the error of leaving out one at a time, but as large within the scatter of 40 groups."""
    _, reduced, _ = study
    for L in (4, 6):
        for name in NAMES:
            f = reduced[f"L{L}/jackknife/{name}"][:]
            covariance = (len(f) - 1) / len(f) * (f - f.mean(axis=0)).T @ (f - f.mean(axis=0))
            shared = reduced[f"L{L}/{name}_err_shared"][:] if name not in LIKE else 0
            error, quoted = np.sqrt(np.diag(covariance) + shared**2), reduced[f"L{L}/{name}_err"][:]
            assert name in LIKE or np.isfinite(quoted).all()
            np.testing.assert_allclose(np.where(np.isfinite(quoted), error, np.nan), quoted, rtol=0.35)


def test_results_csv_says_what_reduced_says(study):
    _, reduced, rows = study
    assert [row["L"] for row in rows] == ["4"] * 3 + ["6"] * 3
    assert set(rows[0]) - {"L", "T", "n_realizations"} <= set(reduced["L4"]) and list(rows[0])[-16::2] == list(NAMES[-8:])
    for i, row in enumerate(rows):
        group, slot = reduced[f"L{row['L']}"], i % 3
        assert float(row["T"]) == group["temperatures"][slot] and int(row["n_realizations"]) == group.attrs["n_realizations"]
        for name in set(row) - {"L", "T", "n_realizations"}:
            value = group[name][slot] if slot < len(group[name]) else None
            assert np.array_equal(float(row[name]), value, equal_nan=True) if value is not None else (row[name] == "" and name == "swap_rate"), name
