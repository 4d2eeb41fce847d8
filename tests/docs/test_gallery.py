"""The gallery: its page is what docs/gallery/make.py writes, every study is accepted, and every picture comes from psflip."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
sys.path.insert(0, str(ROOT / "docs/gallery"))
import make  # noqa: E402

ROWS = make.pictures()
RUNS = json.loads(make.RUNS.read_text())
STUDIES = sorted({row["study"] for row in ROWS})


def test_the_page_is_made_from_the_stored_runs():
    assert make.PAGE.read_text() == make.page(ROWS, RUNS)
    assert len(ROWS) >= 16 and len({make.anchor(row) for row in ROWS}) == len(ROWS) and set(RUNS) == {row["name"] for row in ROWS}


def test_every_study_of_the_folder_is_shown():
    assert {file.relative_to(ROOT).as_posix() for file in (ROOT / "configs/gallery").glob("*.yaml")} <= set(STUDIES)


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_is_accepted(study):
    if not (BIN / "gen-disorder").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    sizes = yaml.safe_load((ROOT / study).read_text())["lattice"]["L"]
    done = subprocess.run([BIN / "gen-disorder", "--config", ROOT / study, "--L", str(sizes if isinstance(sizes, int) else max(sizes)), "--validate"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_picture_comes_from_psflip(row):
    """Pictures of psflip name it as their creator, have 300 points per inch, and are at most two columns of a journal wide."""
    image = pytest.importorskip("PIL.Image").open(ROOT / f"docs/gallery/{row['name']}.png")
    assert image.info["Software"] == "psflip" and round(image.info["dpi"][0]) == 300
    assert 900 < image.width <= 2110 and len(set(image.convert("L").resize((64, 64)).tobytes())) > 20, "an empty picture has few shades"


def test_the_front_page_has_four_pictures():
    assert make.front(ROWS).count("[![") == 4


def test_commands_name_study_and_folder():
    row = {"study": "configs/a.yaml", "picture": "plots/x.png"}
    assert make.command_of(row, "results/a") == "psflip run configs/a.yaml" and make.picture_of(row) == "results/a/plots/x.png"
    assert make.command_of(row, "build/b") == "psflip run configs/a.yaml --out build/b"
    assert make.command_of(row | {"command": "psflip ladder STUDY --out OUT"}, "results/a") == "psflip ladder configs/a.yaml --out results/a"
    assert (make.minutes(59.4), make.minutes(90)) == ("59 seconds", "1.5 minutes")
