#!/usr/bin/env python3
"""Stands in for all five programs: writes its outputs as text and a line into $STAND_IN_LOG. A file "stop" beside --out makes it
leave a checkpoint and end with 75, as a run that got a signal does."""

import os
import sys
from pathlib import Path

name, words = Path(sys.argv[0]).name, sys.argv[1:]
if "--version" in words:
    version = os.environ.get("STAND_IN_PHYSICS", "1")
    print(f"{name} 0.1.0 (0123abc)\nphysics version: {version}\nbackends: {os.environ.get('STAND_IN_BACKENDS', 'cpu')}")
    sys.exit(0)
if "--validate" in words:
    sys.exit(0)
options = {word: words[i + 1] for i, word in enumerate(words[:-1]) if word.startswith("--")}
out = Path(options["--out"])
if "STAND_IN_LOG" in os.environ:
    with open(os.environ["STAND_IN_LOG"], "a") as log:
        log.write(f"{name} {' '.join(words)}\n")
checkpoint = Path(f"{out}.checkpoint.h5")
if name == "pt-run" and (out.parent / "stop").exists():
    checkpoint.write_text("half way")
    sys.exit(75)
if checkpoint.exists():
    assert checkpoint.read_text() == "half way"
    checkpoint.unlink()
    (out.parent / "resumed").touch()
for option in ("--out", "--state-out", "--csv"):
    if option in options:
        Path(options[option]).write_text(f"{name}\n")
