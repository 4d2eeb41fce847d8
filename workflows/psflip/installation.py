"""How psflip was installed: its version, and the commands that install it again."""

from __future__ import annotations

import json
import re
from importlib import metadata

from psflip.places import CHECKOUT, INSTALLED

NAME = "psflip"


def version() -> str:
    """Returns the version of the Python package."""
    if INSTALLED:
        try:
            return metadata.version(NAME)
        except metadata.PackageNotFoundError:
            return "unknown"
    found = re.search(r"project\(psflip VERSION ([0-9.]+)", (CHECKOUT / "CMakeLists.txt").read_text(encoding="utf-8"))
    return found[1] if found else "unknown"


def from_index() -> bool:
    """Whether pip took the package by its name, not from a file or an address."""
    try:
        distribution = metadata.distribution(NAME)
        return not json.loads(distribution.read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return False


def install_lines(commit: str = "") -> list[str]:
    """Returns the commands that install this psflip again, with its sources at `commit` if that is known."""
    if not INSTALLED:
        return [*([f"git checkout {commit}"] if commit else []), "envs/quickstart   # installs and builds; also runs configs/quickstart.yaml", "source .psflip/venv/bin/activate"]
    if from_index():
        return [f"pip install {NAME}=={version()}"]
    made = f"; envs/wheel makes it from the sources at {commit}" if commit else ""
    return [f"pip install {NAME}-{version()}-cp311-abi3-*.whl   # the wheel of this version{made}"]
