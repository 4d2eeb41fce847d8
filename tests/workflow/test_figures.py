"""What holds for all figures: labels, legends, points, captions."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from psflip.plots import figures
from psflip.results.reduced import read_reduced
from synthetic import write_reduced
from test_report import NAMES, SPIN_GLASS, draw


@pytest.fixture
def data(tmp_path):
    write_reduced(tmp_path / "reduced.h5")
    return read_reduced(tmp_path / "reduced.h5")


def test_axes_have_labels_units_and_legend(data):
    for name in NAMES:
        axes = draw(data, name).axes
        if name == "realizations":  # panels of one size with common labels
            assert "L=8" in axes[0].figure.get_supxlabel() and all(a.texts for a in axes)
            assert all(a.get_xlabel() and a.get_ylabel() for a in axes)
            continue
        if name == "crossing_temperatures":  # one pair of doubles: one point
            assert [text.get_text() for text in axes[0].texts] == ["needs more pairs of sizes that cross"] and not axes[0].containers
            continue
        assert all(a.get_xlabel() and a.get_ylabel() for a in axes), name
        labels = [text.get_text() for a in axes if a.get_legend() for text in a.get_legend().get_texts()]
        for L in (4, 6, 8):
            assert any(f"L={L}" in label for label in labels), (name, labels)
        if name in ("binder", "xi_over_L"):
            assert sum("cross at" in label for label in labels) == 3
            assert "J / k_B" in axes[-1].get_xlabel()


def outside(axes):
    """Whether the legend of some axes has no part inside them."""
    axes.figure.draw_without_rendering()
    return axes.get_legend() is None or axes.get_legend().get_window_extent().y0 >= axes.bbox.y1


def test_legends_hide_no_data_and_no_plot_has_one_point(data):
    for name in NAMES:
        figure = draw(data, name)
        assert all(outside(axes) for axes in figure.axes), name
        plt.close(figure)
    for name in ("energy", "binder"):
        for size in data.sizes:
            size.columns[name][1:] = np.nan
        (axes,) = draw(data, name).axes
        assert [text.get_text() for text in axes.texts] == ["needs two temperatures"] and not axes.containers


def test_lines_are_named_as_guides(data):
    captions = {figure.name: figure.text(SPIN_GLASS) for figure in figures.FIGURES}
    joined = {name for name, caption in captions.items() if "guides to the eye" in caption}
    assert {"binder", "energy", "swap_rate", "guerra", "equilibration_q2"} <= joined and not joined & {"overlap_cold", "crossing_temperatures", "walk_times"}
