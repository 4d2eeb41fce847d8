"""Writes in colours on a terminal. Files, pipes and dumb terminals get none, nor does anything if NO_COLOR is set (https://no-color.org)."""

from __future__ import annotations

import os
from typing import TextIO

CODES = {"head": "1", "good": "32", "doubt": "33", "bad": "1;31"}


def has_cursor(stream: TextIO) -> bool:
    """Returns whether a line on the stream can be written again."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colour(stream: TextIO) -> bool:
    return has_cursor(stream) and not os.environ.get("NO_COLOR")


def coloured(text: str, look: str, stream: TextIO) -> str:
    """Returns the text with the escape codes of a look of CODES if the stream shows colours. The text must be printable already (see `errors.printable`)."""
    return f"\x1b[{CODES[look]}m{text}\x1b[0m" if text and look and has_colour(stream) else text
