"""bench-vector: its table and its file. All timings are short; none is judged."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))


def run(*arguments):
    command = [BIN / "bench-vector", "--backend", "cpu", "--threads", "1", "--seconds", "0.001", "--repeats", "1", *arguments]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def test_every_model_and_update_that_goes_with_it(tmp_path):
    file = tmp_path / "vectors.json"
    models = "ferromagnet,perovskite,canted2d,glass,ising-glass"
    done = run("--model", models, "--update", "metropolis,cone,heat-bath,over-relaxation", "--precision", "float,double", "--L", "6", "--lattices", "3", "--json", file)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert len(done.stdout.splitlines()) == 1 + len(found)
    assert all(entry["ns_per_spin"] > 0 and entry["ns_of_sums"] > 0 and entry["lattices"] == 3 for entry in found)
    updates = {model: {entry["update"] for entry in found if entry["model"] == model and entry["precision"] == "double"} for model in models.split(",")}
    assert updates["ferromagnet"] == updates["canted2d"] == updates["glass"] == {"metropolis", "cone", "heat-bath", "over-relaxation"}
    assert updates["perovskite"] == {"metropolis", "cone"}
    assert updates["ising-glass"] == {"metropolis", "heat-bath"}
    shares = {(entry["model"], entry["update"]): entry["renewed"] for entry in found}
    assert 0.1 < shares["ferromagnet", "metropolis"] < 0.5 and shares["ferromagnet", "heat-bath"] == 1


def test_cold_lattices_accept_less(tmp_path):
    file = tmp_path / "accepted.json"
    assert run("--L", "6", "--lattices", "4", "--model", "perovskite", "--beta", "0.2,1,50", "--json", file).returncode == 0
    accepted = {row["beta"]: row["renewed"] for row in json.loads(file.read_text())}
    assert list(accepted) == [0.2, 1, 50] and accepted[0.2] > accepted[1] > accepted[50] > 0
    assert "--beta: " in run("--beta", "nan").stderr


def test_tiles_are_timed_by_steps(tmp_path):
    file = tmp_path / "tiles.json"
    done = run("--L", "32", "--model", "ferromagnet2d,glass,canted", "--tile", "0,8", "--hits", "1,3", "--tile-order", "alternating", "--json", file)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    cases = [(0, 1, "fixed"), (8, 1, "alternating"), (8, 3, "alternating")]
    assert [(row["model"], row["tile"], row["hits"], row["tile_order"]) for row in found] == [(model, *case) for model in ("ferromagnet2d", "glass") for case in cases] + [("canted", *cases[0])]
    for model in ("ferromagnet2d", "glass"):
        plain, *tiles = (row["renewed"] for row in found if row["model"] == model)
        assert all(abs(renewed - plain) < 0.05 for renewed in tiles)
    for options, message in ((("--tile", "16", "--L", "48"), "use 8"), (("--tile", "8", "--hits", "0"), "--hits"), (("--hits", "2"), "use 1 hit"),
                             (("--tile-order", "reversed"), "give --tile"), (("--model", "canted", "--tile", "8"), "no requested model"), (("--tile", "8", "--hits", "200", "--lengths", "100"), "use more sweeps")):
        done = run("--model", "ferromagnet2d", *options) if "--model" not in options else run(*options)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def test_unknown_names_are_refused():
    for arguments, message in ((("--model", "iron"), "model 'iron' is unknown; use ferromagnet,"), (("--update", "wolff"), "--update 'wolff' is unknown; use metropolis,"), (("--L", "7"), "L = 7 is not an even number"), (("--seconds", "nan"), "--seconds: nan is not a number from 1e-06 to 100000")):
        done = run(*arguments)
        assert done.returncode == 1
        assert message in done.stderr


def test_lengths(tmp_path):
    file = tmp_path / "lengths.json"
    done = run("--L", "6", "--update", "metropolis,over-relaxation", "--precision", "float,double", "--model", "ferromagnet,ising-glass", "--lengths", "40", "--json", file)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text())
    assert {row["model"] for row in found} == {"ferromagnet"} and len(found) == 2 * 2 * 6
    assert [row["sweeps"] for row in found[:6]] == [1, 2, 4, 8, 16, 32]
    for row in found:
        unit = 2.0**-24 if row["precision"] == "float" else 2.0**-53
        assert 0.05 * unit < row["mean"] < unit and row["mean"] < row["largest"] < 8 * unit, row


def test_fast_arithmetic_is_refused_on_the_cpu():
    done = run("--L", "4", "--precision", "fast")
    assert done.returncode == 1 and "needs a GPU" in done.stderr
