"""Where the parts of psflip lie: in a checkout of the repository around this package, in an installed one inside it (`share`), in the
same tree of folders."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parents[1]
INSTALLED = not (CHECKOUT / "CMakeLists.txt").is_file()
ROOT = PACKAGE / "share" if INSTALLED else CHECKOUT

BIN = PACKAGE / "bin" if INSTALLED else CHECKOUT / "build" / "bin"  # the programs, unless an option names another folder
EXTENSION = Path(os.environ.get("PSFLIP_EXTENSION") or (PACKAGE if INSTALLED else CHECKOUT / "build" / "python"))  # folder of the extension psflip._native
CONFIGS = ROOT / "configs"
DOCS = ROOT / "docs"
WORKFLOWS = ROOT / "workflows"
SNAKEFILE = WORKFLOWS / "Snakefile"
SCHEMA = WORKFLOWS / "schemas" / "config.schema.yaml"
REQUIREMENTS = ROOT / "envs" / "requirements.txt"
