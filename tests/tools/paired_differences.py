"""The paired differences of log2 bins in a reduced file, recomputed from observables files."""

import numpy as np
import pytest
import scipy.stats
from raw_runs import close


def check_paired(group, parts):
    """The last half of each realization's run against its earlier log2 bins: files of 32 realizations are packs."""
    count = parts[0]["log2/count"][:]
    k = np.arange(1, len(count))
    largest = 0.0
    for name in ("energy", "q2", "q_link"):
        bins = np.concatenate([p[f"log2/{name}"][:].transpose(2, 0, 1) for p in parts])  # (R, bin, T)
        n = len(bins)
        close(group[f"log2_{name}"], bins.mean(axis=0))
        difference = bins[:, -1:] - bins[:, -1 - k]
        own, f = difference.var(axis=0, ddof=1) / n, (1 / count[-1] + 1 / count[-1 - k])[:, None]
        noises = [p[f"log2/pack_noise_{name}"] for p in parts]
        shared = np.maximum(0, sum(p[f"log2/pack_excess_{name}"][:].sum(axis=1) for p in parts) * f) / n**2
        noise, dof = sum(p[:].sum(axis=1) for p in noises) * f / n**2, sum(p.attrs["dof"] for p in noises)
        dof = np.where(shared > 0, np.minimum(n - 1, (own + shared) ** 2 / (own**2 / (n - 1) + noise**2 / dof)), n - 1)
        t = difference.mean(axis=0) / np.sqrt(own + shared)
        z = -np.sign(t) * scipy.stats.norm.ppf(scipy.stats.t.sf(np.abs(t), dof))
        close(group[f"paired_{name}"], difference.mean(axis=0), 1e-10)
        close(group[f"paired_{name}_err"], np.sqrt(own + shared), 1e-9)
        close(group[f"paired_{name}_z"], z, 1e-9)
        largest = max(largest, np.abs(z[:2]).max())
    assert abs(group.attrs["largest_paired_z"]) == pytest.approx(largest, rel=1e-9)
    assert group.attrs["stationary"] == (largest <= 4) == 1
