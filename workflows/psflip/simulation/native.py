"""Loads the extension psflip._native, which calls the library of psflip."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

import psflip
from psflip.campaign.errors import StudyError
from psflip.places import EXTENSION, INSTALLED

if TYPE_CHECKING:
    from types import ModuleType

    from psflip._native import Lattices


def _loaded() -> ModuleType:
    if str(EXTENSION) not in psflip.__path__:
        psflip.__path__.insert(0, str(EXTENSION))
    try:
        return import_module("psflip._native")
    except ImportError as error:
        remedy = "install a wheel of psflip for this system" if INSTALLED else "envs/install installs what it needs; then build psflip again (cmake --build build)"
        raise StudyError(f"this function needs the extension psflip._native, which does not load ({error}); {remedy}") from None


def lattices() -> type[Lattices]:
    """Returns the class Lattices of the extension. StudyError if the extension is missing."""
    return cast("type[Lattices]", _loaded().Lattices)
