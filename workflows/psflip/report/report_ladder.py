"""Makes the section on tuned temperature ladders: the ladders that the study uses, and the ladder of each size before and after tuning."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.ladders import sites_of, trips_per_flips
from psflip.campaign.study import Study
from psflip.campaign.whole_files import visible
from psflip.report import page
from psflip.results.notation import with_error

CAPTION = """the ladder before and after the tuning. The first panel shows the accepted fraction of the exchanges. The second panel shows, at each temperature, the fraction of the
walkers that were at the cold end more recently than at the hot end. A straight line is best. The third panel shows the diffusivity of the walk in temperature. The last panel shows round
trips per 10<sup>9</sup> flips with standard errors from the realizations, and estimates for other numbers of temperatures."""
NUMBERS = "numbers of a tuning as pt-run --tune-ladder writes them"


def row(name: str, group: h5py.Group, sites: int) -> list[str]:
    acceptance, count = group["acceptance"][:], len(group["temperatures"])
    trips = np.array([float(group.attrs[key]) for key in ("round_trips", "round_trips_error")])
    accepted = [f"{acceptance.mean():.2f}", f"{acceptance.min():.2f} to {acceptance.max():.2f}"]
    return [name, str(count), *accepted, with_error(*(1e6 * trips)), with_error(*trips_per_flips(trips, count, sites))]


def size_html(file: Path) -> str:
    with hdf5_file(file, NUMBERS) as opened:
        L, sites, chosen = int(opened.attrs["L"]), sites_of(opened.attrs), int(opened.attrs["chosen"])
        rows = [row("before tuning", opened["round0"], sites), row("after tuning", opened[f"round{chosen}"], sites)]
        temperatures = ", ".join(f"{T:.6g}" for T in opened[f"round{chosen}/temperatures"][:])
        how = "Feedback optimised this ladder for round trips." if chosen != int(opened.attrs["constant"]) else "All exchanges of this ladder have equal acceptances."
        how += "" if opened.attrs["converged"] else " The acceptances did not become equal within the rounds of the tuning."
    head = ["ladder", "temperatures", "mean acceptance", "range of acceptances", "round trips per 10<sup>6</sup> sweeps", "round trips per 10<sup>9</sup> flips"]
    drawn = page.drawings([(file.with_suffix(".svg"), f"L = {L}: {CAPTION}", True)])
    return f"<h3>L = {L}</h3><p>{how}</p>" + page.table(head, rows, 1, f'<p class="numbers">T = {temperatures}</p>') + drawn


def as_written(temperatures) -> list[str]:
    """Returns temperatures as campaign.ladders writes them into the study."""
    return [f"{T:.10g}" for T in temperatures]


def taken(study: Study, files: list[Path]) -> str:
    """Returns, for each size, the ladder file that has the temperatures of the study. If several have them, the file of the size itself comes first."""
    tuned = {}
    for file in files:
        with hdf5_file(file, NUMBERS) as opened:
            tuned[file] = as_written(opened[f"round{opened.attrs['chosen']}/temperatures"][:]), opened.attrs.get("target_acceptance")
    rows = []
    for L in study.sizes:
        own = as_written(study.temperatures(L))
        same = sorted((file for file in files if tuned[file][0] == own), key=lambda file: file.stem != f"L{L}")
        name, target = (f"ladder/{same[0].stem}.yaml", tuned[same[0]][1]) if same else ("study file", None)
        rows.append([str(L), name, str(len(own)), page.DASH if target is None else f"{target:g}"])
    if all(row[1] == "study file" for row in rows):
        return "<p>This study uses the temperatures of its study file, not the tuned ladders below.</p>"
    return "<p>This study uses these temperatures:</p>" + page.table(["L", "taken from", "temperatures", "requested acceptance"], rows, words=2)


def section(folder: Path, study: Study | None) -> str:
    """Shows the files in `folder`/ladder; empty without files. `study`: None if it cannot be read."""
    files = sorted(visible(folder, "ladder/L*.h5"), key=lambda file: int(file.stem[1:]) if file.stem[1:].isdigit() else 0)
    parts = [taken(study, files)] if study and files else []
    return "\n".join(parts + [size_html(file) for file in files])
