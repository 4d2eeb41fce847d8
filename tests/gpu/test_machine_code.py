"""In the machine code of all kernels, every loop changes the condition that ends it. The assembler of CUDA 13.0 makes loops that do not from correct
sources: it loses a part of a condition and takes another predicate instead. Skipped without CUDA's cuobjdump."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,6})\*/\s+(.*?)\s*;")
BRANCH = re.compile(r"(?:@!?(?P<guard>U?P\d)\s+)?BRA(?:\.\w+)*\s+(?:!?(?P<second>U?P\d),\s*)?(?P<to>0x[0-9a-f]+)")
GUARD = re.compile(r"^@!?U?P\d\s+")


def writes(instruction, predicate):
    """Returns whether an instruction may change a predicate. Destinations come first; calls and R2P may change all."""
    name, _, operands = GUARD.sub("", instruction).partition(" ")
    return name.startswith(("CALL", "R2P")) or predicate in [word.strip() for word in operands.split(",")[:3]]


def kernels(lines):
    """Returns a kernel's list of (address, instruction) by its name."""
    found, code = {}, None
    for line in lines:
        if "Function :" in line:
            code = found[line.split(":", 1)[1].strip()] = []
        elif code is not None and (match := INSTRUCTION.match(line)):
            code.append((int(match[1], 16), match[2]))
    return found


def blind_loops(code):
    """Yields backward branches by a predicate that no instruction of the loop writes."""
    place = {address: i for i, (address, _) in enumerate(code)}
    for i, (address, instruction) in enumerate(code):
        match = BRANCH.match(instruction)
        if match and int(match["to"], 16) <= address and int(match["to"], 16) in place:
            loop = [text for _, text in code[place[int(match["to"], 16)]:i]]
            for predicate in filter(None, (match["guard"], match["second"])):
                if not any(writes(text, predicate) for text in loop):
                    yield f"{address:#x}: {instruction}"


CODE = """
        Function : digits
        /*0000*/  ISETP.LT.U32.AND P0, PT, R52, 0x101, !P4 ;
        /*0010*/  ISETP.LT.U32.AND P1, PT, R82, 0x8, PT ;
        /*0020*/  LOP3.LUT {of_loop}R86, R43, R74, R37, 0x90, !PT ;
        /*0030*/  @P0 BRA P1, 0x10 ;
"""


@pytest.mark.parametrize("of_loop, found", [("", ["0x30: @P0 BRA P1, 0x10"]), ("P0, ", [])])
def test_a_lost_condition_is_seen(of_loop, found):
    code = kernels(CODE.format(of_loop=of_loop).splitlines())
    assert [*code] == ["digits"] and list(blind_loops(code["digits"])) == found


@pytest.mark.parametrize("name", ["libpsflip.so", "libpsflip_bench.so"])
def test_loops_change_their_condition(name):
    dump, library = shutil.which("cuobjdump"), BIN.parent / "libcore" / name
    if dump is None:
        pytest.skip("no cuobjdump here")
    assert library.is_file(), library
    with subprocess.Popen([dump, "-sass", library], stdout=subprocess.PIPE, text=True) as running:
        code = kernels(running.stdout)
    if not code:
        pytest.skip(f"{library} is built without CUDA")
    found = [f"{name} {branch}" for name, instructions in code.items() for branch in blind_loops(instructions)]
    assert not found, "\n".join(found)
