"""Numbers in files that no program of psflip writes: each is refused with exit code 1 and a message that names file and dataset, and
never makes a program hang, grow or crash. The programs are taken from the folder PSFLIP_BIN."""

import shutil

import h5py
import numpy as np
import pytest
from by_hand import changing
from test_bad_files import READERS, attribute, folder, good, refused, run, with_h5py  # noqa: F401

READERS = READERS | {
    "state1.h5": ("audit", "--disorder", "disorder.h5", "--state", "state.h5", "--run", "run.h5", "--end-state", "state1.h5",
                  "--out", "out.json"),
}  # fmt: skip
INT64_MAX = 2**63 - 1


def put(name, value, at=0):
    """One value of a dataset, in the flat order."""

    def action(file):
        data = file[name][...]
        data.flat[at] = value(data.flat[at]) if callable(value) else value
        file[name][...] = data

    return with_h5py(action)


def replace(name, convert):
    def action(file):
        data = convert(file[name][...])
        del file[name]
        file[name] = data

    return with_h5py(action)


def attributes(**values):
    return with_h5py(lambda file: file.attrs.update({name.replace("__", "."): value for name, value in values.items()}))


# file, how, words of the message
BATCH = [
    (attribute("realizations", -1), ["realizations = -1"]),
    (attribute("realizations", 0), ["realizations = 0"]),
    (attribute("realizations", 2**40), ["realizations = 1099511627776"]),
    (attribute("first_realization", -5), ["first_realization = -5"]),
    (attribute("first_realization", 2**24 - 1), ["first_realization = 16777215", "reach beyond"]),
    (attribute("L", 0), ["L = 0"]),
    (attribute("L", -4), ["L = -4"]),
    (attribute("L", 2**32 + 4), ["L = 4294967300"]),
]
DISORDER = [
    (attribute("L", -1), ["L = -1 contradicts", "/couplings", "4"]),
    (attribute("L", 2**62), ["L = 4611686018427387904 contradicts"]),
    (attribute("L", 6), ["L = 6 contradicts"]),
    (attribute("realizations", -1), ["realizations = -1 contradicts", "/couplings", "64"]),
    (attribute("realizations", 32), ["realizations = 32 contradicts"]),
]
STATE = [
    (put("sweep", -1), ["/sweep holds -1"]),
    (put("sweep", 2**60), ["/sweep holds 1152921504606846976"]),
    (put("run_start", -2), ["/run_start holds -2"]),
    (put("tempering/walker", 200), ["/tempering/walker"]),
    (put("tempering/last_end", 3), ["/tempering/last_end"]),
    (put("tempering/accepted", -1), ["/tempering/accepted holds -1 at [0, 0, 0]"]),
    (put("tempering/attempted", INT64_MAX, -1), [f"/tempering/attempted holds {INT64_MAX} at [2]"]),
    (put("tempering/round_trips", INT64_MAX), [f"/tempering/round_trips holds {INT64_MAX} at [0, 0]"]),
    (attribute("couplings_hash", ""), ["couplings_hash is damaged"]),
]
RUN = [
    (attributes(grid_base=2**62, run_last=2**62), ["grid_base = 4611686018427387904"]),
    (attributes(run_last=2**62), ["run_last = 4611686018427387904"]),
    (attributes(grid_base=0), ["grid_base = 0"]),
    (attributes(grid_base=1, run_last=2**48), ["grid_base = 1", "impossible in a run"]),
    (attributes(run_first=-80), ["run_first = -80"]),
    (attributes(run_last=0), ["run_last = 0"]),
    (attributes(run_last=81), ["run_last = 81", "not ends of runs"]),
    (attributes(run__blocks=2**31 - 1), ["run.blocks = 2147483647"]),
    (attributes(run__blocks=-4), ["run.blocks = -4"]),
    (attributes(run__blocks=3), ["run.blocks = 3"]),
    (attributes(run__measure_every=0), ["run.measure_every = 0"]),
    (attributes(run__histogram_bins=2**40), ["run.histogram_bins = 1099511627776"]),
]
SUMS = [
    (put("temperatures", np.nan, 1), ["/temperatures holds nan at [1]"]),
    (put("temperatures", np.inf, 3), ["/temperatures holds inf at [3]"]),
    (put("temperatures", -1.0), ["/temperatures holds -1 at [0]"]),
    (replace("temperatures", lambda t: t[::-1].copy()), ["/temperatures", "must rise"]),
    (replace("temperatures", lambda t: t[:0]), ["/temperatures holds 0 temperatures"]),
    (replace("temperatures", lambda t: np.linspace(1, 2, 65)), ["/temperatures holds 65 temperatures"]),
    (replace("blocks/energy", lambda e: e[:, :0]), ["/blocks/energy has 0 replicas"]),
    (replace("blocks/energy", lambda e: np.repeat(e, 5, axis=1)), ["/blocks/energy has 10 replicas"]),
    (replace("blocks/edges", lambda e: e[:-1]), ["/blocks/edges"]),
    (replace("blocks/edges", lambda e: e.reshape(1, -1)), ["/blocks/edges"]),
    (replace("blocks/count", lambda c: c[:-1]), ["/blocks/count"]),
    (put("blocks/count", INT64_MAX), ["/blocks/count"]),
    (put("blocks/energy", INT64_MAX), ["/blocks/energy holds 9.22", "at [0, 0, 0, 0]"]),
    (put("blocks/energy2", np.inf, -1), ["/blocks/energy2 holds inf at [7, 1, 3, 63]"]),
    (put("blocks/overlap2", np.nan), ["/blocks/overlap2 holds nan at [0, 0, 0, 0]"]),
    (put("blocks/overlap4", -1.0), ["/blocks/overlap4 holds -1"]),
    (put("blocks/overlap_abs", -1), ["/blocks/overlap_abs holds -1"]),
    (put("blocks/link", 10**6), ["/blocks/link holds"]),
    (put("blocks/kmin", 1e300), ["/blocks/kmin holds 1e+300"]),
    (put("blocks/walker_slot", -1), ["/blocks/walker_slot holds -1"]),
    (put("blocks/walker_slot", INT64_MAX), ["/blocks/walker_slot holds 9.22"]),
    (put("histogram/overlap", 2**32 - 1), ["/histogram/overlap holds 4294967295"]),
    (put("tempering/accepted", INT64_MAX), [f"/tempering/accepted holds {INT64_MAX}"]),
    (put("tempering/attempted", -1), ["/tempering/attempted holds -1"]),
    (put("tempering/round_trips", -1), ["/tempering/round_trips holds -1"]),
    (put("lowest/count", 2**31 - 1, -1), ["/lowest/count holds 2147483647"]),
    (put("lowest/count", -1), ["/lowest/count holds -1"]),
    (put("lowest/energy", -(2**40)), ["/lowest/energy holds -1099511627776"]),
    (put("histogram/link", 2**32 - 1), ["/histogram/link holds 4294967295"]),
    (put("hottest/sweeps", 0), ["/hottest/sweeps holds 0 at [0]"]),
    (put("hottest/sweeps", 81, -1), ["/hottest/sweeps holds 81"]),
    (replace("hottest/sweeps", lambda s: s[::-1].copy()), ["/hottest/sweeps", "must rise"]),
    (put("hottest/correlation", 65, -1), ["/hottest/correlation holds 65 at [2, 1, 63]"]),
    (put("hottest/correlation", -66), ["/hottest/correlation holds -66 at [0, 0, 0]"]),
    (replace("hottest/correlation", lambda c: c[:, :1]), ["/hottest/correlation"]),
]
OBSERVABLES = [
    (attribute("replicas", 0), ["replicas = 0"]),
    (attribute("replicas", 2**32 + 2), ["replicas = 4294967298"]),
    (attribute("replicas", 1), ["number of replicas"]),
    (put("temperatures", np.nan, 1), ["/temperatures holds nan at [1]"]),
    (put("temperatures", 1.01, 0), ["/temperatures"]),
    (replace("log2/edges", lambda e: e[:-1]), ["/log2/edges ends at "]),
    (replace("log2/edges", lambda e: e[:1]), ["/log2/edges holds no bin"]),
    (replace("log2/edges", lambda e: e[::-1].copy()), ["/log2/edges", "must rise"]),
    (put("log2/edges", -1), ["/log2/edges holds -1"]),
    (put("log2/count", -1), ["/log2/count holds -1"]),
    (put("log2/count", 2**31 - 1), ["/log2/count holds 2147483647 at [0]"]),
    (put("log2/edges", 2**31 - 1, -1), ["/log2/edges ends at 2147483647, but run_last = "]),
    (attributes(run_last=2**31 - 1), ["/log2/edges ends at ", "run_last = 2147483647"]),
    (put("lowest/count", 2**31 - 1), ["/lowest/count holds 2147483647 at [0]"]),
    (put("lowest/count", 0, -1), ["/lowest/count holds 0"]),
    (put("lowest/energy", -(2**40)), ["/lowest/energy holds -1099511627776"]),
    (put("log2/q2", np.inf), ["/log2/q2 holds inf"]),
    (put("mean/energy", np.inf), ["/mean/energy holds inf at [0, 0]"]),
    (put("mean/energy", -3.5, 5), ["/mean/energy holds -3.5 at [0, 5]"]),
    (put("mean/q2", 2.0), ["/mean/q2 holds 2"]),
    (put("mean/energy", np.nan, 3), ["/mean/energy holds nan at [0, 3]"]),
    (put("mean/specific_heat", np.nan), ["/mean/specific_heat holds nan"]),
    (put("mean/q2", np.nan), ["/mean/q2 holds nan"]),
    (put("log2/energy", np.nan), ["/log2/energy holds nan"]),
    (put("error/energy", -5.0), ["/error/energy holds -5 at [0, 0]"]),
    (put("realization", -1), ["/realization holds -1 at [0] instead of 64"]),
    (put("realization", 70, 5), ["/realization holds 70 at [5] instead of 69"]),
    (put("tau/walk", 1e308), ["/tau/walk holds 1e+308"]),
    (put("histogram/overlap", 2**32 - 1), ["/histogram/overlap is damaged", "4294967"]),
    (put("histogram/overlap", lambda counts: counts + 1, 7), ["/histogram/overlap is damaged"]),
    (replace("histogram/overlap", lambda h: 0 * h), ["/histogram/overlap is damaged"]),
    (attributes(run_last=-1), ["run_last = -1"]),
    (attributes(run_last=2**62), ["run_last = 4611686018427387904"]),
    (put("mean/specific_heat", -np.inf), ["/mean/specific_heat holds -inf"]),
    (put("shared/energy", np.inf), ["/shared/energy holds inf"]),
    (put("tau/energy", -1.0), ["/tau/energy holds -1"]),
    (put("tau/walk", -1.0), ["/tau/walk holds -1"]),
    (put("equilibration/equilibrated", 2), ["/equilibration/equilibrated holds 2 at [0]"]),
    (put("equilibration/max_deviation", -1.0), ["/equilibration/max_deviation holds -1"]),
    (put("equilibration/hottest_sweeps", 81, -1), ["/equilibration/hottest_sweeps holds 81"]),
    (put("equilibration/hottest_correlation", 1.1), ["/equilibration/hottest_correlation holds 1.1 at [0, 0]"]),
    (put("equilibration/hottest_square", -0.1), ["/equilibration/hottest_square holds -0.1 at [0, 0]"]),
    (put("equilibration/hottest_time", np.nan), ["/equilibration/hottest_time holds nan at [0]"]),
    (put("tempering/swap_rate", 1.5), ["/tempering/swap_rate holds 1.5"]),
    (put("tempering/round_trips", INT64_MAX), [f"/tempering/round_trips holds {INT64_MAX}"]),
    (put("tempering/sweeps", 0), ["/tempering/sweeps holds 0"]),
    (replace("histogram/overlap", lambda h: h[:, :0]), ["/histogram/overlap has 0 bins"]),
    (replace("histogram/overlap", lambda h: np.resize(h + 5, (h.shape[0], 200, h.shape[2]))), ["/histogram/overlap holds", "at [0, 1, 0], in a bin without a value"]),
]
CASES = [(file, *case) for file, cases in {
    "disorder.h5": DISORDER, "state.h5": BATCH + STATE, "run.h5": BATCH + RUN + SUMS, "observables.h5": BATCH + OBSERVABLES, "state1.h5": BATCH + STATE[:3],
}.items() for case in cases]  # fmt: skip


@pytest.mark.parametrize("file, change, words", CASES, ids=[f"{file} {words[0]}" for file, _, words in CASES])
def test_impossible_number(folder, file, change, words):  # noqa: F811
    change(folder / file)
    refused(folder, *READERS[file], words=[file, *words])


@pytest.mark.parametrize("change, words", RUN, ids=[words[0] for _, words in RUN])
def test_impossible_range_in_an_audit(folder, change, words):  # noqa: F811
    change(folder / "run.h5")
    refused(folder, *READERS["state1.h5"][:-4], "--out", "out.json", words=["run.h5", *words])


SNAPSHOTS = [
    (replace("snapshots/sweep", lambda s: s[0]), ["/snapshots/sweep"]),
    (put("snapshots/sweep", 81), ["/snapshots/sweep holds 81 at [0]"]),
    (put("snapshots/sweep", -1), ["/snapshots/sweep holds -1 at [0]"]),
    (replace("snapshots/sweep", lambda s: s[::-1].copy()), ["/snapshots/sweep", "must rise"]),
    (replace("snapshots/spins", lambda s: s[:, :1]), ["/snapshots/spins"]),
]


@pytest.mark.parametrize("change, words", SNAPSHOTS, ids=[str(i) for i in range(len(SNAPSHOTS))])
def test_impossible_snapshots(folder, change, words):  # noqa: F811
    done = run(folder, *READERS["state.h5"][:-1], "snapshots.h5", "--set", "run.snapshots=2")
    assert done.returncode == 0, done.stderr
    change(folder / "snapshots.h5")
    for program, extra in [("measure", ["--from-snapshots"]), ("audit", ["--state", "state.h5"])]:
        refused(folder, program, "--disorder", "disorder.h5", "--run", "snapshots.h5", *extra, "--out", "out", words=["snapshots.h5", *words])


def test_a_changed_file_that_is_possible_is_read(folder):  # noqa: F811
    """h5py cuts the seal off when it opens a file for writing; without the attribute `sealed` such a file is one by hand."""
    for file in ["disorder.h5", "state.h5", "run.h5", "observables.h5"]:
        shutil.copy(folder / file, folder / "before.h5")
        assert b"psflip seal XXH64 " in (folder / file).read_bytes()[-40:]
        with changing(folder / file) as opened:
            opened.attrs["remark"] = "by hand"
        assert b"psflip seal" not in (folder / file).read_bytes()
        done = run(folder, *READERS[file])
        assert done.returncode == 0, done.stderr
        (folder / READERS[file][READERS[file].index("--out") + 1]).unlink()
        shutil.move(folder / "before.h5", folder / file)
