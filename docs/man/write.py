#!/usr/bin/env python3
"""Writes the manual pages psflip.1, psflip-COMMAND.1 and PROGRAM.1 into this folder, from the parsers of the commands and the help texts of the programs.

    python docs/man/write.py --bin build/bin      # needs all programs, also bench-*
    man docs/man/psflip-run.1
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "workflows"))

from psflip import __main__ as psflip  # noqa: E402
from psflip.commands.words import SETTING, Command, Word, of_command, of_program, programs  # noqa: E402

ENVIRONMENT = {  # variable -> meaning
    "NO_COLOR": "If it is set and not empty, psflip prints no colours.",
    "PSFLIP_SIMD": "Instruction set of the programs: scalar, avx2 or avx512.",
    "PSFLIP_TRACEBACK": "If it is set, faults of psflip itself are printed as Python prints them.",
}
MOST_CHOICES = 12  # that a page lists; names of keys, pages and figures are more
CODES = {  # exit code -> meaning
    "0": "The work is done.",
    "1": "An option, a study file or an input is wrong.",
    "2": "The machine lacks something: a device, memory, disk space or a permission.",
    "75": "The program stopped and left a checkpoint. The same command resumes it.",
}


def roff(text: str) -> str:
    """Returns text for man, in which every hyphen can be copied as the sign -."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def paragraphs(text: str) -> str:
    """Returns a description. Indented lines are examples, which keep their line ends."""
    parts: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        indented = all(line.startswith("    ") for line in block.splitlines())
        parts.append(f".PP\n.EX\n{roff(block)}\n.EE" if indented else f".PP\n{roff(' '.join(block.split()))}")
    return "\n".join(parts)


def option(word: Word) -> str:
    """Returns an option or an argument with its value, its default and its text."""
    name, _, default = (word.value, "", "") if word.takes == SETTING else word.value.partition("=")
    value = re.sub(r":.*", "", name)
    names = ", ".join(f"\\fB{roff(one)}\\fR" for one in word.names)
    head = f"{names} \\fI{roff(value)}\\fR" if names and value else names or f"\\fI{roff(value)}\\fR"
    allowed = f" One of {', '.join(word.choices)}." if 1 < len(word.choices) <= MOST_CHOICES and word.choices[1] not in word.about else ""
    shown = f" Default: {default.split()[0]}." if default and not default.startswith("[]") else ""
    text = word.about.rstrip(".")
    return f".TP\n{head}\n{roff(f'{text}.{allowed}{shown}')}"


def table(rows: dict[str, str]) -> str:
    return "\n".join(f".TP\n.B {roff(name)}\n{roff(text)}" for name, text in rows.items())


def page(name: str, summary: str, synopsis: str, description: str, words: list[Word], see: list[str]) -> str:
    title = f'.\\" docs/man/write.py writes this file.\n.TH {roff(name.upper())} 1 "" psflip "Manual of psflip"\n.nr HY 0\n.ad l'
    arguments, options = [word for word in words if not word.names], [word for word in words if word.names]
    parts = [title, f".SH NAME\n{roff(name)} \\- {roff(summary)}", f".SH SYNOPSIS\n{roff(synopsis)}", f".SH DESCRIPTION\n{description}"]
    parts += [".SH ARGUMENTS\n" + "\n".join(map(option, arguments))] if arguments else []
    parts += [".SH OPTIONS\n" + "\n".join(map(option, options))] if options else []
    parts += [f".SH EXIT STATUS\n{table(CODES)}", f".SH ENVIRONMENT\n{table(ENVIRONMENT)}", ".SH SEE ALSO\n" + ", ".join(f"\\fB{roff(one)}\\fR(1)" for one in see)]
    return "\n".join(parts) + "\n"


def of_word(command: Command, name: str, see: list[str]) -> str:
    return page(name, command.summary, " ".join(command.usage.split()), paragraphs(command.about), list(command.words), see)


def first_page(names: list[str]) -> str:
    """Returns psflip.1 from the text that psflip prints without arguments."""
    head, *blocks = (psflip.__doc__ or "").split("\n\n")
    summary = head.removeprefix("psflip: ").rstrip(".")
    return page("psflip", summary, "psflip COMMAND ...", paragraphs("\n\n".join(blocks)), [], names)


def pages(bin: Path) -> dict[str, str]:
    """Returns the text of each page by its file name."""
    found = {f"psflip-{name}": of_word(of_command(name), f"psflip-{name}", ["psflip"]) for name in psflip.COMMANDS}
    found |= {name: of_word(of_program(name, bin), name, ["psflip", "psflip-run"]) for name in programs(bin)}
    return {f"{name}.1": text for name, text in {"psflip": first_page(list(found)), **found}.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="folder of the programs")
    given = parser.parse_args()
    found = pages(given.bin)
    for old in HERE.glob("*.1"):
        old.unlink()
    for name, text in found.items():
        (HERE / name).write_text(text)
    print(f"{len(found)} pages in {HERE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
