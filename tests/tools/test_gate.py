"""The gate of tests/gate must find planted changes of machine code and of values, and only those."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GATE = ROOT / "tests" / "gate"
sys.path.insert(0, str(GATE))
import comparison  # noqa: E402
import machine_code  # noqa: E402
import small_runs  # noqa: E402
from test_frozen import BIN  # noqa: E402

OLD = "_ZN6psflip41_GLOBAL__N__bd1a28f7_9_device_cu_61e8b6a812probe_kernelEv"
OTHER_HASH = "_ZN6psflip41_GLOBAL__N__00000000_9_device_cu_11111111" "12probe_kernelEv"
MOVED = "_ZN6psflip41_GLOBAL__N__12345678_9_sample_cu_9abcdef012sound_kernelEv"
LISTING = """
Fatbin elf code:
================
arch = sm_80
identifier = ../libcore/base/device.cu

\tcode for sm_80
\t\tFunction : {name}
\t.headerflags\t@"EF_CUDA_SM80"
        /*0000*/                   MOV R1, c[0x0][0x28] ;  /* 0x00000a0000017a02 */
                                                           /* 0x000fe40000000f00 */
        /*0010*/                   EXIT ;                  /* 0x000000000000794d */
                                                           /* 0x000fea0003800000 */
\t\t..........
"""


def kernels_of(listing, used="REG:4"):
    """As a snapshot has them."""
    found = list(machine_code.functions(listing))
    names = machine_code.demangled([name for _, name, _ in found])
    return {f"{architecture} {name}": [machine_code.code_text(mangled, lines, used)]
            for (architecture, mangled, lines), name in zip(found, names)}


def states(before, after):
    return list(comparison.kernels(before, after).values())


BEFORE = kernels_of(LISTING.format(name=OLD))


def test_a_listing_is_read():
    (name, [text]), = BEFORE.items()
    assert name == "sm_80 psflip::(anonymous namespace)::probe_kernel()"
    assert "REG:4" in text and "EXIT" in text and "0x000fea0003800000" in text and "/*0010*/" not in text


def test_the_same_code_is_equal_whatever_the_hash_of_its_file():
    assert states(BEFORE, kernels_of(LISTING.format(name=OTHER_HASH))) == ["equal"]


def test_the_same_code_under_another_name_is_renamed():
    after = kernels_of(LISTING.format(name=MOVED))
    found = comparison.kernels(BEFORE, after)
    assert found == {"sm_80 psflip::(anonymous namespace)::sound_kernel()":
                     "renamed from sm_80 psflip::(anonymous namespace)::probe_kernel()"}
    assert comparison.passes(found)


def test_planted_changes_of_code_are_found():
    listing = LISTING.format(name=OLD)
    for after in (kernels_of(listing.replace("R1", "R2")),
                  kernels_of(listing.replace("0x000fe40000000f00", "0x000fe20000000f00")),  # a stall count
                  kernels_of(listing, "REG:5")):
        assert states(BEFORE, after) == ["changed"] and not comparison.passes(comparison.kernels(BEFORE, after))
    assert states(BEFORE, kernels_of(LISTING.format(name=MOVED).replace("R1", "R2"))) == ["gone", "new"]
    assert states(BEFORE, kernels_of(listing.replace("sm_80", "sm_90"))) == ["gone", "new"]
    assert states(BEFORE, {}) == ["gone"] and states({}, BEFORE) == ["new"]


def test_of_two_kernels_with_one_name_each_counts():
    name, = BEFORE
    assert states({name: ["a", "b"]}, {name: ["a", "b"]}) == ["equal"]
    assert states({name: ["a", "b"]}, {name: ["a", "c"]}) == ["changed"]
    assert states({name: ["a", "b"]}, {name: ["a"]}) == ["changed"]


def test_planted_changes_of_values_are_found(monkeypatch):
    case = (4, 32, 1)
    before = small_runs.run_case(BIN, case, "scalar")
    assert comparison.passes(comparison.datasets(before, small_runs.run_case(BIN, case, "scalar")))
    monkeypatch.setattr(small_runs, "STUDY", small_runs.STUDY.replace("seed: 41", "seed: 42"))
    found = comparison.datasets(before, small_runs.run_case(BIN, case, "scalar"))
    for name in ("disorder.h5:couplings", "state.h5:spins", "end.h5:spins", "results.csv"):
        assert found[f"L=4 share=32 replicas=1/scalar/{name}"] == "changed"


def gate(*arguments):
    return subprocess.run([sys.executable, GATE / "gate.py", *arguments], capture_output=True, text=True)


def test_the_exit_code_says_whether_anything_differs(tmp_path):
    def snapshot(name, values):
        (tmp_path / name).mkdir()
        (tmp_path / name / "values.json").write_text(json.dumps(values))
        return tmp_path / name

    before = snapshot("before", {"a/run.h5:spins": "1", "a/run.h5:gone": "2"})
    same = snapshot("same", {"a/run.h5:spins": "1", "a/run.h5:gone": "2"})
    more = snapshot("more", {"a/run.h5:spins": "1", "a/run.h5:gone": "2", "a/run.h5:added": "3"})
    other = snapshot("other", {"a/run.h5:spins": "0"})
    assert gate("compare", before, same).returncode == 0
    done = gate("compare", before, other)
    assert done.returncode == 1 and "changed  a/run.h5:spins" in done.stdout and "gone     a/run.h5:gone" in done.stdout
    assert gate("compare", before, more).returncode == 1
    assert gate("compare", before, more, "--allow-new", "*:other").returncode == 1
    assert gate("compare", before, more, "--allow-new", "*run.h5:added").returncode == 0
    assert "has values.json" in gate("compare", before, tmp_path).stderr
