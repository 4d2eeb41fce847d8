"""Prints what `bench-rng --relax --json` measured as a Markdown table: energy and chi at each time, and their deviations from Philox.

    python workflows/psflip bench.rng_tables FILE.json ...

All rows are of the last size and temperature of the files. If results repeat, the last one counts.
"""

from __future__ import annotations

from psflip.bench.bench_data import read_rows
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.papers.tables import markdown

NUMBER = (float, None)
FORMS = {"glass relaxation": {"generator": str, "L": NUMBER, "beta": NUMBER, **dict.fromkeys(("t", "e", "e_error", "chi", "chi_error"), [NUMBER])}}


def with_error(value: float, error: float) -> str:
    """Returns `1.10612(10)`, with two digits of the error."""
    if error == 0:
        return f"{value:.6g}(0)"
    digits = max(0, -int(f"{error:.1e}".split("e")[1]) + 1)
    return f"{value:.{digits}f}({round(error * 10**digits)})"


def relaxation_table(rows: list[dict]) -> str:
    found = {r["generator"]: r for r in rows}
    philox = found.get("philox")

    def cell(r: dict, name: str, i: int) -> str:
        error = r[f"{name}_error"][i]
        text = with_error(r[name][i], error)
        if r is philox or philox is None or philox["t"] != r["t"]:
            return text
        return f"{text}, {(r[name][i] - philox[name][i]) / (error**2 + philox[f'{name}_error'][i] ** 2) ** 0.5:+.1f}"

    first = next(iter(found.values()))
    lines = [[str(t), *(cell(r, name, i) for name in ("e", "chi") for r in found.values())] for i, t in enumerate(first["t"])]
    head = f"t, sweeps (L = {first['L']}, T = {1 / first['beta']:.4g})"
    return markdown([head, *(f"{name}, {g}{', deviation from philox (errors)' * (g != 'philox')}" for name in ("e", "chi") for g in found)], lines)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("files", nargs="+")
    rows = [row for file in parser.parse_args().files for row in read_rows(file, "bench-rng --relax", FORMS)]
    if not rows:
        raise StudyError("these files have no relaxations; bench-rng --relax writes them")
    print(relaxation_table(rows))


if __name__ == "__main__":
    main()
