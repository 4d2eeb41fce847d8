"""Writes docs/validation.md: exact values, what the programs measure, and the deviations in standard errors. Sections below the table stay.

    PSFLIP_BIN=build/bin python tests/physics/validation.py
"""

import pathlib
import subprocess
import tempfile

import numpy as np
from scipy import stats

import kaufman
import physics_runs
import physics_statistics as ps
import test_exact_models as models
import test_ferromagnet as ferromagnet
import test_field as field

PAGE = physics_runs.REPOSITORY / "docs" / "validation.md"
HEAD = """# Validation

Exact values beside what `gen-disorder`, `thermalize`, `pt-run` and `measure` give, made by `tests/physics/validation.py`. Errors come
from independent copies; the last column is the deviation in standard errors. The tests in `tests/physics` compare more values, with the
correlations between temperatures.

Build: {version}. All {count} values together: chi^2 = {chi2:.1f}, probability {probability:.2f} if they were independent.

| model | update, share | L | T | quantity | exact | measured | error | deviation |
|---|---|---|---|---|---|---|---|---|
"""


def squares(folder):
    """Kaufman's energies and specific heats."""
    for L in (8, 16, 32):
        T_all = ferromagnet.TEMPERATURES
        means = ferromagnet.measure(
            folder / f"square{L}",
            "dimension: 2",
            L=L,
            temperatures=T_all,
            thermalize=8 * L * L,
            sweeps=32 * L * L,
            measure_every=8,
        )
        for T in (1.9, ferromagnet.SQUARE_T_C, 2.8):
            for name, exact in zip(("energy", "specific_heat"), kaufman.energy_and_heat(L, T)):
                yield "ferromagnet, two dimensions", "metropolis, 1", L, T, name, exact, means[name][T_all.index(T)]


def all_states(folder):
    """One realization of every model on the 4 x 4 lattice."""
    for name, (model, shares) in models.MODELS.items():
        for update in ("metropolis", "heat-bath"):
            for share in shares:
                own = folder / f"{name}-{update}-{share}"
                own.mkdir()
                exact, lanes, means = models.simulate(own, model, update, share)
                slot = 2
                T = models.temperatures_of(model)[slot]
                averages = exact[0].averages(T)
                for quantity in ("energy", "specific_heat", "m2", "q2", "q_link", "replicon", "replicon_kmin", "replicon_diagonal"):
                    if quantity in means and np.isfinite(means[quantity]).all():
                        copies = means[quantity][slot, lanes[0]]
                        yield f"{name.replace('-', ' ')}, two dimensions", f"{update}, {share}", 4, T, quantity, averages[quantity], copies


def free_spins(folder):
    """No bonds, three dimensions."""
    L = field.L
    for update in ("metropolis", "heat-bath"):
        own = folder / f"free-{update}"
        own.mkdir()
        means = field.means_of(own, np.zeros((field.COPIES, 3, L, L, L)), update)
        for slot, T in enumerate(field.TEMPERATURES[:3]):
            x = field.FIELD / T
            for name, exact in (("m", np.tanh(x)), ("specific_heat", (x / np.cosh(x)) ** 2)):
                yield f"no bonds, field {field.FIELD}", f"{update}, 1", L, T, name, exact, means[name][slot]


def main():
    lines, z = [], []
    with tempfile.TemporaryDirectory() as folder:
        for part in (squares, all_states, free_spins):
            for model, how, L, T, quantity, exact, copies in part(pathlib.Path(folder)):
                error = np.std(copies, ddof=1) / np.sqrt(len(copies))
                z.append(float(ps.z_scores(copies[:, None], np.array([exact]))[0]))
                lines.append(
                    f"| {model} | {how} | {L} | {T:.5g} | {quantity} | {exact:.6f} | {np.mean(copies):.6f} | {error:.6f} | {z[-1]:+.2f} |"
                )
                print(lines[-1], flush=True)
    chi2 = float(np.sum(np.square(z)))
    version = subprocess.run([physics_runs.BIN / "pt-run", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    head = HEAD.format(version=version.strip(), count=len(z), chi2=chi2, probability=stats.chi2.sf(chi2, len(z)))
    sections = PAGE.read_text().partition("\n## ") if PAGE.exists() else ("", "", "")
    PAGE.write_text(head + "\n".join(lines) + "\n" + "".join(sections[1:]))


if __name__ == "__main__":
    main()
