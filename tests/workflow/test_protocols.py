"""Protocols of vector spins through the target `relaxation`: a loop of hysteresis, cooling, and the start alone; their tables, page and pictures."""

import csv
import json
import shutil
import sys

import numpy as np
import pytest
from conftest import PROGRAMS, ROOT, snakemake

sys.path.insert(0, str(ROOT / "workflows"))
from psflip.vectors import legs, protocols  # noqa: E402
from psflip.vectors.protocols import Protocol  # noqa: E402

STUDY = """\
seed: 3
model: {MODEL}
lattice: {L: [6, 8]}
disorder: {realizations: 8, batch: 8}
temperatures: {list: [TEMPERATURES]}
replicas: 1
dynamics: {update: cone}
relax: {RELAX}
"""
FIELDS = [1 - 0.25 * i for i in range(8)] + [-1 + 0.25 * i for i in range(9)]
STUDIES = {
    "loop": ("kind: heisenberg, anisotropy: [-1, -1], field: 1", "0.5, 0.9", f"start: up, fields: {FIELDS}, stage_sweeps: 100, measure_every: 10, last: LAST, waiting: [100, 900]"),
    "cooling": ("kind: heisenberg, field: 0.1, exchange: [-1, -1, -1], concentration: 0.3", "0.6", "schedule: linear, factors: [4], stages: 18, stage_sweeps: 400, measure_every: 10, last: 7600, waiting: [400, 7600]"),
    "start": ("kind: heisenberg, dimension: 2", "0.5", "last: 200"),
}  # fmt: skip


def study(folder, name, last=1000):
    model, temperatures, relax = STUDIES[name]
    text = STUDY.replace("MODEL", model).replace("TEMPERATURES", temperatures).replace("RELAX", relax).replace("LAST", str(last))
    (folder / f"{name}.yaml").write_text(text)
    snakemake(folder, "relaxation", study=f"{name}.yaml", bin=PROGRAMS, backend="cpu")
    return folder / "results" / name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not (PROGRAMS / "relax").is_file():
        pytest.skip(f"no relax in {PROGRAMS}; set PSFLIP_BIN")
    return tmp_path_factory.mktemp("protocols")


def rows(out):
    with (out / "relaxation.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_loop_of_hysteresis_in_two_parts(folder):
    out = study(folder, "loop")
    assert json.loads((out / "relaxation.json").read_text())["loops"] == []
    study(folder, "loop", 1700)
    assert sorted(file.name for file in out.glob("L8/*/relax-*0.h5")) == ["relax-1000.h5", "relax-1700.h5"]
    found = json.loads((out / "relaxation.json").read_text())
    assert [(row["L"], row["T"]) for row in found["loops"]] == [(6, 0.5), (6, 0.9), (8, 0.5), (8, 0.9)]
    assert all(0.3 < row["area"] < 3 and 0 < row["area_err"] < 0.5 for row in found["loops"])
    assert [(row["L"], row["T"]) for row in found["field"]] == [(L, T) for L in (6, 8) for T in (0.5, 0.9) for _ in range(2)]
    for row in found["field"]:
        way = -1 if row["h"] == "1 to -1" else 1
        assert 0.1 < way * row["coercive_field"] < 0.75 and 0.6 < -way * row["remanence"] < 0.95, row
    table = [row for row in rows(out) if row["L"] == "8" and row["T"] == "0.5"]
    assert [float(row["h"]) for row in table] == FIELDS and [int(row["t"]) for row in table] == [100 * (i + 1) for i in range(17)]
    assert float(table[0]["moment_z"]) > 0.9 and float(table[8]["moment_z"]) < -0.9 and {row["samples"] for row in table} == {"8"}
    assert {file.stem for file in (out / "relaxation").glob("*.svg")} == {"field", "spins_arrows", "spins_slice", "spins_strip"}
    page = (out / "relaxation.html").read_text()
    assert page.count("<svg") == 4 and "coercive field" in page and "area of the loop" in page


def test_cooling_of_two_species(folder):
    out = study(folder, "cooling")
    found = json.loads((out / "relaxation.json").read_text())
    assert found["field"] == found["loops"] == []
    (small, large) = found["temperature"]
    assert (small["L"], large["L"], large["h"], large["T"]) == (6, 8, 0.1, "2.4 to 0.6")
    assert 1.2 < large["T_order"] < 1.7 and large["T_order_err"] < 0.15 and large["T_compensation"] is None
    assert {file.stem for file in (out / "relaxation").glob("*.png")} == {"temperature", "spins_arrows", "spins_slice", "spins_strip", "spins_species"}
    first = {file.name: file.read_bytes() for file in (out / "relaxation").iterdir()}
    shutil.rmtree(out / "relaxation")
    for stamp in (out / "rounds").glob("relaxation-*"):
        stamp.unlink()
    study(folder, "cooling")
    assert {file.name: file.read_bytes() for file in (out / "relaxation").iterdir()} == first


def test_a_start_alone_is_drawn_against_time(folder):
    out = study(folder, "start")
    table = [row for row in rows(out) if row["L"] == "8"]
    assert [int(row["t"]) for row in table][0] == 2 and float(table[0]["energy"]) > float(table[-1]["energy"]) + 0.3
    assert (out / "relaxation" / "time.png").is_file() and not (out / "relaxation" / "spins_strip.png").exists()


MIXTURE = """\
seed: 5
model: {kind: heisenberg, exchange: [-1, -0.45, -0.22], concentration: 0.3}
lattice: {L: [4, 6]}
disorder: {realizations: 8, batch: 8}
temperatures: {list: [0.6, 0.9, 1.2]}
replicas: 1
dynamics: {update: cone}
thermalize: {sweeps: 40}
run: {sweeps: 160, measure_every: 10}
equilibration: {test: none}
"""


def test_the_report_of_a_study_shows_spins(folder):
    (folder / "mixture.yaml").write_text(MIXTURE)
    snakemake(folder, study="mixture.yaml", bin=PROGRAMS, backend="cpu")
    out = folder / "results" / "mixture"
    page = (out / "report.html").read_text()
    for name in ("spins_arrows", "spins_slice", "spins_species"):
        assert f'id="plot-{name}"' in page and (out / "plots" / f"{name}.png").stat().st_size > 20000, name
    assert "there is no state file" not in page


def protocol(T, h, moment):
    """With a common shift of the moment for each of four samples."""
    moment = np.array(moment, dtype=float)
    return Protocol(8, 3, 0.0, np.array(T, dtype=float), np.array(h, dtype=float), {"moment_z": moment + np.array([-0.03, -0.01, 0.01, 0.03])[:, None]})


def test_legs():
    def found(T, h):
        return [(leg.along, leg.up, leg.first, leg.last) for leg in legs.legs_of(protocol(T, h, np.zeros(len(T))))]

    assert found([4, 3, 2], [1, 1, 1]) == [("T", False, 0, 2)]
    assert found([1] * 5, [1, 0, -1, 0, 1]) == [("h", False, 0, 2), ("h", True, 2, 4)]
    assert found([4, 3, 2, 3, 4], [0, 0, 0, 1, 1]) == [("T", False, 0, 2), ("T", True, 3, 4)]
    assert found([2], [1]) == []


def test_numbers_of_a_loop():
    loop = protocol([1] * 5, [1, 0, -1, 0, 1], [1, 0.5, -1, -0.5, 1])
    down, up = legs.legs_of(loop)
    assert np.allclose([legs.of_field(loop, leg)["remanence"][0] for leg in (down, up)], [0.5, -0.5])
    assert np.allclose([legs.of_field(loop, leg)["coercive_field"][0] for leg in (down, up)], [-1 / 3, 1 / 3])
    error = np.std([-0.03, -0.01, 0.01, 0.03], ddof=1) / 2
    assert np.isclose(legs.of_field(loop, down)["remanence"][1], error)
    assert np.isclose(legs.loop_area(loop)[0], 1.0) and legs.loop_area(loop)[1] < 1e-12
    assert np.isnan(legs.loop_area(protocol([1] * 3, [1, 0, -1], [1, 0, -1]))[0])


def test_other_files_are_refused(folder, tmp_path):
    out = folder / "results" / "loop"
    parts = sorted(out.glob("L6/*/relax-1700.h5"))
    with pytest.raises(protocols.StudyError, match="do not make one relaxation"):
        protocols.read_study(parts)
    other = sorted((folder / "results" / "cooling").glob("L6/*/relax-7600.h5"))
    with pytest.raises(protocols.StudyError, match="do not make one|different"):
        protocols.read_study([*sorted(out.glob("L6/*/relax-1000.h5")), *other])
