"""Pictures of vector spins in a state or run file: arrows in three dimensions, slices, and a strip of slices over the snapshots, coloured by a component,
by the staggered component, or by species. A cooling in steps whose state file has spins at waiting times (relax.waiting) gives a strip over temperatures."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.plots.plot_style import COLUMN, save, set_style, take_names
from psflip.vectors import turned
from psflip.vectors.spin_file import AXES, Picture, read

COLOURS = (*AXES, *(f"staggered-{k}" for k in AXES), "species")
LABELS = {**{k: f"$S_{k}$" for k in AXES}, **{f"staggered-{k}": f"$(-1)^{{x+y+z}} S_{k}$" for k in AXES}, "species": "species"}
MAX_ARROWS = 6  # of a side in three dimensions; a corner of larger lattices is drawn
MAX_ACROSS = 32  # of a side of a slice; of larger ones a corner is drawn


def shades(by: str):
    colours = matplotlib.colormaps["coolwarm"]
    if by == "species":
        colours = matplotlib.colors.ListedColormap(["#0072B2", "#D55E00"])
    return matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(-1, 1), colours)


def legend(figure, axes, by: str) -> None:
    bar = figure.colorbar(shades(by), ax=axes, shrink=0.7, label=LABELS[by])
    if by == "species":
        bar.set_ticks([-0.5, 0.5], labels=["a", "b"])
        bar.ax.minorticks_off()


def arrows(picture: Picture, by: str):
    """Arrows of the corner at the origin in three dimensions."""
    figure = plt.figure(figsize=(COLUMN, 3.2))
    axes = figure.add_subplot(projection="3d")
    box = (slice(MAX_ARROWS),) * 3
    spins, colour = picture.spins[(slice(None), *box)], picture.colour(by)[box]
    z, y, x = (c.ravel() for c in np.indices(colour.shape))
    u, v, w = (0.45 * s.ravel() for s in spins)
    rgba = shades(by).to_rgba(colour.ravel())
    # Matplotlib draws all shafts, then the left halves of all heads, then the right ones.
    axes.quiver(x - u, y - v, z - w, 2 * u, 2 * v, 2 * w, color=np.tile(rgba, (3, 1)), linewidth=1.1, arrow_length_ratio=0.4)
    part = f", corner of $L = {picture.spins.shape[-1]}$" if picture.spins.shape[-1] > MAX_ARROWS else ""
    axes.set(xlabel="x", ylabel="y", zlabel="z", title=picture.title + part)
    axes.minorticks_off()
    axes.set_box_aspect([max(n, 2) for n in colour.shape[::-1]], zoom=0.82)
    legend(figure, axes, by)
    return figure


def draw_slice(axes, picture: Picture, by: str, normal: str, at: int) -> None:
    """The plane at a coordinate, with the components of the spins in it as arrows."""
    across = [k for k in AXES if k != normal]
    index = [slice(None)] * 3
    index[2 - AXES.index(normal)] = at
    corner = (slice(MAX_ACROSS),) * 2
    colour = picture.colour(by)[tuple(index)][corner]
    u, v = (picture.spins[AXES.index(k)][tuple(index)][corner] for k in across)
    shape = {"pivot": "mid", "angles": "xy", "units": "xy", "scale_units": "xy", "scale": 1.1, "width": 0.1, "headwidth": 3.5, "headlength": 3.5, "headaxislength": 3}
    axes.quiver(u, v, colour, cmap=shades(by).cmap, clim=(-1, 1), **shape)
    axes.set_title(picture.title)
    axes.set(xlabel=across[0], aspect="equal", xlim=(-1, colour.shape[1]), ylim=(-1, colour.shape[0]))
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.minorticks_off()


def slices(pictures: list[Picture], by: str, normal: str, at: int):
    """Side by side."""
    n = min(MAX_ACROSS, pictures[0].spins.shape[-1] if normal == "z" else pictures[0].spins.shape[1])
    side = COLUMN - 0.9 if len(pictures) == 1 or n > 16 else 1.7
    figure, panels = plt.subplots(1, len(pictures), figsize=(side * len(pictures) + 0.9, side + 0.4), squeeze=False)
    for axes, picture in zip(panels[0], pictures):
        draw_slice(axes, picture, by, normal, at)
    panels[0, 0].set_ylabel([k for k in AXES if k != normal][1])
    legend(figure, panels, by)
    return figure


def chosen(pictures: list[Picture], most: int) -> list[Picture]:
    """Returns at most `most` pictures, evenly spaced, with the last."""
    if len(pictures) <= most:
        return pictures
    return [pictures[round(i * (len(pictures) - 1) / (most - 1))] for i in range(most)]


def mixed(picture: Picture) -> bool:
    return picture.species is not None and len(np.unique(picture.species)) > 1


def captions_of(pictures: list[Picture], by: str) -> dict[str, str]:
    """Returns the names of the pictures that `draw` makes, with their captions."""
    if not pictures:
        return {}
    coloured = {"staggered-x": "(−1)<sup>x+y+z</sup> S<sub>x</sub>", "z": "S<sub>z</sub>"}.get(by, by)
    captions = {
        "spins_arrows": f"These are the spins of one lattice at the end, coloured by {coloured}. Of a lattice with more than {MAX_ARROWS} sites along a side, a corner is shown.",
        "spins_slice": f"This is a plane of the lattice, coloured by {coloured}. Arrows are the components of the spins in the plane, which has at most {MAX_ACROSS} sites along a side.",
    }
    if len(pictures) > 1:
        captions["spins_strip"] = "This is the plane at the waiting times, which are chosen evenly if there are many."
    if by != "species" and pictures[-1].species is not None and len(np.unique(pictures[-1].species)) > 1:
        captions["spins_species"] = "These are the spins of the lattice, coloured by the species of the atoms."
    return captions


def draw(pictures: list[Picture], folder: Path, by: str, normal: str, at: int, formats: list[str], panels: int = 6) -> dict[str, str]:
    """Draws arrows and a slice of the last picture, a strip of slices if there are several pictures, and species if there are two; returns names and captions."""
    if by == "species" and pictures[0].species is None:
        raise StudyError("colours of species need the disorder file; give it with --disorder")
    shape = pictures[0].spins.shape[1:]
    if not 0 <= at < shape[2 - AXES.index(normal)]:
        raise StudyError(f"there is no plane {normal} = {at} in this lattice; the last one is {shape[2 - AXES.index(normal)] - 1}")
    captions = captions_of(pictures, by)
    take_names(folder, captions, formats)
    set_style()
    makers = {
        "spins_arrows": lambda: arrows(pictures[-1], by),
        "spins_slice": lambda: slices(pictures[-1:], by, normal, at),
        "spins_strip": lambda: slices(chosen(pictures, panels), by, normal, at),
        "spins_species": lambda: arrows(pictures[-1], "species"),
    }
    for name in captions:
        save(makers[name](), folder, name, formats)
    return captions


def best_colour(staggered: bool) -> str:
    """Of a report: of magnets that order with two sublattices the staggered component along the easy axis, else the component along the field."""
    return "staggered-x" if staggered else "z"


def best_normal(picture: Picture) -> str:
    """Of a report: a plane that holds easy axis and field; lattices of two dimensions have one plane."""
    return "y" if picture.spins.shape[1] > 1 else "z"


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("file", help="state or run file")
    parser.add_input("--disorder", help="its disorder file, for colours of species")
    parser.add_argument("--out", required=True, type=Path, help="folder of the pictures")
    parser.add_argument("--replica", type=int, default=0)
    parser.add_argument("--slot", type=int, default=0, help="of the temperature, 0 is the coldest")
    parser.add_argument("--realization", type=int, default=0, help="its number in the file")
    parser.add_argument("--colour", default="x", choices=COLOURS)
    parser.add_argument("--normal", default="z", choices=list(AXES), help="of the slice, in which arrows show the other components")
    parser.add_argument("--at", type=int, default=0, help="coordinate of the slice")
    parser.add_argument("--panels", type=Parser.whole(2, 20), default=6, help="of a strip, at most")
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"])
    parser.add_argument("--html", action="store_true", help="also spins.html, the last one as a page that is turned with the mouse (5 MB; needs plotly)")
    options = parser.parse_args()
    pictures = read(options.file, options.disorder, options.replica, options.slot, options.realization)
    draw(pictures, options.out, options.colour, options.normal, options.at, options.formats, options.panels)
    if options.html:
        turned.write(pictures[-1], options.colour, options.out / "spins.html")


if __name__ == "__main__":
    main()
