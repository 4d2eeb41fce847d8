"""What is wrong with a study, an option or a file, told in plain words; texts of others made fit for a terminal."""

from __future__ import annotations


def printable(text: object) -> str:
    """The text with all that is no visible character written as an escape (`\\x1b`), but for ends of lines: texts from files may hold
    commands for the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in str(text))


class StudyError(Exception):
    """A study file, an option, or a file of a campaign is wrong; the message says what would be right."""

    def __init__(self, message: object):
        super().__init__(printable(message))
