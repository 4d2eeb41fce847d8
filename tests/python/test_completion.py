"""bash, zsh and fish complete words of psflip: each test types into a real shell in a terminal."""

import re
import shutil
import time

import pytest
from conftest import BIN
from psflip.__main__ import COMMANDS
from psflip.commands import words
from psflip.commands.completion import words_of
from psflip.commands.shells import SCRIPTS
from terminal import Terminal
from test_command import psflip

PROMPT = "ready> "
SHELLS = {  # command, and the lines that set it up; {script} is the file of psflip completion
    "bash": (["bash", "--noprofile", "--norc", "-i"], f"PS1='{PROMPT}'; source {{script}}"),
    "zsh": (["zsh", "-f", "-i"], f"PS1='{PROMPT}'; bindkey -e; unsetopt zle_bracketed_paste PROMPT_SP; autoload -U compinit; compinit -u -D; source {{script}}"),
    "fish": (["fish", "--no-config", "-i"], f"function fish_prompt; echo -n '{PROMPT}'; end; source {{script}}"),
}
TYPED = [  # text before the key Tab, and the words after it
    ("psflip pla", "psflip plan"),
    ("psflip help cros", "psflip help crossings"),
    ("psflip run --back", "psflip run --backend"),
    ("psflip run --backend cu", "psflip run --backend cuda"),
    ("psflip run --backend cuda gla", "psflip run --backend cuda glass.yaml"),
    ("psflip plan --json plan.json gla", "psflip plan --json plan.json glass.yaml"),
    ("psflip status resu", "psflip status results/"),
    ("psflip new ferromagnet2", "psflip new ferromagnet2d"),
    ("psflip keys temperatures.spac", "psflip keys temperatures.spacing"),
    ("psflip docs off-eq", "psflip docs off-equilibrium"),
    ("psflip completion fi", "psflip completion fish"),
    ("psflip pt-run --set thermalize.swe", "psflip pt-run --set thermalize.sweeps="),
    ("psflip pt-run --set dynamics.update=heat", "psflip pt-run --set dynamics.update=heat-bath"),
    ("pt-run --config gla", "pt-run --config glass.yaml"),
    ("pt-run --set equilibration.test=lo", "pt-run --set equilibration.test=log2"),
    ("pt-run --log-l", "pt-run --log-level"),
]


@pytest.fixture(params=SHELLS)
def terminal(request, tmp_path):
    """A shell that has read psflip's script, in a folder with study files."""
    name = request.param
    command, setup = SHELLS[name]
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    (tmp_path / "results").mkdir()
    (tmp_path / "glass.yaml").touch()
    script = tmp_path / f"psflip.{name}"
    script.write_text(psflip("completion", name, "--bin", BIN).stdout)
    environment = {"HOME": str(tmp_path), "TERM": "xterm" if name == "fish" else "dumb", "PATH": f"{BIN}:/usr/bin:/bin", "COLUMNS": "200", "LC_ALL": "C.UTF-8"}
    opened = Terminal(command, tmp_path, environment)
    opened.send(f"{setup.format(script=script)}; echo se''t\n")
    opened.read_until("set\r\n")
    yield opened
    opened.close()


def test_a_shell_completes_what_is_typed(terminal):
    for typed, wanted in TYPED:
        terminal.send(f"{typed}\t")
        time.sleep(0.4)
        terminal.send("\x01echo '<\x05>'\n")  # Ctrl-A, Ctrl-E: the line becomes an argument of echo
        printed = terminal.read_until(">\r\n")
        shown = re.findall(r"<([^<>]*)>\r\n", printed)[-1]
        assert shown.rstrip(" /") == wanted.rstrip("/"), typed  # zsh removes the stroke after a folder


def test_every_command_and_option_is_in_each_script():
    known = words_of(BIN)
    assert {command.name for command in known.commands} == set(COMMANDS)
    for name, write in SCRIPTS.items():
        script = write(known)
        for command in known.all:
            assert command.name in script
            assert command.options and command.summary, command.name
            for option in command.options:
                assert option.names[-1].lstrip("-") in script, (name, command.name, option)


def test_a_wheel_completes_without_the_pages_on_papers(monkeypatch, tmp_path):
    monkeypatch.setattr(words, "DOCS", tmp_path)
    figure, *_ = words.of_command("papers").arguments
    assert (figure.takes, figure.choices) == (words.TEXT, ())
    monkeypatch.undo()
    figure, *_ = words.of_command("papers").arguments
    assert figure.takes == words.WORD and "fang-16" in figure.choices


def test_options_of_programs_have_kinds_and_texts():
    found = {word.names[-1]: word for word in words.of_program("pt-run", BIN).options}
    kinds = {"--config": words.STUDY, "--set": words.SETTING, "--disorder": words.FILE, "--threads": words.TEXT, "--force": words.NOTHING, "--backend": words.WORD}
    assert {name: found[name].takes for name in kinds} == kinds
    assert found["--backend"].choices == ("auto", "cpu", "cuda")
    assert all(word.about for word in found.values())


def test_unknown_shells_are_named():
    done = psflip("completion", "tcsh")
    assert done.returncode == 1 and "Known are bash, zsh, fish" in done.stderr
