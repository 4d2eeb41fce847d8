"""measure on synthetic run files, against an independent computation with numpy from the series that the files are sums of."""

import h5py
import numpy as np
import pytest
from by_hand import changing
from raw_runs import BASE, Batch, T, block_error, chosen, close, long_enough, run, shared_variance, student_factor, tau_from, write_study


def close_with_error(file, name, mean, error):
    close(file[f"mean/{name}"], mean)
    close(file[f"error/{name}"], error)


@pytest.mark.parametrize("replicas, discard", [(1, 0), (2, 0), (3, 0), (1, 0.5), (2, 0.5), (3, 0.75), (4, 0.5), (5, 0)])
def test_thermal_means(tmp_path, replicas, discard):
    """Averages, errors and times of what run.discard leaves, from blocks long against the autocorrelation time; bins of all."""
    batch = Batch(tmp_path, 4, 32, replicas, write_study(tmp_path, replicas, discard))
    out = batch.measure(batch.chunk(0, 640))
    N, kept = 64, int(64 * (1 - discard))
    blocks = kept // 8
    with h5py.File(out) as file:
        mean, error = file["mean"], file["error"]
        assert file.attrs["kind"] == "observables"
        assert (file.attrs["averaged_from"], file.attrs["measurements"]) == (640 * discard, kept)
        assert list(file["realization"]) == list(range(32, 64))
        all_e, all_q = batch.series("energy") / N, batch.series("overlap") / N
        e, q = all_e[..., -kept:], all_q[..., -kept:]
        decides = (e, q**2) if replicas > 1 else (e,)
        of_blocks = lambda function: chosen(blocks, function, *decides)
        long = long_enough(blocks, *decides)
        np.testing.assert_array_equal(file["tau/blocks"][:], of_blocks(lambda number: np.full(long.shape, number)))
        np.testing.assert_array_equal(file["tau/too_short"][:], of_blocks(lambda number: ~long_enough(number, *decides)))
        close(mean["energy"], e.mean(axis=(0, 3)))
        close(error["energy"], of_blocks(lambda number: student_factor(replicas * (number - 1)) * np.sqrt((block_error(e, number) ** 2).sum(axis=0)) / replicas))
        close(mean["energy2"], (e**2).mean(axis=(0, 3)))
        m = e.mean(axis=3)
        if replicas > 1:
            product = np.mean([m[a] * m[b] for a, b in batch.pairs], axis=0)
        else:
            product = of_blocks(lambda number: m[0] ** 2 - block_error(e, number)[0] ** 2)
        close(mean["energy_product"], product)
        heat = N / T[:, None] ** 2 * ((e**2).mean(axis=(0, 3)) - product)
        close(mean["specific_heat"], heat, 1e-9)
        assert np.all(file["error/specific_heat"][:] > 0)
        close(file["tau/energy"], of_blocks(lambda number: 10 * tau_from(e, number)), 1e-9)
        accepted = (np.arange(32 * replicas * 2) % 64).reshape(32, replicas, 2)
        close(file["tempering/swap_rate"], accepted.mean(axis=1).T / 64)
        assert list(file["tempering/round_trips"]) == [3 * replicas] * 32
        if replicas == 1:
            assert np.isnan(mean["q2"][:]).all() and np.isnan(file["tau/q2"][:]).all()
            return
        close(file["tau/q2"], of_blocks(lambda number: 10 * tau_from(q**2, number)), 1e-9)
        link = batch.series("link") / (3 * N)
        for name, values in {
            "q_abs": np.abs(q), "q2": q**2, "q4": q**4, "q_link": link[..., -kept:],
            "kmin": batch.series("kmin")[..., -kept:] / 3,
        }.items():  # fmt: skip
            close_with_error(file, name, values.mean(axis=(0, 3)), of_blocks(lambda number: student_factor(number - 1) * block_error(values.mean(axis=0), number)))
        # q has a sign: its blocks are long against its own time, too, and where none are, it has no error.
        error_of_q = chosen(blocks, lambda number: student_factor(number - 1) * block_error(q.mean(axis=0), number), *decides, q)
        known = long_enough(blocks, q) | (long_enough(blocks // 2, q) if blocks >= 8 else False)
        close_with_error(file, "q", q.mean(axis=(0, 3)), np.where(known, error_of_q, np.nan))
        kept_link = link[..., -kept:]
        for name, values in {"q_link2": kept_link**2, "q2_q_link": q**2 * kept_link}.items():
            close_with_error(file, name, values.mean(axis=(0, 3)), of_blocks(lambda number: student_factor(number - 1) * block_error(values.mean(axis=0), number)))
        for name, x, y in (("q2_product", q**2, q**2), ("q_link_product", kept_link, kept_link), ("q2_q_link_product", q**2, kept_link)):
            product = lambda rows: product_of_means(x[..., rows], y[..., rows], batch.pairs)
            bias = of_blocks(lambda number: covariance_of_means(x.mean(axis=0), y.mean(axis=0), number)) if replicas < 4 else 0
            close(mean[name], product(slice(None)) - bias)
            close(error[name], of_blocks(lambda number: student_factor(number - 1) * without_blocks(product, kept, number)), 1e-9)
        own = batch.pair_energies(N * e)
        kmin = batch.series("kmin")[..., -kept:] / 3
        for name, x in {"q2": q**2, "q4": q**4, "kmin": kmin}.items():
            E = own if replicas == 2 else np.array([2 * np.delete(N * e, pair, axis=0).mean(axis=0) for pair in batch.pairs])
            bias = 2 * covariance_of_means(x[0], E[0], 2) - covariance_of_means(x[0], E[0], 4) if replicas == 2 else 0
            O, of_E = x.mean(axis=3, keepdims=True), E.mean(axis=3, keepdims=True)
            deviations = (x * own - x * of_E - O * E).mean(axis=0)
            rounding = 2.0**-32 * np.abs(x * own).max()  # of the sums of O E, from which as much is taken off
            wanted = -((x * own).mean(axis=3) - (O * of_E)[..., 0]).mean(axis=0) - bias
            np.testing.assert_allclose(mean[f"{name}_dbeta"][:], wanted, rtol=0, atol=rounding)
            np.testing.assert_allclose(error[f"{name}_dbeta"][:], of_blocks(lambda number: student_factor(number - 1) * block_error(deviations, number)), rtol=0, atol=rounding)
            assert np.abs(wanted).mean() > 1e5 * rounding
        edges = [0, 10, 20, 40, 80, 160, 320, 640]
        assert list(file["log2/edges"]) == edges
        last = batch.chunks[0][0] > 320
        close(file["log2/energy"][-1], all_e[..., last].mean(axis=(0, 3)))
        close(file["log2/q2"][-1], (all_q[..., last] ** 2).mean(axis=(0, 3)))
        close(file["log2/q_link"][-2], link[..., 16:32].mean(axis=(0, 3)))
        assert file["histogram/overlap"][:].sum() == file["histogram/link"][:].sum() == 3 * 32 * 64 * len(batch.pairs)


@pytest.mark.parametrize("replicas", [1, 2])
def test_lowest_energies(tmp_path, replicas):
    """At the coldest temperature, of all blocks and replicas."""
    batch = Batch(tmp_path, 4, 0, replicas, write_study(tmp_path, replicas))
    runs = [batch.chunk(0, 320), batch.chunk(320, 640)]
    E = batch.series("energy")[:, 0]
    with h5py.File(batch.measure(*runs)) as file:
        np.testing.assert_array_equal(file["lowest/energy"], E.min(axis=(0, 2)))
        np.testing.assert_array_equal(file["lowest/count"], (E == E.min(axis=(0, 2), keepdims=True)).sum(axis=(0, 2)))
        np.testing.assert_array_equal(file["lowest/first_half"], E[..., :32].min(axis=(0, 2)))
        assert 0 < (file["lowest/energy"][:] < file["lowest/first_half"][:]).sum() < 32


def product_of_means(x, y, pairs):
    """Returns the product of means of pairs without a common replica, from (pair, T, R, n). Without such pairs, uses averages over all pairs."""
    a, b = x.mean(axis=3), y.mean(axis=3)
    disjoint = [a[i] * b[j] for i, first in enumerate(pairs) for j, second in enumerate(pairs) if not set(first) & set(second)]
    return np.mean(disjoint, axis=0) if disjoint else a.mean(axis=0) * b.mean(axis=0)


def covariance_of_means(x, y, blocks):
    """Of series (T, R, n), from equal blocks."""
    return (block_error(x + y, blocks) ** 2 - block_error(x - y, blocks) ** 2) / 4


def without_blocks(function, measurements, blocks):
    """The error by the jackknife over equal blocks of a function of the measurements that are left."""
    place = np.arange(measurements) * blocks // measurements
    rest = np.array([function(np.flatnonzero(place != block)) for block in range(blocks)])
    return np.sqrt((blocks - 1) * rest.var(axis=0))


@pytest.mark.parametrize("replicas, share", [(1, 32), (2, 32), (3, 32), (2, 1)])
def test_shared_noise(tmp_path, replicas, share):
    """Packs of 32, 32 and 16 realizations; nothing is shared at share 1."""
    study = write_study(tmp_path, replicas, share=("share: 32", f"share: {share}"))
    batch = Batch(tmp_path, 4, 32, replicas, study, count=80)
    out = batch.measure(batch.chunk(0, 640))
    N = 64
    with h5py.File(out) as file:
        if share == 1:
            assert "shared" not in file
            return
        overlaps = ("q_abs", "q2", "q4", "q_link", "kmin", "q2_q4", "q2_kmin")
        assert sorted(file["shared"]) == sorted(["energy", "specific_heat", *overlaps])
        assert file["shared/energy"].shape == (len(T), 3)
        e, q = batch.series("energy") / N, batch.series("overlap") / N
        pick = (e, q**2) if replicas > 1 else (e,)
        close(file["shared/energy"], shared_variance(e, share, pick=pick), 1e-9)
        m = e.mean(axis=3, keepdims=True)
        others = (m.sum(axis=0) - m) / (replicas - 1) if replicas > 1 else m
        heat = N / T[:, None, None] ** 2 * (e**2 - 2 * others * e)
        np.testing.assert_allclose(file["shared/specific_heat"][:], shared_variance(heat, share, pick=pick), atol=1e-9)
        if replicas == 1:
            assert all(np.isnan(file[f"shared/{name}"][:]).all() for name in overlaps)
            return
        link = batch.series("link") / (3 * N)
        kmin = batch.series("kmin") / 3
        shared = lambda values: shared_variance(values.mean(axis=0, keepdims=True), share, pick=pick)
        for name, values in {"q_abs": np.abs(q), "q2": q**2, "q4": q**4, "q_link": link, "kmin": kmin}.items():
            close(file[f"shared/{name}"], shared(values), 1e-9)
        for name, second in {"q2_q4": q**4, "q2_kmin": kmin}.items():
            close(file[f"shared/{name}"], (shared(q**2 + second) - shared(q**2 - second)) / 4, 1e-7)


def test_verdict(tmp_path):
    """White noise is equilibrated; a power-law approach to equilibrium is not; the test "none" says so but lets pass."""
    study = write_study(tmp_path)
    good, bad = Batch(tmp_path, 4, 0, 2, study), Batch(tmp_path, 4, 32, 2, study)
    with h5py.File(good.measure(good.chunk(0, 640))) as file:
        assert file["equilibration/equilibrated"][:].sum() >= 31
        assert np.all(file["equilibration/max_deviation"][:] > 0)
        assert file["equilibration"].attrs["test"] == "log2"
        sigma = np.concatenate([file["equilibration/sigma_energy"][:], file["equilibration/sigma_q2"][:]])
        close(file["equilibration/max_deviation"], np.abs(sigma).max(axis=(0, 1)))
        worst = np.abs(sigma).max(axis=0).argmax(axis=0)
        assert list(file["equilibration/worst_temperature"]) == list(worst)
        # 8 blocks: 4 and 2 lie inside the last bins; about means 3 + 1 degrees of freedom
        assert np.all(file["equilibration/dof_q2"][:] == 4)
        assert np.all(file["equilibration/dof_energy"][:] == 8)
    path = bad.chunk(0, 640, drift=8.0)
    with h5py.File(bad.measure(path)) as file:
        assert file["equilibration/equilibrated"][:].sum() < 8
        deviation = file["equilibration/max_deviation"][:]
    with h5py.File(bad.measure(path, extra=["--set", "equilibration.test=none"])) as file:
        assert np.all(file["equilibration/equilibrated"][:] == 1)
        close(file["equilibration/max_deviation"], deviation)
        assert file["equilibration"].attrs["test"] == "none"


def test_slow_walkers(tmp_path):
    """Realizations whose walkers do not move are not equilibrated, whatever their averages say; unless that is not asked for."""
    batch = Batch(tmp_path, 4, 0, 2, write_study(tmp_path))
    path = batch.chunk(0, 640, stuck=(3, 17))
    with h5py.File(batch.measure(path, extra=["--set", "equilibration.min_walk_times=8"])) as file:
        walk, verdict = file["tau/walk"][:], file["equilibration/equilibrated"][:]
        assert file["equilibration"].attrs["min_walk_times"] == 8
        moving = np.delete(walk, [3, 17])
        np.testing.assert_allclose(walk[[3, 17]], 320, rtol=1e-12)
        s = batch.series("walker_slot")[:, :, [r for r in range(32) if r not in (3, 17)]] - 1.0
        parts = s.reshape(*s.shape[:-1], 8, 8).mean(axis=-1)  # 8 blocks of 8 measurements: tau = 10 * 8 / (2 * 2/3) <(mean)^2>
        times = 60 * (parts**2).mean(axis=(1, 3)).max(axis=0)
        decided = times <= 8.0  # a tenth of a block
        assert decided.sum() > 20
        np.testing.assert_allclose(moving[decided], times[decided], rtol=1e-12)
        assert verdict[3] == verdict[17] == 0
        within = (8 * walk <= 640) & (file["equilibration/max_deviation"][:] <= 4)
        assert list(verdict) == list(within) and within.sum() >= 28
    with h5py.File(batch.measure(path, extra=["--set", "equilibration.min_walk_times=0"])) as file:
        assert file["equilibration/equilibrated"][[3, 17]].all()


def test_chunks(tmp_path):
    """Run files are sorted by their sweeps; averages are over all; the blocks grow with the run."""
    batch = Batch(tmp_path, 4, 0, 2, write_study(tmp_path))
    a, b = batch.chunk(0, 640), batch.chunk(640, 1280)
    sorted_out = batch.measure(a, b, out=tmp_path / "sorted.h5")
    reverse_out = batch.measure(b, a, out=tmp_path / "reverse.h5")
    e = batch.series("energy") / 64
    with h5py.File(sorted_out) as one, h5py.File(reverse_out) as two:
        close(one["mean/energy"], e.mean(axis=(0, 3)))
        q2 = (batch.series("overlap") / 64) ** 2
        close(one["error/energy"], chosen(8, lambda number: student_factor(2 * (number - 1)) * np.sqrt((block_error(e, number) ** 2).sum(axis=0)) / 2, e, q2))
        assert list(one["log2/edges"]) == [0, 10, 20, 40, 80, 160, 320, 640, 1280]
        assert one.attrs["run_last"] == 1280 and one["tempering/sweeps"][0] == 1280
        assert one["histogram/overlap"][:].sum() == 3 * 32 * 128

        def same(name, node):
            if isinstance(node, h5py.Dataset):
                np.testing.assert_array_equal(node[()], two[name][()])

        for group in ("mean", "error", "tau", "equilibration", "log2", "tempering", "histogram"):
            one[group].visititems(lambda name, node, group=group: same(f"{group}/{name}", node))


def changed(path, attribute, value):
    with changing(path) as file:
        file.attrs[attribute] = value


def test_refused_runs(tmp_path):
    study = write_study(tmp_path)
    batch, other = Batch(tmp_path, 4, 0, 2, study), Batch(tmp_path, 4, 32, 2, study)
    a, b, c = batch.chunk(0, 640), batch.chunk(640, 1280), batch.chunk(1280, 2560)
    stranger = other.chunk(0, 640)
    out = tmp_path / "none.h5"
    for runs, words in (
        ([a, c], ["640 to 1280 are missing", a.name, c.name]),
        ([b, c], ["0 to 640 are missing", b.name]),
        ([a, b, b], ["sweeps in common", b.name]),
        ([stranger], [stranger.name, "32 to 63", "0 to 31"]),
        ([tmp_path / "no.h5"], ["no.h5"]),
        ([batch.disorder], [batch.disorder.name, "run"]),
    ):
        message = batch.measure(*runs, out=out, code=1)
        assert all(word in message for word in words), message
        assert not out.exists()
    message = batch.measure(a, out=out, code=1, extra=["--set", "seed=8"])
    assert "seed = 7" in message and "seed = 8" in message
    message = batch.measure(a, out=out, code=1, extra=["--set", "replicas=3"])
    assert "replicas = 2" in message and "replicas = 3" in message
    for key, mine, other in (("measure_every", 10, 5), ("blocks", 8, 4), ("histogram_bins", 20, 10)):
        message = batch.measure(a, out=out, code=1, extra=["--set", f"run.{key}={other}"])
        assert f"run.{key} = {mine}, but the configuration has {other}" in message
        changed(b, f"run.{key}", other)
        message = batch.measure(a, b, out=out, code=1)
        assert all(word in message for word in (b.name, f"run.{key}", str(mine), str(other))), message
        changed(b, f"run.{key}", mine)
    changed(b, "grid_base", 160)
    message = batch.measure(a, b, out=out, code=1)
    assert f"{b} has grid_base = 160, but {a} has 80" in message
    changed(a, "grid_base", 160)
    assert "/blocks/edges" in batch.measure(a, b, out=out, code=1)
    changed(a, "grid_base", 81)
    assert "not ends of runs with grid_base = 81" in batch.measure(a, out=out, code=1)
    changed(a, "grid_base", BASE)
    changed(b, "grid_base", BASE)
    with changing(b) as file:
        file["blocks/count"][0] += 1
    assert "/blocks/count" in batch.measure(a, b, out=out, code=1)
    with changing(a) as file:
        file.attrs["couplings_hash"] = "0123456789abcdef"
    assert "other couplings" in batch.measure(a, out=out, code=1)
    message = batch.measure(a, out=out, code=1, extra=["--from-snapshots"])
    assert not out.exists()


SWENDSEN_WANG = "dynamics.update=swendsen-wang"
SITES = ["--set", "lattice.L=[64]", "multispin.lanes=sites", "multispin.share=1", "model.dimension=2"]


@pytest.mark.parametrize("replicas, L, count, model", [(1, 4, 40, []), (3, 4, 40, []), (2, 64, 3, SITES), (1, 64, 2, [*SITES, "model.kind=ferromagnet"]), (1, 64, 2, [*SITES, "model.kind=ferromagnet", SWENDSEN_WANG])])
def test_snapshots(tmp_path, replicas, L, count, model):
    """With a snapshot at every measurement, measuring the snapshots gives the file of the sums, in every bit."""
    study = write_study(tmp_path, replicas)
    options = ["--config", study, *model, "--L", L, "--set", "run.snapshots=64", "--disorder", tmp_path / "d.h5"]
    run("gen-disorder", "--config", study, *model, "--L", L, "--first", 32, "--count", count, "--out", tmp_path / "d.h5")
    run("thermalize", *options, "--out", tmp_path / "s.h5")
    run("pt-run", *options, "--state", tmp_path / "s.h5", "--out", tmp_path / "r0.h5", "--state-out", tmp_path / "s1.h5")
    run("pt-run", *options, "--state", tmp_path / "s1.h5", "--out", tmp_path / "r1.h5")
    runs = ["--run", tmp_path / "r1.h5", tmp_path / "r0.h5"]
    run("measure", *options, *runs, "--out", tmp_path / "sums.h5")
    run("measure", *options, *runs, "--from-snapshots", "--out", tmp_path / "snapshots.h5")
    files = [tmp_path / "sums.h5", tmp_path / "snapshots.h5"]
    if SWENDSEN_WANG in model:
        files.reverse()  # snapshots do not contain clusters
    check_same_datasets(*files)
    if model:  # snapshots have no coding
        run("measure", *options, "--set", "multispin.lanes=realizations", *runs, "--from-snapshots", "--out", tmp_path / "realizations.h5")
        check_same_datasets(files[0], tmp_path / "realizations.h5")


def check_same_datasets(first, second):
    compared = []
    with h5py.File(first) as one, h5py.File(second) as two:

        def same(name, node):
            if isinstance(node, h5py.Dataset) and not name.startswith("provenance"):
                np.testing.assert_array_equal(node[()], two[name][()])
                compared.append(name)

        one.visititems(same)
    assert "mean/energy" in compared and len(compared) > 30
