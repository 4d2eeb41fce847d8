"""Runs short simulations for figures of papers, and writes their averages as rows.

    python workflows/psflip papers.runs study configs/ising3d.yaml --out FILE.json        averages of all sizes and temperatures of a study
    python workflows/psflip papers.runs field --out FILE.json                             a ferromagnet in several fields, with and without exchanges
    python workflows/psflip papers.runs sweeps --out FILE.json                            Binder ratio of a cold glass against the number of sweeps
    python workflows/psflip papers.runs exchanges --out FILE.json                         time of a flip against the number of sweeps between exchanges
    python workflows/psflip papers.runs cooling configs/fecr.yaml --out FILE.json         field cooling over concentrations, by vectors.cooling

`--set KEY=VALUE` changes keys of the study. Rows have device, commit and date. If FILE.json exists, its rows are replaced."""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.programs import call
from psflip.campaign.whole_files import write_text
from psflip.campaign.yaml_text import load_yaml
from psflip.papers.stored import number, rows_text
from psflip.places import BIN, PACKAGE
from psflip.results.reduced import read_reduced
from psflip.vectors import protocols

KIND = "rows of measurements"
SECONDS = 4 * 3600.0
COLUMNS = ("L", "T", "beta", "n_realizations", "energy", "specific_heat", "m2", "q2", "binder", "binder_m", "xi_over_L", "xi_m_over_L", "chi_replicon", "xi_replicon_over_L", "r12", "equilibrated_fraction")
FIELD_STUDY = """seed: 18
model: {kind: ferromagnet, field: %s}
lattice: {L: [16]}
disorder: {realizations: 128, batch: 128}
temperatures: {list: %s}
replicas: 1
multispin: {share: 1}
dynamics: {sweeps_per_swap: 1}
thermalize: {sweeps: 2048}
run: {sweeps: 16384, measure_every: 8, blocks: 32}
"""
FIELDS, TEMPERED = (0.0, 0.1, 0.5, 1.0, 2.0), np.linspace(4.1, 5.1, 24).round(4).tolist()
ALONE = TEMPERED[::5]  # temperatures of runs without exchanges
COLD_STUDY = """seed: 21
model: {p_ferro: 0.5}
lattice: {L: [8]}
disorder: {realizations: %d, batch: %d}
temperatures: {list: %s}
replicas: 2
multispin: {share: 1}
dynamics: {sweeps_per_swap: 8}
thermalize: {sweeps: 0}
run: {sweeps: %d, measure_every: 8, blocks: 32, discard: 0.5}
"""
EXCHANGES_STUDY = """seed: 6
model: {p_ferro: 0.5}
lattice: {L: [%d]}
disorder: {realizations: %d, batch: %d}
temperatures: {min: 0.7, max: 2.0, count: 24, spacing: linear}
replicas: 2
multispin: {share: %d}
dynamics: {sweeps_per_swap: %d}
thermalize: {sweeps: 0}
run: {sweeps: %d, measure_every: 1000, blocks: 4}
"""
COLD, LADDER = 0.5, np.geomspace(0.5, 1.8, 16).round(4).tolist()


def program(given: argparse.Namespace, name: str, *words: object) -> None:
    sweeps = ["--backend", given.backend, "--threads", given.threads] if name in ("thermalize", "pt-run") else []
    done = call([given.bin / name, *words, *sweeps, "--log-level", "warn"], SECONDS)
    if done.returncode:
        raise StudyError((done.stderr or done.stdout).strip() or f"{name} ended with exit code {done.returncode} and without a message")


def origin(run: Path) -> dict[str, str]:
    """Returns device, commit and date of a run file."""
    with hdf5_file(run, "a run as pt-run writes it") as file:
        about = file["provenance"].attrs
        backend, device = about["backend"], about["device"]
        return {"device": f"{backend}, {device}" if backend.startswith("cpu") else f"cuda {device}", "commit": about["git_commit"], "date": about["end_time"]}


def run_of(given: argparse.Namespace, study: Path, L: int, folder: Path) -> tuple[Path, Path, list[object]]:
    """Returns disorder file, run file and common options of all realizations of a size."""
    common: list[object] = ["--config", study, "--L", L, *(word for change in given.set for word in ("--set", change))]
    count = load_yaml(study.read_text(encoding="utf-8"))["disorder"]["realizations"]
    count = next((int(change.partition("=")[2]) for change in given.set if change.startswith("disorder.realizations=")), count)
    disorder, state, run = (folder / f"{name}-{L}.h5" for name in ("disorder", "state", "run"))
    program(given, "gen-disorder", *common, "--first", 0, "--count", count, "--out", disorder)
    program(given, "thermalize", *common, "--disorder", disorder, "--out", state)
    program(given, "pt-run", *common, "--disorder", disorder, "--state", state, "--out", run)
    return disorder, run, common


def averages(given: argparse.Namespace, study: Path, folder: Path) -> list[dict]:
    """Returns a row for each size and temperature of a study, and for each crossing of two sizes."""
    sizes = load_yaml(study.read_text(encoding="utf-8"))["lattice"]["L"]
    observables, about = [], {}
    for L in given.L or (sizes if isinstance(sizes, list) else [sizes]):
        disorder, run, common = run_of(given, study, L, folder)
        observables.append(folder / f"observables-{L}.h5")
        program(given, "measure", *common, "--disorder", disorder, "--run", run, "--out", observables[-1])
        about = origin(run)
    changes = [word for change in given.set for word in ("--set", change)]
    program(given, "reduce-disorder", "--config", study, *changes, "--out", folder / "reduced.h5", "--csv", folder / "results.csv", *observables)
    with (folder / "results.csv").open(encoding="utf-8") as file:
        table = [{name: number(text) for name, text in row.items()} for row in csv.DictReader(file)]
    kept = [{name: row[name] for column in COLUMNS for name in (column, f"{column}_err") if name in row} for row in table]
    rows = [{"series": "averages"} | row for row in kept] + (crossing_rows(folder / "reduced.h5") if len(observables) > 1 else [])
    return [row | about for row in rows]


def crossing_rows(reduced: Path) -> list[dict]:
    """Returns a row for each crossing of two sizes, from fits with the covariance of the temperatures; without a crossing, the row has its note alone."""
    rows = []
    for name, crossings in read_reduced(reduced).crossings.items():
        for c in crossings:
            found = {"T": c.T, "T_err": c.T_err, "value": c.value, "value_err": c.value_err} if c.found else {}
            rows.append({"series": "crossings", "observable": name, "L1": c.L1, "L2": c.L2} | found | {"note": c.note})
    return rows


def field_rows(given: argparse.Namespace, folder: Path) -> list[dict]:
    """Returns rows of a ladder with exchanges, and of single temperatures, in each field."""
    rows = []
    for field in FIELDS[: given.fields]:
        for number_of_run, temperatures in enumerate([TEMPERED, *([T] for T in ALONE)]):
            mine = folder / f"{field}-{number_of_run}"
            mine.mkdir()
            (mine / "study.yaml").write_text(FIELD_STUDY % (field, temperatures), encoding="utf-8")
            rows += [row | {"field": field, "tempering": len(temperatures) > 1} for row in averages(given, mine / "study.yaml", mine)]
    return with_differences(rows)


def with_differences(rows: list[dict]) -> list[dict]:
    """Adds `energy_difference` and `m2_difference` to rows without exchanges: the value minus the value with exchanges, in errors of both."""
    tempered = {(row["field"], row["T"]): row for row in rows if row["tempering"]}

    def difference(row: dict, name: str) -> float:
        other = tempered[row["field"], row["T"]]
        return float((row[name] - other[name]) / np.hypot(row[f"{name}_err"], other[f"{name}_err"]))

    return [row if row["tempering"] else row | {f"{name}_difference": difference(row, name) for name in ("energy", "m2")} for row in rows]


def binder_of(q2: np.ndarray, q4: np.ndarray) -> tuple[float, float]:
    """Returns (3 - [q^4]/[q^2]^2)/2 and its jackknife error over realizations."""
    n = len(q2)
    ratio = lambda a, b: (3 - b / a**2) / 2
    left_out = ratio((q2.sum() - q2) / (n - 1), (q4.sum() - q4) / (n - 1))
    return float(ratio(q2.mean(), q4.mean())), float(np.sqrt((n - 1) * left_out.var()))


def sweeps_rows(given: argparse.Namespace, folder: Path) -> list[dict]:
    """Returns a row for each power of two t: averages over the sweeps t/2 to t after random spins."""
    rows = []
    for tempering, temperatures, sweeps in ((True, LADDER, given.sweeps), (False, [COLD], given.sweeps_alone or 8 * given.sweeps)):
        mine = folder / str(tempering)
        mine.mkdir()
        (mine / "study.yaml").write_text(COLD_STUDY % (given.realizations, given.realizations, temperatures, sweeps), encoding="utf-8")
        _, run, _ = run_of(given, mine / "study.yaml", 8, mine)
        with hdf5_file(run, "a run as pt-run writes it") as file:
            edges, count = file["blocks/edges"][:], file["blocks/count"][:]
            q2, q4 = (file[f"blocks/overlap{power}"][:, 0, 0, :] for power in (2, 4))
        for t in (int(edge) for edge in edges[1:] if edge >= 64 and edge & (edge - 1) == 0):
            here = (edges[1:] <= t) & (edges[:-1] >= t // 2)
            binder, error = binder_of(*(of[here].sum(axis=0) / count[here].sum() for of in (q2, q4)))
            rows.append({"series": "sweeps", "L": 8, "T": COLD, "realizations": given.realizations, "tempering": tempering, "t": t, "binder": binder, "binder_err": error} | origin(run))
    return rows


def exchange_rows(given: argparse.Namespace, folder: Path) -> list[dict]:
    """Returns a row for each number of sweeps between exchanges: the time of a flip, from the difference of runs of `given.sweeps` and three times as many sweeps. The value is the median of
    `given.repeats` differences, and `spread` is their range divided by the median."""
    rows, L = [], (given.L or [16])[0]
    for share, sweeps in ((128, given.sweeps), (1, max(given.sweeps // 4, 4000))):
        for every in given.every:
            mine = folder / f"{share}-{every}"
            mine.mkdir()
            disorder, state, about = mine / "disorder.h5", mine / "state.h5", {}
            studies = [mine / "short.yaml", mine / "long.yaml"]
            for study, length in zip(studies, (sweeps // 1000 * 1000, 3 * (sweeps // 1000) * 1000)):
                study.write_text(EXCHANGES_STUDY % (L, given.realizations, given.realizations, share, every, length), encoding="utf-8")
            program(given, "gen-disorder", "--config", studies[0], "--L", L, "--first", 0, "--count", given.realizations, "--out", disorder)
            program(given, "thermalize", "--config", studies[0], "--L", L, "--disorder", disorder, "--out", state)
            found = []
            for repeat in range(given.repeats):
                spent = []
                for study in studies:
                    run = mine / f"{study.stem}-{repeat}.h5"
                    program(given, "pt-run", "--config", study, "--L", L, "--disorder", disorder, "--state", state, "--out", run)
                    with hdf5_file(run, "a run as pt-run writes it") as file:
                        spent.append([float(file["provenance"].attrs[name]) for name in ("wall_seconds", "flips")])
                    about = origin(run)
                    run.unlink()
                (short, few), (long, many) = spent
                found.append(1e12 * (long - short) / (many - few))
            median = float(np.median(found))
            rows.append({"series": "exchanges", "L": L, "share": share, "every": every, "realizations": given.realizations, "ps_per_flip": median, "spread": (max(found) - min(found)) / median} | about)
            for file_of_case in (disorder, state):
                file_of_case.unlink()
    return rows


def cooling_rows(given: argparse.Namespace, folder: Path) -> list[dict]:
    """Returns the rows of cooling.csv and transitions.csv, with the field `series`. Transitions also have at the lowest temperature: `moment_z`, the number `negative` of realizations with
    a negative moment, and the number `walls` of realizations whose staggered magnetisation is below 80% of the largest one, because domain walls divide them."""
    words = [sys.executable, PACKAGE, "vectors.cooling", given.study, "--out", folder, "--bin", given.bin, "--backend", given.backend, "--threads", given.threads, "--realizations", given.realizations]
    words += ["--concentrations", *given.concentrations] if given.concentrations else []
    done = call([*words, *(word for change in given.set for word in ("--set", change))], SECONDS)
    if done.returncode:
        raise StudyError((done.stderr or done.stdout).strip())
    about = origin(next(folder.glob("relax-*.h5")))
    tables = {name: [{key: number(text) for key, text in row.items()} for row in csv.DictReader((folder / f"{name}.csv").read_text(encoding="utf-8").splitlines())] for name in ("cooling", "transitions")}
    kept = ("L", "x", "T", "h", "samples", "moment_z", "moment_z_err", "ms", "ms_err", "even", "even_err", "odd", "odd_err", "chi_ms", "chi_ms_err")
    cold = {row["x"]: row for row in sorted(tables["cooling"], key=lambda row: -row["T"])}
    rows = [{"series": "cooling"} | {name: row[name] for name in kept} for row in tables["cooling"]]
    for row in tables["transitions"]:
        values = protocols.read(folder / f"relax-{row['x']:g}.h5").values
        ms, moment = values["ms"][:, -1], values["moment_z"][:, -1]
        found = {"negative": int((moment < 0).sum()), "walls": int((ms < 0.8 * ms.max()).sum())}
        rows.append({"series": "transitions"} | row | {name: cold[row["x"]][name] for name in ("moment_z", "moment_z_err")} | found)
    return [{name: None if value != value else value for name, value in row.items()} | about for row in rows]


ROWS = {"cooling": cooling_rows, "field": field_rows, "sweeps": sweeps_rows, "exchanges": exchange_rows}


def main() -> None:
    parser = Parser(__doc__ or "", "papers.runs")
    parser.add_argument("case", choices=["study", *ROWS])
    parser.add_input("study", nargs="?", help="study file, for the cases study and cooling")
    parser.add_output("--out", KIND, required=True)
    parser.add_argument("--bin", type=Path, default=BIN)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--L", type=int, nargs="+", help="sizes of the case study (default: all sizes of the study), or size of the case exchanges (default: 16)")
    parser.add_argument("--backend", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--every", type=int, nargs="+", default=[1, 2, 5, 10, 20, 50, 100], help="for the case exchanges: numbers of sweeps between exchanges")
    parser.add_argument("--repeats", type=int, default=3, help="for the case exchanges: number of pairs of runs")
    parser.add_argument("--concentrations", type=float, nargs="+", help="for the case cooling (default: 0, 0.1, ..., 1)")
    parser.add_argument("--fields", type=int, default=len(FIELDS), help="for the case field: number of fields")
    parser.add_argument("--realizations", type=int, default=512, help="for the cases sweeps, exchanges and cooling")
    parser.add_argument("--sweeps", type=int, default=1 << 17, help="for the cases sweeps and exchanges: length of the run with exchanges")
    parser.add_argument("--sweeps-alone", type=int, default=0, help="for the case sweeps: length of the run without exchanges (default: eight times --sweeps)")
    given = parser.parse_args()
    if (given.case in ("study", "cooling")) != (given.study is not None):
        raise StudyError("the cases study and cooling need a study file, and other cases take none")
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        if given.case == "study":
            rows = averages(given, given.study, folder)
        else:
            rows = ROWS[given.case](given, folder)
    write_text(given.out, rows_text(rows), KIND)
    print(f"{given.out}: {len(rows)} rows, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")


if __name__ == "__main__":
    main()
