"""Every psflip reads the files in tests/data/frozen, resumes their checkpoint and ends in the same numbers, as long as physics_version
and format_version are the same. They are not made anew when the code changes. The programs are taken from the folder PSFLIP_BIN;
PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import hashlib
import os
import pathlib
import shutil
import subprocess

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
FROZEN = ROOT / "tests" / "data" / "frozen"


def pt_run(folder):
    command = [BIN / "pt-run", "--config", "study.yaml", "--disorder", "disorder.h5", "--state", "state.h5", "--out", "run.h5",
               "--threads", "1", "--backend", os.environ.get("PSFLIP_TEST_BACKEND", "cpu")]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result


def hashes(path):
    """SHA-256 (first 16 digits) of every dataset's values."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = hashlib.sha256(item[...].tobytes()).hexdigest()[:16]

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def expected():
    lines = (FROZEN / "run.sha256").read_text().splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def copy_frozen(folder, checkpoint):
    for name in ["study.yaml", "disorder.h5", "state.h5"] + ["run.h5.checkpoint.h5"] * checkpoint:
        shutil.copy(FROZEN / name, folder / name)


def test_a_frozen_checkpoint_is_resumed(tmp_path):
    copy_frozen(tmp_path, True)
    with h5py.File(FROZEN / "run.h5.checkpoint.h5") as file:
        done = file["sweep"][0] - file["run_start"][0]
    assert 10000 < done < 30000
    assert f"at sweep {done} of 40000" in pt_run(tmp_path).stderr
    assert hashes(tmp_path / "run.h5") == expected()
    assert not (tmp_path / "run.h5.checkpoint.h5").exists()


def test_a_frozen_state_gives_the_same_run(tmp_path):
    copy_frozen(tmp_path, False)
    pt_run(tmp_path)
    assert hashes(tmp_path / "run.h5") == expected()
