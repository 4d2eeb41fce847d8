"""Times one lattice on several GPUs, with all halo transports and site orders: strong scaling and weak scaling on sizes that tiles divide.

    python workflows/psflip bench.slab_timings --bin build/bin --out docs/data/slabs.json
    python workflows/psflip bench.slab_plots --out docs docs/data/slabs.json

Writes the rows of all calls of `bench-slab` into one file. The machine needs a GPU for each slab. Four H100 should take less than four minutes.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.programs import Programs
from psflip.campaign.whole_files import check_output, write_text

KIND = "rows of measurements"
EDGE = 32  # sites of a row that tiles divide


def weak_size(alone: int, slabs: int) -> int:
    """Returns the size whose lattices have about as many sites on each GPU as a lattice of size `alone`."""
    return EDGE * round(alone * slabs ** (1 / 3) / EDGE) if alone % EDGE == 0 else 2 * round(alone * slabs ** (1 / 3) / 2)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_argument("--bin", type=Path, default=Path("build/bin"), help="folder of the programs (default: build/bin)")
    parser.add_argument("--out", type=Path, required=True, help="JSON file of all timings")
    parser.add_argument("--L", type=int, nargs="+", default=[64, 128, 256, 512], help="lattice sizes of strong scaling (default: 64 128 256 512)")
    parser.add_argument("--weak", type=int, default=256, help="lattice size of one GPU in weak scaling (default: 256)")
    parser.add_argument("--slabs", type=int, nargs="+", default=[1, 2, 4], help="numbers of slabs (default: 1 2 4)")
    parser.add_argument("--halo", nargs="+", default=["peer", "host"], help="halo transports (default: peer host)")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--seconds", default="0.3", help="seconds of a repeat (default: 0.3)")
    given = parser.parse_args()
    program = Programs.find(given.bin).folder / "bench-slab"
    common = ["--backend", given.backend, "--slabs", ",".join(map(str, given.slabs)), "--halo", ",".join(given.halo)]
    common += ["--halo-order", "standard,sliced", "--seconds", given.seconds, "--repeats", "3"]
    calls = [["--L", ",".join(map(str, given.L))], ["--weak", ",".join(str(weak_size(given.weak, slabs)) for slabs in given.slabs)]]
    rows: list[dict] = []
    check_output(given.out, KIND, "--out")
    with tempfile.TemporaryDirectory(prefix="psflip-slabs-") as folder:
        for number, sizes in enumerate(calls):
            path = Path(folder) / f"{number}.json"
            if (code := subprocess.run([program, *common, *sizes, "--json", path]).returncode) != 0:
                raise StudyError(f"bench-slab ended with exit code {code}")
            rows += json.loads(path.read_text(encoding="utf-8"))
    write_text(given.out, "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", KIND)


if __name__ == "__main__":
    main()
