#!/usr/bin/env python3
"""Files of every kind changed by h5py: datasets, attributes and groups that are missing, of another type, shape or value, or links
elsewhere. The programs that read them end with exit code 0, or with 1 or 2 and one line that says why, in bounded time and memory,
leave nothing behind and change no input. The programs are taken from the folder PSFLIP_BIN."""

import multiprocessing
import shutil

from driver import Failure, main
from programs import DILUTED, FERROMAGNET, FIELD, SITES, STUDY, VECTOR, check_messages, contents, good_files, run
from structure_damage import change_file

BATCH = ["--disorder", "disorder.h5"]
AUDIT = ("audit", *BATCH, "--state", "state.h5", "--run", "run.h5", "--out", "out.json")
PT_RUN = ("pt-run", *BATCH, "--state", "state.h5", "--out", "out.h5")
RELAX = ("relax", *BATCH, "--out", "out.h5")
RELAX_ON = (*RELAX, "--state-out", "out-state.h5", "--state")
MEASURE = ("measure", *BATCH, "--run", "run.h5", "--out", "out.h5")
# file, programs that read it
READERS = {
    "disorder.h5": [("thermalize", *BATCH, "--out", "out.h5"), PT_RUN, MEASURE, AUDIT],
    "state.h5": [PT_RUN, (*PT_RUN, "--state-out", "out-state.h5"), AUDIT],
    "end.h5": [("pt-run", *BATCH, "--state", "end.h5", "--out", "out.h5"), (*AUDIT, "--end-state", "end.h5")],
    "checkpoint.h5": [PT_RUN],
    "run.h5": [MEASURE, (*MEASURE, "--from-snapshots"), AUDIT],
    "observables.h5": [("reduce-disorder", "--out", "out.h5", "--csv", "out.csv", "observables.h5")],
}
GOOD = ["study.yaml", "disorder.h5", "state.h5", "end.h5", "run.h5", "observables.h5", "ladder.h5", "reduced.h5", "relax.h5",
        "relaxed.h5"]
# Of models that relax takes, which are those without vectors and open sides.
RELAXING = {
    "disorder.h5": [*READERS["disorder.h5"], RELAX],
    "state.h5": [*READERS["state.h5"], (*RELAX_ON, "state.h5", "--set", "relax.start=state")],
    "relaxed.h5": [(*RELAX_ON, "relaxed.h5", "--set", "relax.last=32")],
    "relax-checkpoint.h5": [RELAX],
}
CHECKPOINT = "out.h5.checkpoint.h5"


def make_target(folder_of_all, _options):
    studies = []
    for study in (STUDY, FERROMAGNET, FIELD, DILUTED, SITES, VECTOR):
        studies.append(folder_of_all / str(len(studies)))
        studies[-1].mkdir()
        good_files(studies[-1], study)

    def case(numbers, folder):
        shared = numbers.choice(studies)
        present = [name for name in GOOD if (shared / name).exists()]
        for name in present:
            shutil.copy(shared / name, folder)
        readers = READERS | RELAXING if "relax.h5" in present else READERS
        file = numbers.choice(list(readers))
        program, *arguments = numbers.choice(readers[file])
        if "checkpoint" in file:
            shutil.copy(shared / file, folder / CHECKPOINT)
            file = CHECKPOINT
        changes = change_in_child(folder / file, [folder / name for name in present if name.endswith(".h5")], numbers)
        if changes is None:
            return False
        before = contents(folder)
        command = f"{program} {' '.join(arguments)} with {file} {ascii(changes)}"
        try:
            done = run(folder, program, "--config", "study.yaml", "--threads", 1, *arguments)
        except Failure as failure:
            raise Failure(f"{failure} ({ascii(changes)})") from None
        check_messages(done, program, command)
        check_folder(before, contents(folder), done, file, command)
        return True

    return case


def change_in_child(*arguments):
    """Runs change_file(*arguments) in a separate process. Returns None if h5py's HDF5 dies because of an earlier change."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(False)
    child = fork.Process(target=lambda: sender.send(change_file(*arguments)))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        child.join()


def check_folder(before, after, done, file, command):
    """Inputs as they were; outputs under their names with exit code 0 only, and nothing else."""
    kept = {name: digest for name, digest in before.items() if name != CHECKPOINT or done.returncode}
    for name, digest in kept.items():
        if after.get(name) != digest:
            raise Failure(f"{name} was changed or deleted: {command}")
    more = after.keys() - before.keys()
    wanted = {"out.h5", "out.csv", "out.json", "out-state.h5"} if done.returncode == 0 or b" differ: " in done.stderr else set()
    if more - wanted:
        raise Failure(f"{sorted(more - wanted)} left by exit code {done.returncode}: {command}")
    if done.returncode == 0 and not more:
        raise Failure(f"exit code 0 without output: {command}")


if __name__ == "__main__":
    main("fuzz_structure", __doc__, make_target)
