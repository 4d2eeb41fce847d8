"""Commands that explain keys, write a profile, list pages, and run the packaged study."""

from pathlib import Path

import pytest
import yaml
from conftest import BIN, ROOT
from psflip.campaign.errors import StudyError
from psflip.campaign.profiles import executor_in, folder_of
from psflip.campaign.study import load_schema, resolve_reference
from psflip.commands import docs, keys, profile, quickstart
from test_command import psflip

ALL = list(keys.read_keys((ROOT / "configs/reference.yaml").read_text()))


def leaves(schema, path=""):
    """Key -> default, of the schema."""
    for name, part in schema["properties"].items():
        part = resolve_reference(part, load_schema())
        if name == "temperatures":
            part = {**load_schema()["$defs"]["temperatures"], "default": {}}
        if "properties" in part:
            yield from leaves(part, f"{path}{name}.")
        else:
            yield path + name, part.get("default")


def test_every_key_of_the_schema_is_explained():
    wanted = dict(leaves(load_schema()))
    found = {key.path: key for key in ALL}
    assert set(found) - {"temperatures"} == set(wanted)
    for path, default in wanted.items():
        assert path == "temperatures.list" or yaml.safe_load(found[path].default) == default, path
        assert found[path].allowed and found[path].lines


def test_keys_are_read_with_section_default_and_range():
    text = "# Key of all.\n# [0 to 5]\nseed: 1\n\nrun:\n  # How long.\n  # [sweeps; 1 to 2]\n  sweeps: 8\n  # Each one.\n  # [1 to 2]\n  # list: [...]\n"
    wanted = [("seed", "1", "0 to 5", "Key of all."), ("run.sweeps", "8", "sweeps; 1 to 2", "How long."), ("run.list", "", "1 to 2", "Each one.")]
    assert list(keys.read_keys(text)) == [keys.Key(path, default, allowed, (line,)) for path, default, allowed, line in wanted]


def printed(capsys, *words):
    assert keys.main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("key, texts", [
    ("run.sweeps", ["Measured sweeps of the first run", "default: 8192", "unit:    sweeps", "allowed: 1 to "]),
    ("seed", ["default: 20261121", "allowed: 0 to 2^64 - 1"]),
    ("model.kind", ["allowed: one of edwards-anderson, ferromagnet, heisenberg"]),
    ("temperatures", ["temperatures: {list: [0.8, 0.9, 1.0]}\n", "temperatures.min\n", "temperatures.list\n"]),
    ("multispin", ["multispin.share\n", "multispin.lanes\n"]),
])  # fmt: skip
def test_what_is_said_of_a_key(capsys, key, texts):
    text = printed(capsys, key)
    assert text.startswith(key) and all(one in text for one in texts), text
    assert all(len(line) <= keys.WIDTH for line in text.splitlines())


def test_all_keys(capsys):
    assert printed(capsys).count("\n\n") == len(ALL) - 1


def test_a_profile_for_a_cluster(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert profile.main(["slurm", "mine", "--partition", "all", "--account", "my-group"]) == 0
    said = capsys.readouterr().out
    assert "psflip run my.yaml --profile mine" in said and "defaults" not in said
    text = Path("mine/profile.yaml").read_text()
    given, packaged = yaml.safe_load(text), yaml.safe_load((ROOT / "workflows/profiles/slurm/profile.yaml").read_text())
    added = {key: given["default-resources"].pop(key) for key in ("slurm_partition", "slurm_account")}
    assert given == packaged
    assert {key: eval(value) for key, value in added.items()} == {"slurm_partition": "all", "slurm_account": "my-group"}  # Snakemake evaluates them
    assert folder_of("mine") == Path("mine") and executor_in(Path("mine")) == "slurm"
    assert "--config" not in text and "README" not in text and "psflip run my.yaml --profile mine" in text
    with pytest.raises(StudyError, match="mine/profile.yaml exists already"):
        profile.main(["slurm", "mine"])
    assert profile.main(["slurm", "other"]) == 0 and "Without --partition and --account Slurm takes its defaults" in capsys.readouterr().out
    assert yaml.safe_load(Path("other/profile.yaml").read_text()) == packaged


def test_the_packaged_study_has_one_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = quickstart.study_here(tmp_path)
    assert file.read_bytes() == (ROOT / "configs/quickstart.yaml").read_bytes()
    assert quickstart.study_here(tmp_path) == file
    file.write_text("seed: 1\n")
    with pytest.raises(StudyError, match="is another study"):
        quickstart.study_here(tmp_path)


def test_the_packaged_study_runs(tmp_path, monkeypatch):
    if not (BIN / "measure").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    monkeypatch.chdir(tmp_path)
    done = psflip("quickstart", "--bin", BIN, "--backend", "cpu", "--dry-run")
    assert done.returncode == 0 and "quickstart" in done.stdout, done.stderr
    assert Path("quickstart.yaml").is_file() and not Path("results").exists()


def test_pages_of_the_documentation(capsys):
    assert docs.main([]) == 0
    listed = capsys.readouterr().out
    assert "own-couplings    Use your own couplings\n" in listed and "workflow" in listed and "releasing" not in listed
    assert docs.main(["reading"]) == 0
    assert capsys.readouterr().out.strip() == (ROOT / "docs/reading.md").read_text().strip()
