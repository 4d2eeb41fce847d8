"""Terminals show colours; files, pipes and NO_COLOR get none. `psflip status --watch` prints again until all is done."""

import io
import os
import sys

import pytest
from conftest import ROOT
from psflip.campaign import colour
from psflip.campaign.errors import StudyError
from psflip.commands import status
from terminal import Terminal

ROWS = [  # L, missing, running, failed of status
    status.Progress(4, 0, {"run": 2}, {"run": 0}, 0, 0, 0.0),
    status.Progress(8, 1, {"run": 2}, {"run": 1}, 1, 0, 90.0),
    status.Progress("all", 0, {"plots": 1}, {"plots": 1}, 0, 1, 6.0, [("a.log", "the disk is full")]),
]


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch):
    """A function that makes standard output a terminal. pytest replaces standard output between fixture and test."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def begin():
        monkeypatch.setattr(sys, "stdout", Screen())
        return sys.stdout

    return begin


def test_rows_of_status_have_the_colour_of_their_state(screen):
    screen()
    lines = status.as_text(ROWS)
    assert [line.partition("m")[0] for line in lines] == ["\x1b[1", "\x1b[32", lines[2].partition("m")[0], *3 * ["\x1b[1;31"]]
    assert "\x1b" not in lines[2], "a size that is under way has no colour"
    assert all(line.endswith("\x1b[0m") for line in lines if "\x1b" in line)


@pytest.mark.parametrize("name, value, has", [("TERM", "xterm", True), ("TERM", "dumb", False), ("NO_COLOR", "1", False), ("NO_COLOR", "", True)])
def test_variables_that_decide_on_colours(screen, monkeypatch, name, value, has):
    shown = screen()
    monkeypatch.setenv(name, value)
    assert ("\x1b" in "".join(status.as_text(ROWS))) == has
    assert ("\x1b" in colour.coloured("text", "bad", shown)) == has


def test_pipes_get_no_colours(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert "\x1b" not in "".join(status.as_text(ROWS))


@pytest.mark.parametrize("more, start", [({}, "\x1b[1;31mpsflip plan:\x1b[0m study absent.yaml"), ({"NO_COLOR": "1"}, "psflip plan: study absent.yaml")])
def test_errors_on_a_terminal(tmp_path, more, start):
    environment = {name: text for name, text in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | more
    opened = Terminal([sys.executable, ROOT / "workflows/psflip", "plan", "absent.yaml"], tmp_path, environment)
    assert opened.read_until("\n").startswith(start)
    opened.close()


def looks(monkeypatch, states):
    """Lets status see these numbers of missing jobs, one at each look. Returns the list of waits between looks."""
    left, waits = iter(states), []
    monkeypatch.setattr(status, "look_at", lambda given: ([f"missing {(now := next(left))}"], now == 0))
    monkeypatch.setattr(status.time, "sleep", waits.append)
    return waits


def test_watch_ends_when_all_is_done(monkeypatch, capsys):
    waits = looks(monkeypatch, (2, 1, 0, 0))
    assert status.main(["my.yaml", "--watch", "--every", "3"]) == 0
    blocks = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert waits == [3, 3] and [block.splitlines()[1] for block in blocks] == ["missing 2", "missing 1", "missing 0"]
    assert all(block.splitlines()[0].endswith("  my.yaml") for block in blocks) and "\x1b" not in "".join(blocks)


def test_watch_writes_over_the_last_look_on_a_terminal(monkeypatch, screen):
    looks(monkeypatch, (1, 0))
    output = screen()
    status.main(["my.yaml", "--watch"])
    shown = output.getvalue().split("\x1b[H")
    assert len(shown) == 3 and shown[0] == "" and all(text.endswith("\x1b[J") for text in shown[1:])
    assert "missing 1\x1b[K\n" in shown[1] and "missing 0\x1b[K\n" in shown[2]


def test_every_needs_a_number_of_seconds():
    with pytest.raises(StudyError, match="--every: 0: a whole number from 1 to 86400"):
        status.main(["my.yaml", "--watch", "--every", "0"])
