"""psflip as the wheel lays it out: no checkout around the package, all parts in its folder `share`, the programs in `bin`."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import BIN, ROOT
from test_command import TINY

SHARE = ("workflows/Snakefile", "workflows/rules", "workflows/profiles", "workflows/schemas", "configs", "docs", "envs/requirements.txt")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    if not (BIN / "measure").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "workflows" / "psflip", site / "psflip", ignore=shutil.ignore_patterns("__pycache__"))
    for part in SHARE:
        to = site / "psflip" / "share" / part
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, to)
    (site / "psflip" / "bin").symlink_to(BIN)
    return site


def test_a_study_from_an_installed_package(installed, tmp_path):
    """What `cmake/PsflipWheel.cmake` installs is all that a study needs."""
    rules = (ROOT / "cmake/PsflipWheel.cmake").read_text()
    assert all(name in rules for name in ("workflows/Snakefile", "workflows/rules workflows/profiles workflows/schemas", "configs/", "docs/", "envs/requirements.txt"))
    (tmp_path / "my.yaml").write_text(TINY)

    def psflip(*words):
        done = subprocess.run([sys.executable, "-m", "psflip", *words], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(installed)})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "(installed)" in psflip("doctor") and str(installed / "psflip") in psflip("doctor")
    assert "work of cores, summed" in psflip("plan", "my.yaml", "--backend", "cpu")
    assert "report:  results/my/report.html" in psflip("run", "my.yaml", "--backend", "cpu", "--cores", "2")
    assert (tmp_path / "results/my/study.zip").is_file()
    assert "envs/quickstart" not in (tmp_path / "results/my/report.html").read_text()
    assert "Use your own couplings" in psflip("docs") and "default: 8192" in psflip("keys", "run.sweeps")
    psflip("profile", "slurm", "cluster")
    psflip("quickstart", "--backend", "cpu", "--dry-run")
    assert "valid" in psflip("gen-disorder", "--config", "my.yaml", "--validate")
