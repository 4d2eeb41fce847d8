"""What psflip did not make is never lost, whatever it looks like, whenever it comes, and wherever a call puts its own files. The programs
are taken from the folder PSFLIP_BIN."""

import shutil
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from test_outputs import BIN, DISORDER, MAKE, STATE, content, done, folder, made, made_anew, refused, run  # noqa: F401


def compressed(path):
    """One dataset can be read by h5py only."""
    with h5py.File(path, "w") as file:
        file.attrs["source"] = "analysis of psflip runs"
        file.create_dataset("x", data=np.arange(1000), compression="lzf")


def elsewhere(path):
    with h5py.File(path, "w") as file:
        file.attrs["source"] = "psflip"
        file.create_dataset("x", (10,), "i8", external=[("nowhere.raw", 0, 80)])


def other_format(path):
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "psflip analysis"


FOREIGN = [compressed, elsewhere, other_format]


@pytest.mark.parametrize("make", FOREIGN)
@pytest.mark.parametrize("file, option", [("disorder.h5", "--out"), ("run.h5", "--state-out"), ("reduced.h5", "--csv"), ("ladder.yaml", "--out")])
def test_foreign_hdf5(folder, make, file, option):  # noqa: F811
    make(folder / "u.h5")
    for force in ([], ["--force"]):
        refused(folder, ["u.h5", "psflip did not write it"], *made_anew(file, option, "u.h5"), *force)


def torn(path):
    compressed(path)
    path.write_bytes(path.read_bytes()[:-500])


def linked(path):
    with h5py.File(path, "r+") as file:
        del file["blocks/energy"]
        file["blocks/energy"] = h5py.ExternalLink("nowhere.h5", "/x")


def bytes_of(change):
    return lambda path: path.write_bytes(change(path.read_bytes()))


DAMAGES = [torn, linked, *map(bytes_of, (lambda x: x[: len(x) // 2], lambda x: x[:-35], lambda x: x + b"\0", lambda x: x[:-10]))]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_replaced_by_force(folder, damage):  # noqa: F811
    damage(folder / "run.h5")
    refused(folder, ["run.h5", "--force"], *MAKE["run.h5"])
    done(folder, *MAKE["run.h5"], "--force")
    done(folder, *MAKE["run.h5"])


CHECKPOINTS = [".checkpoint.h5", ".checkpoint.previous.h5"]
LONG = ["--set", "checkpoint.every_seconds=0.1", "--set", "thermalize.sweeps=300000"]


@pytest.mark.parametrize("ending", CHECKPOINTS)
@pytest.mark.parametrize("make", [*FOREIGN, lambda path: path.write_text("my notes\n"), lambda path: shutil.copy(path.parent / "disorder.h5", path)])
def test_files_at_the_names_of_checkpoints(folder, ending, make):  # noqa: F811
    make(folder / f"x.h5{ending}")
    words = [f"x.h5{ending}", "move it away"]
    refused(folder, words, "thermalize", *DISORDER, "--out", "x.h5")
    refused(folder, words, "pt-run", *STATE, "--out", "x.h5", "--force")
    refused(folder, words, "audit", *STATE, "--run", "run.h5", "--out", "x.h5")


@pytest.mark.parametrize("ending", CHECKPOINTS)
def test_damaged_checkpoints(folder, ending):  # noqa: F811
    torn(folder / f"x.h5{ending}")
    refused(folder, [f"x.h5{ending}", "delete"], "thermalize", *DISORDER, "--out", "x.h5")


@pytest.mark.parametrize("ending", [*CHECKPOINTS, ".lock", ".lock.takeover"])
def test_names_of_other_calls_are_no_outputs(folder, ending):  # noqa: F811
    refused(folder, [f"--out x.h5{ending}", "another name"], "gen-disorder", "--first", 0, "--out", f"x.h5{ending}")
    refused(folder, [f"--csv x{ending}", "another name"], *made_anew("reduced.h5", "--csv", f"x{ending}"))


class Running:
    """A long call of thermalize that has saved a checkpoint and stands still."""

    def __init__(self, folder, out):  # noqa: F811
        self.folder = folder
        self.command = [BIN / "thermalize", "--config", "study.yaml", "--L", "4", *DISORDER, *LONG, "--threads", "1", "--backend", "cpu"]
        self.command = [str(word) for word in [*self.command, "--out", out]]
        self.process = subprocess.Popen(self.command, cwd=folder, stderr=subprocess.PIPE, text=True)
        while not (folder / f"{out}.checkpoint.h5").exists():
            assert self.process.poll() is None, self.process.stderr.read()
            time.sleep(0.01)
        self.process.send_signal(signal.SIGSTOP)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said


@pytest.mark.parametrize("there", [False, True])
def test_an_output_that_somebody_else_writes_meanwhile(folder, there):  # noqa: F811
    """It stays; the work is in the checkpoint, and the same command has only the output left to write."""
    done(folder, "thermalize", *DISORDER, *LONG, "--out", "whole.h5")
    if there:
        shutil.copy(folder / "whole.h5", folder / "race.h5")
    running = Running(folder, "race.h5")
    (folder / "race.h5").write_text("PRECIOUS\n")
    code, said = running.end()
    assert code == 2 and "race.h5" in said and "another process" in said and "move it away" in said, said
    assert (folder / "race.h5").read_text() == "PRECIOUS\n"
    assert (folder / "race.h5.checkpoint.h5").exists() and not list(folder.glob("*.lock"))
    refused(folder, ["psflip did not write it"], "thermalize", *DISORDER, *LONG, "--out", "race.h5")
    (folder / "race.h5").unlink()
    assert "at sweep 300000 of 300000" in done(folder, "thermalize", *DISORDER, *LONG, "--out", "race.h5").stderr
    with h5py.File(folder / "race.h5") as race, h5py.File(folder / "whole.h5") as whole:
        np.testing.assert_array_equal(race["spins"][...], whole["spins"][...])


def test_a_checkpoint_that_somebody_else_replaced_stays(folder):  # noqa: F811
    running = Running(folder, "w.h5")
    (folder / "w.h5.checkpoint.previous.h5").write_text("PRECIOUS\n")
    code, said = running.end()
    assert code == 0 and "w.h5.checkpoint.previous.h5 is not a checkpoint of psflip" in said, said
    assert (folder / "w.h5.checkpoint.previous.h5").read_text() == "PRECIOUS\n"


def test_a_link_is_followed(folder):  # noqa: F811
    """The file that it leads to is written and locked; the link stays."""
    (folder / "far").mkdir()
    for link, target in [("link.h5", "far/new.h5"), ("second.h5", "link.h5")]:
        (folder / link).symlink_to(target)
    done(folder, "gen-disorder", "--first", 0, "--out", "second.h5")
    assert (folder / "second.h5").is_symlink() and (folder / "link.h5").is_symlink() and h5py.is_hdf5(folder / "far/new.h5")
    (folder / "far/new.h5.lock").write_text("somebody's")
    refused(folder, ["far/new.h5.lock"], "gen-disorder", "--first", 0, "--out", "link.h5", code=2)
    (folder / "circle.h5").symlink_to("circle.h5")
    refused(folder, ["circle.h5", "circle"], "gen-disorder", "--first", 0, "--out", "circle.h5")


def test_a_lock_that_is_a_link(folder):  # noqa: F811
    (folder / "x.h5.lock").symlink_to("nowhere")
    refused(folder, ["x.h5.lock: this is a link", "remove the lock"], "gen-disorder", "--first", 0, "--out", "x.h5", code=2)
