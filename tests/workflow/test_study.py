"""The schema of the study file, and that it agrees with the table of keys of the programs."""

import ast
import copy
import os
import subprocess
import sys

import h5py
import jsonschema
import pytest
import yaml
from psflip.campaign.campaign import Campaign
from psflip.campaign.ladders import with_ladder
from psflip.campaign.study import Study, StudyError, canonical, fill_defaults, load_schema, resolve_reference, text_keys, validate
from conftest import ROOT

GOOD = {"lattice": {"L": [4, 6]}, "temperatures": {"min": 0.8, "max": 2.0, "count": 16}}


def changed(path, value):
    data = copy.deepcopy(GOOD)
    *sections, key = path.split(".")
    node = data
    for section in sections:
        node = node.setdefault(section, {})
    node[key] = value
    return data


@pytest.mark.parametrize(
    "path, value",
    [
        ("lattice.L", 8),
        ("temperatures", {"list": [1.0, 1.5]}),
        ("temperatures", {4: {"list": [1.0]}, 6: {"min": 0.9, "max": 1.8, "count": 3}}),
        ("thermalize.sweeps", {4: 10, 6: 20}),
        ("thermalize.sweeps", 0),
        ("multispin.share", 1),
        ("model.p_ferro", 1),
        ("seed", 2**64 - 1),
    ],
)
def test_accepts(path, value):
    found = validate(changed(path, value))
    for key in path.split("."):
        found = found[key]
    assert text_keys(found) == text_keys(value)


@pytest.mark.parametrize(
    "path, value, named",
    [
        ("sed", 3, "sed"),
        ("run.sweep", 3, "sweep"),
        ("seed", -1, "seed"),
        ("seed", "seven", "seed"),
        ("lattice.L", [4, 5], "lattice.L"),
        ("lattice.L", [4, 4], "lattice.L"),
        ("lattice.L", 2, "lattice.L"),
        ("model.kind", "potts", "model.kind"),
        ("model.field", 500, "model.field"),
        ("model.p_ferro", 1.5, "model.p_ferro"),
        ("replicas", 9, "replicas"),
        ("multispin.share", 16, "multispin.share"),
        ("run.sweeps", 0, "run.sweeps"),
        ("run.sweeps", {4: -2}, "run.sweeps"),
        ("run.snapshots", -1, "run.snapshots"),
        ("temperatures", {"list": [1.0], "min": 0.5}, "temperatures"),
        ("temperatures.count", 65, "temperatures"),
        ("temperatures.min", -0.5, "temperatures"),
        ("disorder.realizations", 0, "disorder.realizations"),
        ("equilibration.test", "chi2", "equilibration.test"),
    ],
)
def test_refuses_and_names_the_key(path, value, named):
    with pytest.raises(StudyError, match=named):
        validate(changed(path, value))


def test_the_schema_is_a_schema():
    """YAML reads 1e-09 as text, which jsonschema compares with no number."""
    jsonschema.Draft202012Validator.check_schema(load_schema())


def test_refuses_what_is_no_mapping():
    with pytest.raises(StudyError, match="keys and values"):
        validate(["seed"])


def config(name):
    return ROOT / "configs" / f"{name}.yaml"


@pytest.mark.parametrize("name", ["reference", "quickstart", "ea3d"])
def test_configs_are_valid(name):
    study = Study.read(config(name))
    assert all(study.parameters(L) for L in study.sizes)


def leaves(schema, root, path=""):
    """All keys of the schema, "run.sweeps", with their part of it."""
    for key, part in schema["properties"].items():
        part = resolve_reference(part, root)
        if key == "temperatures":
            part = {**root["$defs"]["temperatures"], "default": {}}
        where = f"{path}{key}"
        if "properties" in part:
            yield from leaves(part, root, where + ".")
        else:
            yield where, part


def test_reference_has_all_keys_with_the_defaults_of_the_schema():
    reference = text_keys(yaml.safe_load(config("reference").read_text()))
    schema = load_schema()
    defaults = fill_defaults({}, schema, schema)
    fill_defaults(defaults["temperatures"], schema["$defs"]["temperatures"], schema)
    assert canonical(defaults) == canonical(reference)
    written = {path for path, _ in leaves(schema, schema)}
    assert written - {"temperatures.list"} == set(flat(reference))


def flat(node, path=""):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{key}.")
        else:
            yield path + key


def borders(part):
    """Values on and just beyond the range of a number: (value, allowed)."""
    whole = part["type"] == "integer"
    if "minimum" in part:
        low = part["minimum"]
        yield low, True
        yield (low - 1 if whole else low - 0.001), False
    if "maximum" in part and part["maximum"] < 2**63:
        high = part["maximum"]
        yield (high + 1 if whole else high * 1.01 + 0.001), False


def test_ranges_are_those_of_the_programs(programs, tmp_path):
    file = tmp_path / "study.yaml"
    file.write_text(yaml.safe_dump({**GOOD, "thermalize": {"sweeps": 0}, "multispin": {"share": 1}, "replicas": 4}))
    schema = load_schema()
    tried = {False: set(), True: set()}  # whether the schema allows a value -> keys
    for path, part in leaves(schema, schema):
        part = resolve_reference(part, schema)
        if path.startswith("temperatures") or "type" not in part:
            continue
        for value, allowed in borders(part):
            tried[allowed].add(path)
            command = [programs / "gen-disorder", "--config", file, "--set", f"{path}={value}", "--validate"]
            done = subprocess.run(command, capture_output=True, text=True)
            # a value inside the range may still be refused for a rule that ties it to another key, but then not for its range
            refused = done.returncode == 1 and path in done.stderr
            assert refused or allowed, f"{path} = {value}: refused by the schema, taken by the program"
            if path not in ("run.measure_every", "disorder.batch", "relax.first", "relax.last", "dynamics.demon_sites", "dynamics.houdayer_below", "dynamics.wolff_clusters"):
                assert not (refused and allowed), f"{path} = {value}: {done.stderr}"
    assert {"seed", "replicas", "run.blocks", "equilibration.threshold_sigma"} <= tried[False] & tried[True]


def test_parameters_are_those_that_files_depend_on():
    def parameters(**sections):
        return Study(validate({**GOOD, **sections})).parameters(4)

    base = parameters()
    changed = [parameters(seed=1), parameters(temperatures={"list": [1.0, 1.1]}), parameters(run={"blocks": 8})]
    for number, stage in enumerate(("disorder", "thermalize", "run")):
        assert {key for key in base if base[key] != changed[number][key]} == {stage}
    assert parameters(checkpoint={"every_seconds": 5}) == base
    assert parameters(disorder={"realizations": 2048}, run={"sweeps": 16384}) == base
    assert parameters(thermalize={"sweeps": {4: 2048, 6: 99}}) == base
    assert parameters(equilibration={"max_doublings": 9}) == base
    assert parameters(run={"discard": 0.25}) == base


def test_new_keys_of_the_model_count_without_being_named():
    """New keys of the dynamics count, too. A key that couplings do not depend on has to be named."""
    data = validate(GOOD)
    before = Study(data).parameters(4)
    data["model"]["p_absent"], data["dynamics"]["update"], data["multispin"]["lanes"] = 0.1, "heat-bath", "sites"
    after = Study(data).parameters(4)
    assert after["disorder"] == before["disorder"] | {"model.p_absent": 0.1, "dynamics.update": "heat-bath"}
    assert after["thermalize"] == before["thermalize"] | {"dynamics.update": "heat-bath", "multispin.lanes": "sites"}
    assert "model.field" in after["thermalize"] and "model.field" not in after["disorder"]
    data["model"]["field"] = 0.5
    assert Study(data).parameters(4)["disorder"] == after["disorder"] | {"model.field": 0.5}
    assert not {"model.p_absent", "model.boundary", "dynamics.update", "run.magnetisation"} & {key for stage in before.values() for key in stage}


def test_digests_of_studies_that_exist_stay(tmp_path):
    """The names of files in rounds/ of a campaign that was begun before hold this; with another one, its averages are made again."""
    campaign = Campaign(Study.read(ROOT / "tests/data/earlier_study.yaml"), tmp_path, 2)
    assert [campaign.content(L) for L in (4, 16)] == ["36bc34c81f0ad9f0", "eb531c9928638164"] and campaign.averaged() == "d9a5f86533567ac2"


@pytest.mark.parametrize("spacing", ["linear", "geometric", "inverse"])
def test_temperatures_are_those_of_the_programs(programs, tmp_path, spacing):
    file = tmp_path / "study.yaml"
    given = {"min": 0.7, "max": 2.1, "count": 13, "spacing": spacing}
    file.write_text(yaml.safe_dump({**GOOD, "temperatures": given}))
    command = [programs / "gen-disorder", "--config", file, "--L", "4", "--count", "32", "--out", tmp_path / "disorder.h5"]
    subprocess.run(command, check=True, capture_output=True)
    with h5py.File(tmp_path / "disorder.h5") as made:
        resolved = yaml.safe_load(made["provenance"].attrs["config"])
    assert Study.read(file).temperatures(4) == resolved["temperatures"]["list"]


NUMBERS = [  # as written for a key of whole numbers -> its value; None: refused
    ("7", 7), ("1e15", 10**15), ("1E3", 1000), ("2.0", 2), ("2.", 2), ("1.5e1", 15), ("1e+2", 100), ("0.0", 0), ("9007199254740991.0", 2**53 - 1), ("18446744073709551615", 2**64 - 1),
    ("9007199254740992.0", None), ("1e16", None), ("1.5", None), ("1e-3", None), ("012", None), ("0x10", None), ("0b11", None), ("0o17", None), ("1_000", None), ("1:30", None),
    ("+5", None), ("-1", None), ("-1e3", None), ("1e999", None), ("1e", None), (".inf", None), (".nan", None), ("yes", None), ("2026-11-21", None), ("'5'", None), ("[5]", None), ("", None),
]  # fmt: skip


@pytest.mark.parametrize("text, value", NUMBERS)
def test_whole_numbers_as_the_programs_read_them(tmp_path, programs, text, value):
    """One table for Python and the programs; both take the same texts for the same number."""
    file = tmp_path / "a.yaml"
    file.write_text(f"seed: {text}\n")
    if value is None:
        with pytest.raises(StudyError, match="seed"):
            Study.read(file)
    else:
        seed = Study.read(file).data["seed"]
        assert seed == value and type(seed) is int
    done = subprocess.run([programs / "gen-disorder", "--config", file, "--validate"], capture_output=True, text=True)
    assert (done.returncode == 0) == (value is not None), done.stderr


@pytest.mark.parametrize("text", ["1e-05", "0.5", "1", "1.0", "5e-1", ".5", "0.", "1E-2"])
def test_real_numbers_as_the_programs_read_them(tmp_path, programs, text):
    file = tmp_path / "a.yaml"
    file.write_text(f"model: {{p_ferro: {text}}}\nmultispin: {{share: 1}}\n")
    assert Study.read(file).data["model"]["p_ferro"] == float(text)
    subprocess.run([programs / "gen-disorder", "--config", file, "--validate"], check=True, capture_output=True)


def test_tuned_temperatures_in_a_study_file_of_one_line(tmp_path):
    """1e15 stays a number there."""
    (tmp_path / "a.yaml").write_text("{seed: 1e15, lattice: {L: [4]}, temperatures: {list: [1.0]}}\n")
    (tmp_path / "ladder").mkdir()
    (tmp_path / "ladder/L4.yaml").write_text("temperatures: {list: [0.9, 1.1]}\n")
    (tmp_path / "b.yaml").write_text(with_ladder(Study.read(tmp_path / "a.yaml"), tmp_path, "tuned").text)
    again = Study.read(tmp_path / "b.yaml")
    assert again.data["seed"] == 10**15 and again.temperatures(4) == [0.9, 1.1]


def calls(file):
    """Of Path.open, open, read_text, write_text and subprocess, with the words that they are given by name; modes are among them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            of = getattr(getattr(node.func, "value", None), "id", "")
            given = {word.arg for word in node.keywords}
            modes = [word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
            if name in ("open", "read_text", "write_text") and of not in ("os", "archive", "h5d", "h5g", "distribution") and not any("b" in mode and len(mode) < 4 for mode in modes):
                if not (name == "write_text" and not of and isinstance(node.func, ast.Name)):  # that of whole_files
                    yield node.lineno, "encoding" in given
            if "text" in given and {"capture_output", "stdout"} & given:
                yield node.lineno, False


def test_no_file_is_read_in_the_encoding_of_the_locale():
    files = [*(ROOT / "workflows/psflip").rglob("*.py"), *(ROOT / "workflows/examples").glob("*.py")]
    assert [f"{file.name}:{line}" for file in files for line, named in calls(file) if not named] == []


def test_a_study_file_in_another_locale(tmp_path, programs):
    """Python without UTF-8 mode, in a locale that has ASCII alone."""
    (tmp_path / "N\u00e9el.yaml").write_text("# \u00b1J \u2192 N\u00e9el\nseed: 1\nlattice: {L: [4]}\n", encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, ROOT / "workflows/psflip", "plan", "N\u00e9el.yaml", "--bin", programs, "--backend", "cpu"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0 and "proposed flips" in done.stdout, done.stderr


def test_a_map_by_size_must_have_every_size():
    study = Study(validate({**GOOD, "thermalize": {"sweeps": {4: 10}}}))
    with pytest.raises(StudyError, match="L = 6"):
        study.parameters(6)


@pytest.mark.parametrize("multispin, share", [({}, 128), ({"lanes": "realizations"}, 128), ({"lanes": "replicas"}, 1), ({"lanes": "replicas", "share": 1}, 1)])
def test_share_follows_the_lanes(multispin, share):
    data = validate({"lattice": {"L": [4]}, "temperatures": {"list": [1.0]}, "multispin": multispin})
    assert data["multispin"] == {"share": share, "lanes": multispin.get("lanes", "realizations")}


def test_maps_by_size_have_an_entry_for_all_others():
    """And may name sizes that are added later: adding one is one edit."""
    data = {"lattice": {"L": [4, 6]}, "thermalize": {"sweeps": {4: 100, 64: 900, "default": 300}}, "temperatures": {"default": {"list": [1.0, 2.0]}, 6: {"list": [1.5]}}}
    study = Study(validate(data))
    assert [study.per_size(study.data["thermalize"]["sweeps"], L) for L in (4, 6)] == [100, 300]
    assert study.temperatures(4) == [1.0, 2.0] and study.temperatures(6) == [1.5]
    del data["thermalize"]["sweeps"]["default"]
    with pytest.raises(StudyError, match="L = 6 is in lattice.L, but a map by L does not have it"):
        study = Study(validate(data))
        study.per_size(study.data["thermalize"]["sweeps"], 6)
