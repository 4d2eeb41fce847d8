"""Writes the files of tests/data/frozen anew from study.yaml there, with the programs of the folder PSFLIP_BIN: only if
physics_version or format_version was raised."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
from test_frozen import BIN, FROZEN, hashes  # noqa: E402


def program(folder, name, *arguments, codes=(0,)):
    command = [BIN / name, "--config", "study.yaml", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert done.returncode in codes, done.stderr
    return done


def without_provenance(source, target):
    """A copy in which nothing tells of the machine."""
    with h5py.File(source) as old, h5py.File(target, "w") as new:
        for key, value in old.attrs.items():
            if key != "sealed":
                new.attrs[key] = value
        for name in old:
            if name != "provenance":
                old.copy(name, new)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(FROZEN / "study.yaml", folder)
        program(folder, "gen-disorder", "--first", 0, "--count", 32, "--out", "disorder.h5")
        program(folder, "thermalize", "--disorder", "disorder.h5", "--out", "state.h5")
        run = ["pt-run", "--disorder", "disorder.h5", "--state", "state.h5", "--out", "run.h5", "--threads", 1]
        stopped = program(folder, *run, "--time-limit", "0.05", codes=(75,))
        for file in ("disorder.h5", "state.h5", "run.h5.checkpoint.h5"):
            without_provenance(folder / file, FROZEN / file)
        program(folder, *run)
        lines = [f"{digest}  {dataset}\n" for dataset, digest in sorted(hashes(folder / "run.h5").items())]
        (FROZEN / "run.sha256").write_text("".join(lines))
    print(stopped.stderr.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
