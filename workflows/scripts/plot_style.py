"""Look of the plots: readable in print and with any colour vision."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Okabe and Ito's palette without its yellow, which is too light for thin lines; every size has a marker of its own as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)), (0, (7, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (2, 1)))

FIGURE_SIZE = (5.4, 4.0)  # inches
TEMPERATURE = r"temperature $T$ ($k_B T / J$)"


def set_style() -> None:
    plt.rcParams.update(
        {
            "figure.figsize": FIGURE_SIZE,
            "figure.constrained_layout.use": True,
            "savefig.dpi": 200,
            "font.size": 11,
            "axes.labelsize": 12,
            "legend.fontsize": 10,
            "legend.frameon": False,
            "xtick.direction": "in",
            "ytick.direction": "in",
            "xtick.top": True,
            "ytick.right": True,
            "xtick.minor.visible": True,
            "ytick.minor.visible": True,
            "lines.linewidth": 1.1,
            "lines.markersize": 4.5,
            "errorbar.capsize": 2.0,
            "svg.hashsalt": "psflip",
            "svg.fonttype": "path",
            "pdf.fonttype": 42,
        }
    )


def style_of(index: int) -> dict:
    """Colour, marker and line of the index-th size."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": LINES[index % len(LINES)],
    }


def save(figure, folder, name: str, formats) -> None:
    """All formats, without dates, so that the same data give the same files."""
    undated = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}}
    for ending in formats:
        figure.savefig(folder / f"{name}.{ending}", metadata=undated[ending])
    plt.close(figure)
