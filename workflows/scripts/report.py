"""Writes report.html: one file with all figures inside, which opens from disk without a network.

    python report.py --results results/quickstart --study configs/quickstart.yaml --out report.html
"""

from __future__ import annotations

import argparse
import base64
import re
from html import escape
from itertools import groupby
from pathlib import Path

import numpy as np

import figures
from notation import with_error
from provenance import seconds_by_stage, stage_rows
from reduced import Reduced, read_reduced

TITLES = {"binder": "Binder ratio g", "xi_over_L": "ξ<sub>L</sub>/L"}
STYLE = (Path(__file__).parent / "report.css").read_text
DASH = "–"


def table(head: list[str], rows: list[list[str]], words: int = 1) -> str:
    """An HTML table; all but the first `words` columns hold numbers. The cells are HTML."""
    kind = ["" if i < words else ' class="number"' for i in range(len(head))]
    lines = ['<div class="scroll"><table>', "<thead><tr>"]
    lines += [f"<th{k}>{cell}</th>" for k, cell in zip(kind, head)]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td{k}>{cell}</td>" for k, cell in zip(kind, row)) + "</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])


def summary(data: Reduced) -> str:
    sizes = ", ".join(str(size.L) for size in data.sizes)
    counts = sorted({size.n_realizations for size in data.sizes})
    realizations = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    lines = [f"<p>L = {sizes}; {realizations} disorder realizations of each size. Three-dimensional ±J Edwards–Anderson model.</p>"]
    boxes = []
    for name in ("xi_over_L", "binder"):
        crossing = data.headline(name)
        value = with_error(crossing.T, crossing.T_err) if crossing else DASH
        pair = f"L = {crossing.L1} and {crossing.L2}" if crossing else "no crossing in this range"
        boxes.append(f'<div class="fact"><span>Crossing of {TITLES[name]}</span><strong>T = {value} J/k<sub>B</sub></strong><span>{pair}</span></div>')
    fractions = [size.get("equilibrated_fraction") for size in data.sizes]
    fractions = [f.min() for f in fractions if len(f)]
    if fractions:
        boxes.append(
            f'<div class="fact"><span>Equilibrated realizations</span><strong>{100 * min(fractions):.1f} %</strong>'
            "<span>of the size with the fewest</span></div>"
        )
    return "\n".join([*lines, '<div class="facts">', *boxes, "</div>"])


def figure_html(figure: figures.Figure, folder: Path) -> str:
    picture = base64.b64encode((folder / f"{figure.name}.svg").read_bytes()).decode()
    plain = escape(re.sub(r"<[^>]+>", "", figure.caption), quote=True)
    return (
        f'<figure id="{figure.name}"><img alt="{plain}" src="data:image/svg+xml;base64,{picture}">'
        f"<figcaption>{figure.caption}</figcaption></figure>"
    )


def crossing_table(data: Reduced) -> str:
    rows = []
    for name, title in TITLES.items():
        for c in data.crossings.get(name, []):
            cells = [with_error(c.T, c.T_err), with_error(c.value, c.value_err)] if c.found else [DASH, DASH]
            rows.append([title, f"{c.L1}, {c.L2}", *cells])
    if not rows:
        return "<p>Crossings need two sizes.</p>"
    return table(["quantity", "L", "T (J/k<sub>B</sub>)", "value there"], rows, words=2)


LITERATURE = """<p>For comparison: T<sub>c</sub> = 1.1019(29) of the infinite system (Baity-Jesi et al., arXiv:1310.2910), with
ξ<sub>L</sub>/L = 0.6516(32) and g = 0.7551(14) there. Finite sizes cross higher: ξ<sub>L</sub>/L of L = 4 and 8 at T = 1.204(17).
Temperatures are in units of J/k<sub>B</sub>; the number in brackets is the standard error in units of the last digit, from a
jackknife over the realizations.</p>"""


def equilibration_table(data: Reduced) -> str:
    rows = []
    for size in data.sizes:
        fraction, swap = size.get("equilibrated_fraction"), size.get("swap_rate")
        deviation, trips = size.get("max_deviation"), size.get("round_trips")
        rows.append(
            [
                str(size.L),
                str(size.n_realizations),
                f"{size.temperatures[0]:.4g} to {size.temperatures[-1]:.4g} ({len(size.temperatures)})",
                f"{100 * fraction.min():.1f} %" if len(fraction) else DASH,
                f"{np.nanmax(deviation):.1f}" if len(deviation) and np.isfinite(deviation).any() else DASH,
                f"{np.nanmin(swap):.2f}" if np.isfinite(swap).any() else DASH,
                f"{np.nanmean(trips):.1f}" if np.isfinite(trips).any() else DASH,
            ]
        )
    head = ["L", "realizations", "temperatures", "equilibrated", "largest deviation (σ)", "least swap rate", "round trips per realization"]
    return table(head, rows)


def time_table(folder: Path) -> str:
    seconds = seconds_by_stage(folder)
    rules = [rule for rule in ("disorder", "thermalize", "run", "measure") if any(key[0] == rule for key in seconds)]
    sizes = sorted({key[1] for key in seconds})
    if not rules:
        return ""
    rows = []
    for L in sizes:
        of_size = [seconds.get((rule, L), (0, 0.0))[1] for rule in rules]
        rows.append([str(L), *(f"{s:.1f}" for s in of_size), f"{sum(of_size):.1f}"])
    return "<h3>Time of the jobs (s)</h3>" + table(["L", *rules, "all"], rows)


def provenance_html(data: Reduced, folder: Path) -> str:
    head = ["program", "files", "version", "commit", "backend", "device", "host", "from", "to"]
    keys = ["program", "files", "version", "git_commit", "backend", "device", "host", "from", "to"]
    rows = [[escape(row.get(key) or DASH) for key in keys] for row in stage_rows(folder)]
    parts = [table(head, rows, words=len(head)) if rows else ""]
    facts = {key: value for key, value in data.provenance.items() if value and key not in ("config", "config_yaml", "input_hashes")}
    rows = [[escape(key.replace("_", " ")), f'<span class="wrap">{escape(value)}</span>'] for key, value in sorted(facts.items())]
    if rows:
        parts.append("<details><summary>All that reduced.h5 says of itself</summary>" + table(["item", "value"], rows, words=2) + "</details>")
    hashes = data.provenance.get("input_hashes", "")
    if hashes:
        parts.append(f"<details><summary>Hashes of the input files</summary><pre>{escape(hashes)}</pre></details>")
    parts.append(time_table(folder))
    return "\n".join(parts)


def shown_path(file: Path) -> str:
    """Relative to the repository where it lies inside."""
    root = Path(__file__).resolve().parents[2]
    return str(file.resolve().relative_to(root)) if file.resolve().is_relative_to(root) else file.name


def remake_html(data: Reduced, study: Path, folder: Path) -> str:
    commit = data.provenance.get("git_commit", "").removesuffix("-dirty")
    lines = [f"git checkout {commit}"] if re.fullmatch(r"[0-9a-f]{7,40}", commit) else []
    lines += [
        "envs/quickstart   # installs and builds; also runs configs/quickstart.yaml",
        ".psflip/venv/bin/snakemake --snakefile workflows/Snakefile \\",
        f"    --config study={shown_path(study)} out=results/{folder.resolve().name}",
    ]
    parts = [f"<pre>{escape(chr(10).join(lines))}</pre>"]
    config = data.provenance.get("config") or data.provenance.get("config_yaml")
    if config:
        parts.append(f"<details><summary>The whole configuration, with all defaults</summary><pre>{escape(config)}</pre></details>")
    return "\n".join(parts)


def page(data: Reduced, study: Path, folder: Path) -> str:
    name = escape(study.stem)
    body = [f"<h1>psflip study: {name}</h1>", summary(data)]
    for section, members in groupby(figures.FIGURES, key=lambda figure: figure.section):
        body.append(f"<h2>{section}</h2>")
        body.append('<div class="figures">' + "\n".join(figure_html(figure, folder / "plots") for figure in members) + "</div>")
        if section == "Crossings":
            body += [crossing_table(data), LITERATURE]
        if section == "Equilibration":
            body.append(equilibration_table(data))
    body += ["<h2>Provenance</h2>", provenance_html(data, folder)]
    body += ["<h2>To make it again</h2>", remake_html(data, study, folder)]
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>psflip study: {name}</title>\n<style>\n{STYLE()}</style>\n</head>\n<body>\n<main>",
            *body,
            "</main>\n</body>\n</html>\n",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", required=True, type=Path, help="folder of the study's results")
    parser.add_argument("--study", required=True, type=Path, help="the study file")
    parser.add_argument("--out", required=True, type=Path)
    given = parser.parse_args()
    given.out.write_text(page(read_reduced(given.results / "reduced.h5"), given.study, given.results), encoding="utf-8")


if __name__ == "__main__":
    main()
