"""Manual pages: docs/man has the pages that docs/man/write.py writes, man shows them without a warning, and builds install them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
MAN = ROOT / "docs/man"
sys.path.insert(0, str(MAN))
import write  # noqa: E402
from psflip.__main__ import COMMANDS  # noqa: E402


@pytest.fixture(scope="module")
def pages():
    if not (BIN / "bench-flip").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    return write.pages(BIN)


def test_stored_pages_are_those_of_commands_and_programs(pages):
    assert {file.name for file in MAN.glob("*.1")} == set(pages)
    assert {"psflip.1", "pt-run.1", *(f"psflip-{name}.1" for name in COMMANDS)} <= set(pages)
    for name, text in pages.items():
        assert (MAN / name).read_text() == text, f"{name} is not up to date; run docs/man/write.py"


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
@pytest.mark.parametrize("name", sorted(file.name for file in MAN.glob("*.1")))
def test_man_shows_a_page(name):
    done = subprocess.run(["man", "--warnings", "-l", MAN / name], capture_output=True, text=True, env=os.environ | {"MANWIDTH": "120", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
    assert done.returncode == 0 and not done.stderr, done.stderr
    shown = re.sub(r".\x08", "", done.stdout)
    assert all(heading in shown for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"))
    assert name == "psflip.1" or "--help" in shown


def test_text_is_not_read_as_a_command_of_roff():
    assert write.roff(".TH of 'a\n'quoted\\ -x") == "\\&.TH of 'a\n\\&'quoted\\e \\-x"
    assert write.paragraphs("One\nsentence.\n\n    an example\n    and another") == ".PP\nOne sentence.\n.PP\n.EX\n    an example\n    and another\n.EE"
