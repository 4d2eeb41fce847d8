#!/usr/bin/env python3
"""Stands in for all five programs: writes its outputs as text and a line into $STAND_IN_LOG. A file "stop" next to --out makes it
leave a checkpoint and end with 75, as a run that got a signal does. $STAND_IN_NEEDS, {"L6/batch0000000-0000031": {"5": 4096}} as
JSON, makes realization 5 of that batch equilibrate after 4096 sweeps only; $STAND_IN_DRIFTS, {"L6": 4096}, the averages of that
size drift before 4096 sweeps. $STAND_IN_LINGERS, {"pt-run L4/batch0000000-0000031": 3},
makes that program end 3 seconds late."""

import json
import os
import re
import sys
import time
from pathlib import Path

name, words = Path(sys.argv[0]).name, sys.argv[1:]
if "--version" in words:
    version = os.environ.get("STAND_IN_PHYSICS", "1")
    print(f"{name} 0.1.0 (0123abc)\nphysics version: {version}\nanalysis version: {os.environ.get('STAND_IN_ANALYSIS', '1')}\nbackends: {os.environ.get('STAND_IN_BACKENDS', 'cpu')}")
    sys.exit(0)
if "--validate" in words:
    sys.exit(0)
options = {word: words[i + 1] for i, word in enumerate(words[:-1]) if word.startswith("--")}
out = Path(options["--out"])
if "STAND_IN_LOG" in os.environ:
    with open(os.environ["STAND_IN_LOG"], "a") as log:
        gpus = f" on GPU {os.environ['CUDA_VISIBLE_DEVICES']}" if "CUDA_VISIBLE_DEVICES" in os.environ else ""
        log.write(f"{name} {' '.join(words)}{gpus}\n")
if os.environ.get("PSFLIP_GPU") == "asked":
    print("asked for a GPU, but the CPU is used (there is none)", file=sys.stderr)
checkpoint = Path(f"{out}.checkpoint.h5")
if name == "pt-run" and (out.parent / "stop").exists():
    checkpoint.write_text("half way")
    sys.exit(75)
if checkpoint.exists():
    assert checkpoint.read_text() == "half way"
    checkpoint.unlink()
    (out.parent / "resumed").touch()
for option in ("--disorder", "--state", "--config", "--files-from"):
    assert option not in options or Path(options[option]).is_file(), options[option]
for option in ("--out", "--state-out", "--csv", "--numbers"):
    if option in options:
        Path(options[option]).write_text(f"{name}\n")
if name == "measure":
    import h5py

    first, last = map(int, re.search(r"batch(\d+)-(\d+)", str(out)).groups())
    needs = json.loads(os.environ.get("STAND_IN_NEEDS", "{}")).get(f"{out.parent.parent.name}/{out.parent.name}", {})
    sweeps = int(re.search(r"-(\d+)\.h5", out.name)[1])
    with h5py.File(out, "w") as file:
        file["equilibration/equilibrated"] = [sweeps >= needs.get(str(i), 0) for i in range(last - first + 1)]
if name == "reduce-disorder":
    import h5py

    files = Path(options["--files-from"]).read_text().split()
    sizes = {re.search(r"L(\d+)/batch", file)[1] for file in files}
    drifts = json.loads(os.environ.get("STAND_IN_DRIFTS", "{}"))
    sweeps = min(int(re.search(r"-(\d+)\.h5", file)[1]) for file in files)
    with h5py.File(out, "w") as file:
        for L in sizes:
            z = 9.0 if sweeps < drifts.get(f"L{L}", 0) else 0.5
            file.create_group(f"L{L}").attrs.update(stationary=int(z < 4), largest_paired_z=z)
# its files are there, but it has not ended
time.sleep(json.loads(os.environ.get("STAND_IN_LINGERS", "{}")).get(f"{name} {out.parent.parent.name}/{out.parent.name}", 0))
