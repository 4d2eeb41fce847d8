"""Prints what `bench-rng --json` measured next to published figures, as Markdown tables.

    python workflows/psflip bench.rng_tables [--published docs/data/rng_published.json] FILE.json ...

Each series of the files has a table: fill and odd (Lulli, Bernaschi, Parisi, Tables I and II; odd-filling with as many threads as a device
takes), glass (Figure 9), ferromagnet and its quality (Weigel), relaxation of the glass. If results repeat, the last one counts.
"""

from __future__ import annotations

import argparse
import json

from psflip.bench.bench_data import read_rows
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.places import ROOT

NUMBER = (float, None)
DEVICE = {"generator": str, "device": str}
QUALITY = {name + ending: NUMBER for name in ("minus_e", "C") for ending in ("", "_error", "_exact")}
FORMS = {
    **dict.fromkeys(("fill", "odd", "odd-filling"), DEVICE),
    "glass": ({"note": str}, {**DEVICE, "order": str, "L": NUMBER, "ps_per_flip": NUMBER}),  # a note says that a generator has no such kernel
    "ferromagnet": {**DEVICE, "order": str, "L": NUMBER, "dimension": NUMBER, "ps_per_flip": NUMBER},
    "ferromagnet quality": {"generator": str, "order": str, "sweeps": NUMBER, **QUALITY},
    "glass quality": {"generator": str},
    "glass relaxation": {"generator": str, "L": NUMBER, "beta": NUMBER, **dict.fromkeys(("t", "e", "e_error", "chi", "chi_error"), [NUMBER])},
}
FLIPS = {"glass": ("order", "L"), "ferromagnet": ("dimension", "L", "order")}  # columns


def add_published(parser: Parser) -> None:
    parser.add_input("--published", default=ROOT / "docs" / "data" / "rng_published.json")


def read(options: argparse.Namespace) -> tuple[list[dict], dict]:
    """Returns the rows of all files, and the published figures."""
    rows = [row for file in options.files for row in read_rows(file, "bench-rng", FORMS)]
    with reading(options.published, "the published figures"):
        published = json.loads(options.published.read_text(encoding="utf-8"))
    return [row for row in rows if row["series"] != "glass" or "note" not in row], published


def machine(row: dict) -> str:
    """ "AMD EPYC, cpu, 2 threads", "NVIDIA H200"."""
    parts = row["device"].split(", ")
    return f"{parts[-1]}, {', '.join(parts[:-1])}" if parts[0] == "cpu" and len(parts) > 2 else row["device"]


def newest(rows: list[dict], series: str, columns: tuple[str, ...]) -> tuple[list[str], list[tuple], dict[tuple, dict]]:
    """Returns the generators in the order of the files, the columns (machine, values of the named fields), and the row of each pair."""
    found = {(row["generator"], (machine(row), *(row[c] for c in columns))): row for row in rows if row["series"] == series}
    return list(dict.fromkeys(g for g, _ in found)), sorted({c for _, c in found}), found


def markdown(head: list[str], lines: list[list[str]]) -> str:
    first, *rest = ("| " + " | ".join(cells) + " |" for cells in [head, *lines])
    return "\n".join([first, "|" + "---|" * len(head), *rest])


def with_ratio(value: float | None, of: float | None, form: str) -> str:
    return "" if value is None else format(value, form) + (f" ({value / of:.2f})" if value and of else "")


def generators_of(measured: list[str], published: dict[str, object]) -> list[str]:
    return list(dict.fromkeys([*measured, *published]))


def numbers_table(rows: list[dict], published: dict, series: str) -> str:
    """Prints seconds of fill, or numbers per second of odd, with their ratios to MINSTD in brackets."""
    generators, columns, found = newest(rows, series, ())
    devices = published["devices"]
    last = (lambda value: value[-1]) if series == "fill" else (lambda value: value)

    def of_row(row: dict | None) -> float | None:
        if row is None or row.get("numbers_per_second") is None:
            return None
        return row["init_seconds"] + row["fill_seconds"] if series == "fill" else row["numbers_per_second"]

    lines = []
    for g in generators_of(generators, {g: 0 for of in devices.values() for g in of}):
        cells = [with_ratio(of_row(found.get((g, c))), of_row(found.get(("minstd", c))), ".3g") for c in columns]
        cells += [with_ratio(last(of[g]) if g in of else None, last(of["minstd"]), ".3g") for of in devices.values()]
        lines.append([g, *cells])
    unit = "s to seed and fill" if series == "fill" else "numbers per second"
    return markdown([f"{unit} (over MINSTD)", *(c[0] for c in columns), *(f"{d}, published" for d in devices)], lines)


def flips_table(rows: list[dict], published: dict, series: str) -> str:
    """Prints picoseconds per flip, with their ratios to the generator of the paper in brackets."""
    generators, columns, found = newest(rows, series, FLIPS[series])
    base, ratios = published["relative_to"], published["ratios"]

    def of(g: str, c: tuple) -> float | None:
        return found[g, c]["ps_per_flip"] if (g, c) in found else None

    lines = [
        [g, *(with_ratio(of(g, c), of(base, c), ".4g") for c in columns), f"({ratios[g]:.2f})" if g in ratios else ""]
        for g in generators_of(generators, ratios)
    ]
    names = {"order": "{}", "L": "L = {}", "dimension": "{}D"}
    heads = [", ".join([c[0], *(names[n].format(v) for n, v in zip(FLIPS[series], c[1:], strict=True))]) for c in columns]
    return markdown([f"ps per flip (over {base})", *heads, "published"], lines)


def with_error(value: float, error: float, exact: float | None) -> str:
    """Returns `1.10612(10), +0.6`: two digits of the error, and the deviation from the exact value in errors."""
    if error == 0:
        return f"{value:.6g}(0)"
    digits = max(0, -int(f"{error:.1e}".split("e")[1]) + 1)
    return f"{value:.{digits}f}({round(error * 10**digits)})" + (f", {(value - exact) / error:+.1f}" if exact is not None else "")


def quality_table(rows: list[dict], published: dict) -> str:
    found = {(r["order"], r["generator"]): r for r in rows if r["series"] == "ferromagnet quality"}
    papers = {(p["order"], p["generator"]): p for p in published["rows"]}
    lines = []
    for key in [*found, *(key for key in papers if key not in found)]:
        cells, exact = [], {"minus_e": 1.10607920375, "C": 0.861698356831}
        for name in ("minus_e", "C"):
            r, p = found.get(key), papers.get(key)
            cells.append(with_error(r[name], r[f"{name}_error"], r[f"{name}_exact"]) if r else "")
            cells.append(with_error(*p[name], exact[name]) if p else "")
        lines.append([*key, str(found[key]["sweeps"]) if key in found else "", *cells])
    head = ["order", "generator", "sweeps", "-e, sigma off", "published, 10^7 sweeps", "C, sigma off", "published, 10^7 sweeps"]
    return markdown(head, lines)


def relaxation_table(rows: list[dict], _: dict) -> str:
    """Prints e(t) and chi(t) of the last L and temperature of the files, and their deviations from Philox in errors of both."""
    found = {r["generator"]: r for r in rows if r["series"] == "glass relaxation"}
    philox = found.get("philox")

    def cell(r: dict, name: str, i: int) -> str:
        error = r[f"{name}_error"][i]
        text = with_error(r[name][i], error, None)
        if r is philox or philox is None or philox["t"] != r["t"]:
            return text
        return f"{text}, {(r[name][i] - philox[name][i]) / (error**2 + philox[f'{name}_error'][i] ** 2) ** 0.5:+.1f}"

    first = next(iter(found.values()))
    lines = [[str(t), *(cell(r, name, i) for name in ("e", "chi") for r in found.values())] for i, t in enumerate(first["t"])]
    head = f"t, sweeps (L = {first['L']}, T = {1 / first['beta']:.4g})"
    return markdown([head, *(f"{name}, {g}{', sigma off philox' * (g != 'philox')}" for name in ("e", "chi") for g in found)], lines)


TABLES = {
    "fill": lambda rows, published: numbers_table(rows, published, "fill"),
    "odd": lambda rows, published: numbers_table(rows, published, "odd"),
    "odd-filling": lambda rows, published: numbers_table(rows, {"devices": {}}, "odd-filling"),
    "glass": lambda rows, published: flips_table(rows, published, "glass"),
    "ferromagnet": lambda rows, published: flips_table(rows, published, "ferromagnet"),
    "ferromagnet quality": quality_table,
    "glass relaxation": relaxation_table,
}


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("files", nargs="+")
    add_published(parser)
    rows, published = read(parser.parse_args())
    shown = [series for series in TABLES if any(row["series"] == series for row in rows)]
    if not shown:
        raise StudyError("these files have no results that make a table")
    for series in shown:
        print(f"{TABLES[series](rows, published.get(series, {}))}\n")
        if series in published:
            note = published[series].get("note")
            print(f"Published: {published[series]['source']}{f' ({note})' if note else ''}.\n")


if __name__ == "__main__":
    main()
