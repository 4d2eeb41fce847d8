"""Prints a script with which a shell completes commands, options, study files, and keys after --set. The script also completes the programs, such as pt-run.

    source <(psflip completion bash)                                            # this bash
    psflip completion bash > ~/.local/share/bash-completion/completions/psflip  # every bash, with the package bash-completion
    psflip completion zsh > FOLDER/_psflip                                      # zsh; FOLDER is a folder of its fpath
    psflip completion fish > ~/.config/fish/completions/psflip.fish             # fish

Write the script again after an update of psflip.
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.commands.shells import SCRIPTS, Words
from psflip.commands.words import of_command, of_program, programs, settings
from psflip.places import BIN


def words_of(folder: Path) -> Words:
    from psflip.__main__ import COMMANDS

    return Words(tuple(map(of_command, COMMANDS)), tuple(of_program(name, folder) for name in programs(folder)), settings())


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip completion")
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell")
    parser.add_argument("--bin", type=Path, default=BIN, help="folder of the psflip programs")
    given = parser.parse_args(words)
    print(SCRIPTS[given.shell](words_of(given.bin)), end="")
    return 0
