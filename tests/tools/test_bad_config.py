"""Bad configurations and command lines: each ends with its exit code and a message that names file, line and key,
says what would be right, and leaves no output file. The programs are taken from the folder PSFLIP_BIN."""

import os
import pathlib
import subprocess

import h5py
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
GOOD = """\
seed: 7
lattice: {L: 4}
disorder: {realizations: 64, batch: 64}
multispin: {share: 32}
run:
  sweeps: 1600
"""

# name, text appended to GOOD or (after "=") put in its place, words of the message. The first line of an addition is line 7.
CONFIGS = [
    ("unknown key", "run_sweeps: 5\n", ["study.yaml:7", "unknown key run_sweeps"]),
    ("unknown key, near a known one", "replica: 3\n", ["study.yaml:7", "replica", "did you mean replicas?"]),
    ("unknown key in a section", "  sweps: 5\n", ["study.yaml:7", "run.sweps", "did you mean run.sweeps?"]),
    ("dotted key at the root", "model.kind: ferromagnet\n", ["study.yaml:7", "unknown key 'model.kind'", "write 'model:'", "'kind: ferromagnet'"]),
    ("dotted key with a value that is none", "run.sweeps: banana\n", ["study.yaml:7", "unknown key 'run.sweeps'"]),
    ("dotted key in a section", "  sweeps.4: 100\n", ["study.yaml:7", "unknown key 'sweeps.4'"]),
    ("dotted key of a default", "temperatures.min: 1\n", ["study.yaml:7", "unknown key 'temperatures.min'"]),
    ("too many times of a relaxation", "relax: {last: 70368744177664, measure_every: 2}\n", ["study.yaml:7", "relax.measure_every = 2", "35184372088832 times", "use 67108866 or more"]),
    ("repeated key", "seed: 8\n", ["study.yaml:7", "seed is given twice", "study.yaml:1"]),
    ("text for a number", "replicas: two\n", ["study.yaml:7", "replicas = two", "whole number"]),
    ("fraction for a whole number", "replicas: 2.5\n", ["study.yaml:7", "replicas = 2.5", "not a whole number"]),
    ("quoted number", 'replicas: "2"\n', ["study.yaml:7", "replicas", "quotes"]),
    ("list for a number", "replicas: [2]\n", ["study.yaml:7", "replicas = [2] is a list"]),
    ("no value", "replicas:\n", ["study.yaml:7", "replicas has no value"]),
    ("negative sweeps", "thermalize: {sweeps: -10}\n", ["study.yaml:7", "thermalize.sweeps = -10 is negative"]),
    ("huge number", "thermalize: {sweeps: 1000000000000000000000}\n", ["thermalize.sweeps", "too large"]),
    ("not a number", "model: {p_ferro: .nan}\n", ["study.yaml:7", "model.p_ferro", "finite"]),
    ("probability above one", "model: {p_ferro: 1.5}\n", ["study.yaml:7", "model.p_ferro = 1.5", "0 to 1"]),
    ("field", "model: {field: 300}\n", ["study.yaml:7", "model.field = 300", "-100 to 100"]),
    ("four dimensions", "model: {dimension: 4}\n", ["model.dimension = 4", "one of 2, 3"]),
    ("another model", "model: {kind: potts}\n", ["model.kind = potts is not known", "edwards-anderson"]),
    ("shared numbers of a ferromagnet", "model: {kind: ferromagnet}\n", ["multispin.share", "model.kind", "share: 1"]),
    ("odd L", "=lattice: {L: 5}\n", ["study.yaml:1", "odd", "checkerboard", "use 4 or 6"]),
    ("L of one", "=lattice: {L: 1}\n", ["study.yaml:1", "lattice.L = 1", "even L from 4 to 1024"]),
    ("L too large", "=lattice: {L: 1100}\n", ["study.yaml:1", "lattice.L = 1100", "1024"]),
    ("L too large for absent bonds", "=lattice: {L: 1000}\nmodel: {boundary: open}\n", ["study.yaml:1", "lattice.L = 1000", "894"]),
    ("L too large for lanes of replicas", "=lattice: {L: 646}\nmultispin: {lanes: replicas}\n", ["study.yaml:1", "lattice.L = 646", "multispin.lanes = replicas (", "study.yaml:2", "is 644"]),
    ("L twice", "=lattice: {L: [4, 4]}\n", ["study.yaml:1", "4 twice"]),
    ("too many temperatures", "temperatures: {count: 100}\n", ["temperatures.count = 100", "2 to 64"]),
    ("repeated temperature", "temperatures: {list: [1.0, 1.1, 1.0]}\n", ["study.yaml:7", "temperature 1 twice"]),
    ("temperature of zero", "temperatures: {list: [0, 1.1]}\n", ["study.yaml:7", "temperatures.list = 0", "0.01"]),
    ("ladder upside down", "temperatures: {min: 2, max: 1}\n", ["temperatures.min = 2 is not below"]),
    ("temperatures of another size", "temperatures: {6: {min: 1}}\n", ["no value for L = 4", "add 4: ..., or default: ..."]),
    ("share", "=multispin: {share: 16}\n", ["study.yaml:1", "multispin.share = 16", "1, 32, 64, 128"]),
    ("batch", "=disorder: {realizations: 512, batch: 100}\n", ["disorder.batch = 100", "multiple of 128", "use 128"]),
    ("measurements between exchanges", "  measure_every: 15\n", ["study.yaml:7", "run.measure_every = 15", "10 or 20"]),
    ("run too short for its blocks", "  blocks: 18\n", ["run.sweeps = 1600", "too short", "1800"]),
    ("snapshots", "  snapshots: 3\n", ["study.yaml:7", "run.snapshots = 3", "16 measurements", "use 2 or 4"]),
    ("YAML syntax", "replicas: [2\n", ["study.yaml:", "not valid YAML"]),
    ("empty file", "=", ["study.yaml", "empty"]),
    ("list instead of keys", "=- 1\n", ["study.yaml:1", "not a map"]),
    ("binary file", "=\0HDF\0", ["study.yaml", "not a YAML configuration"]),
]

# name, arguments, words of the message. {config}, {out} and {folder} are filled in.
COMMANDS = [
    ("no configuration", ["--out", "{out}"], ["--config is required"]),
    ("no output", ["--config", "{config}"], ["--out is required"]),
    ("missing file", ["--config", "{folder}/none.yaml", "--out", "{out}"], ["none.yaml", "No such file"]),
    ("a folder as configuration", ["--config", "{folder}", "--out", "{out}"], ["is a folder"]),
    ("unknown option", ["--config", "{config}", "--out", "{out}", "--sweeps", "5"], ["--sweeps", "--help"]),
    ("unknown backend", ["--config", "{config}", "--out", "{out}", "--backend", "gpu"], ["--backend", "gpu"]),
    ("negative threads", ["--config", "{config}", "--out", "{out}", "--threads", "-1"], ["--threads"]),
    ("text for threads", ["--config", "{config}", "--out", "{out}", "--threads", "two"], ["--threads"]),
    ("time limit that is no number", ["--config", "{config}", "--out", "{out}", "--time-limit", "nan"], ["--time-limit"]),
    ("negative time limit", ["--config", "{config}", "--out", "{out}", "--time-limit", "-5"], ["--time-limit"]),
    ("unknown log level", ["--config", "{config}", "--out", "{out}", "--log-level", "loud"], ["--log-level", "loud"]),
    ("another L", ["--config", "{config}", "--out", "{out}", "--L", "6"], ["--L 6", "lattice.L = [4]"]),
    ("no L of several", ["--config", "{config}", "--out", "{out}", "--set", "lattice.L=[4,6]"], ["choose one", "--L"]),
    ("override of an unknown key", ["--config", "{config}", "--out", "{out}", "--set", "run.sweps=4"],
     ["--set", "run.sweps", "did you mean run.sweeps?"]),
    ("override with a wrong value", ["--config", "{config}", "--out", "{out}", "--set", "run.sweeps=-4"],
     ["--set", "run.sweeps = -4"]),
    ("override without a value", ["--config", "{config}", "--out", "{out}", "--set", "seed"], ["key.path=value"]),
]


def run(program, arguments, **keywords):
    return subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, timeout=60, **keywords)


def left_in(folder):
    return sorted(p.name for p in folder.iterdir() if p.name != "study.yaml")


def check_refusal(result, words, code=1):
    assert result.returncode == code, result.stderr
    assert result.stderr.startswith("gen-disorder: error: "), result.stderr
    for word in words:
        assert word in result.stderr, f"'{word}' is missing in: {result.stderr}"
    assert "Traceback" not in result.stderr and "terminate called" not in result.stderr


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("name, text, words", CONFIGS, ids=[c[0] for c in CONFIGS])
def test_configuration_is_refused(study, name, text, words):
    study.write_text(text[1:] if text.startswith("=") else GOOD + text)
    out = study.parent / "disorder.h5"
    check_refusal(run("gen-disorder", ["--config", study, "--out", out]), words)
    check_refusal(run("gen-disorder", ["--config", study, "--validate"]), words)
    assert left_in(study.parent) == []


@pytest.mark.parametrize("name, arguments, words", COMMANDS, ids=[c[0] for c in COMMANDS])
def test_command_line_is_refused(study, name, arguments, words):
    folder = study.parent
    filled = [a.format(config=study, out=folder / "disorder.h5", folder=folder) for a in arguments]
    check_refusal(run("gen-disorder", filled), words)
    assert left_in(folder) == []


def test_good_configuration_passes(study):
    assert run("gen-disorder", ["--config", study, "--validate"]).returncode == 0
    assert left_in(study.parent) == []
    result = run("gen-disorder", ["--config", study, "--out", study.parent / "disorder.h5"])
    assert result.returncode == 0, result.stderr
    assert left_in(study.parent) == ["disorder.h5"]


@pytest.mark.parametrize("name", ["reference", "quickstart", "ea3d"])
def test_shipped_configurations_pass(name):
    assert run("gen-disorder", ["--config", ROOT / "configs" / f"{name}.yaml", "--validate"]).returncode == 0


def test_overrides_follow_one_option_or_several(study):
    for number, overrides in enumerate((["--set", "lattice.L=[4,6]", "replicas=3"], ["--set", "lattice.L=6", "--set", "replicas=3"])):
        out = study.parent / f"{number}.h5"
        result = run("gen-disorder", ["--config", study, *overrides, "--L", "6", "--out", out])
        assert result.returncode == 0, result.stderr
        with h5py.File(out) as file:
            assert file.attrs["L"] == 6 and yaml.safe_load(file["provenance"].attrs["config"])["replicas"] == 3


def test_validate_checks_the_size(study):
    check_refusal(run("gen-disorder", ["--config", study, "--validate", "--L", "6"]), ["--L 6"])
    assert run("gen-disorder", ["--config", study, "--validate", "--set", "lattice.L=[4,6]"]).returncode == 0


@pytest.mark.parametrize("program", ["gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder"])
def test_help_version_and_validate_need_no_inputs(study, program):
    shown = run(program, ["--help"])
    assert shown.returncode == 0
    for option in ("--config", "--set", "--out", "--threads", "--log-level", "--validate", "--version", "--help"):
        assert option in shown.stdout
    for option in ("--backend", "--device", "--progress", "--time-limit"):
        has_effect = program in ("thermalize", "pt-run") or (program == "measure" and option in ("--backend", "--device"))
        assert (option in shown.stdout) == has_effect, option
    version = run(program, ["--version"])
    assert version.returncode == 0 and version.stdout.startswith(program + " ")
    assert run(program, ["--config", study, "--validate"]).returncode == 0
    study.write_text(GOOD + "replica: 2\n")
    assert run(program, ["--config", study, "--validate"]).returncode == 1


def test_missing_output_folder_is_refused_before_work(study):
    result = run("gen-disorder", ["--config", study, "--out", study.parent / "none" / "disorder.h5"])
    assert result.returncode == 2
    assert "none/disorder.h5: " in result.stderr and "folder does not exist" in result.stderr
    assert left_in(study.parent) == []


def test_unreadable_configuration(study):
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    study.chmod(0)
    check_refusal(run("gen-disorder", ["--config", study, "--validate"]), ["Permission denied"], code=2)
