"""What holds for all figures: labels, legends, points, captions."""

import dataclasses

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import ROOT
from psflip.plots import figures, plots
from psflip.plots.plot_style import COLUMN, PAGE, STYLE
from psflip.results.notation import with_error
from psflip.results.reduced import read_reduced
from synthetic import write_reduced
from test_report import NAMES, SPIN_GLASS, draw


@pytest.fixture
def data(tmp_path):
    write_reduced(tmp_path / "reduced.h5")
    yield read_reduced(tmp_path / "reduced.h5")
    plt.close("all")


def test_axes_have_labels_units_and_legend(data):
    for name in NAMES:
        axes = draw(data, name).axes
        if name == "realizations":  # panels of one size with common labels
            assert "L=8" in axes[0].figure.get_supxlabel() and all(a.texts for a in axes)
            assert all(a.get_xlabel() and a.get_ylabel() for a in axes)
            continue
        if name == "crossing_temperatures":  # one pair of doubles: one point
            assert [text.get_text() for text in axes[0].texts] == ["More pairs of sizes with crossings are needed."] and not axes[0].containers
            continue
        assert axes[-1].get_xlabel() and all(a.get_ylabel() and (a.get_xlabel() or a.get_shared_x_axes().joined(a, axes[-1])) for a in axes), name
        labels = [text.get_text() for a in axes if a.get_legend() for text in a.get_legend().get_texts()]
        for L in (4, 6, 8):
            assert any(f"L={L}" in label for label in labels), (name, labels)
        if name in ("binder", "xi_over_L"):
            assert [label.get_text() for label in axes[-1].get_yticklabels()] == ["4, 6", "4, 8", "6, 8"]
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
        axes = draw(data, name).axes[0]
        assert [text.get_text() for text in axes.texts] == ["Two temperatures are needed."] and not axes.containers


def test_figures_are_as_wide_as_columns_of_a_journal(data):
    """3.4 inches for one column, 7 for two, and no text that is not 8 points."""
    with matplotlib.rc_context(STYLE):
        for name in NAMES:
            figure = draw(data, name)
            wide = next(one for one in figures.FIGURES if one.name == name).wide
            assert figure.get_figwidth() == (PAGE if wide else COLUMN), name
            texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_text() and text.get_visible()]
            assert texts and {text.get_fontsize() for text in texts} == {8}, name
            plt.close(figure)


def cut(figure):
    """Labels of axes, titles and legends that reach beyond the picture."""
    figure.draw_without_rendering()
    texts = [text for axes in figure.axes for text in (axes.xaxis.label, axes.yaxis.label, *(axes.get_legend().get_texts() if axes.get_legend() else ()))]
    texts += [figure._suptitle] if figure.get_suptitle() else []
    room = figure.bbox.padded(2)
    boxes = {text.get_text(): text.get_window_extent() for text in texts if text.get_text() and text.get_visible()}
    return [name for name, box in boxes.items() if not (room.x0 <= box.x0 and room.y0 <= box.y0 and box.x1 <= room.x1 and box.y1 <= room.y1)]


@pytest.mark.parametrize("config", ["model: {p_ferro: 0.5}", "model: {p_ferro: 0.6, p_absent: 0.125, boundary: open, field: 0.25}"])
def test_no_label_is_cut(data, config):
    """Checks the labels of all figures of curves, also of other models, without a title and below a title of several lines."""
    data.provenance["config"] += config
    energy = next(one for one in figures.FIGURES if one.name == "energy")
    with matplotlib.rc_context(STYLE):
        for of in (one for one in figures.FIGURES if one.drawing in ("curve", "spread", "crossing", "equilibration")):
            found = plots.draw(data, dataclasses.replace(of, needs={"equilibration": "q2", "crossing": "binder"}.get(of.drawing, energy.needs)))
            assert cut(found) == [], of.name
            plt.close(found)


def test_crossings_have_rows_of_their_own_and_hide_no_data(data):
    """The points of crossings stand below the curves, each at its temperature, in panels that share that axis."""
    *curves, rows = draw(data, "binder").axes
    assert len(rows.containers) == 3 and all(len(axes.containers) == 3 for axes in curves)
    for index, (container, crossing) in enumerate(zip(rows.containers, data.shown("binder"))):
        assert container[0].get_xydata().tolist() == [[crossing.T, index]]
    assert rows.get_xlim() == curves[-1].get_xlim() and rows.get_ylim()[0] > 2 > 0 > rows.get_ylim()[1]


@pytest.mark.parametrize("shift, shown", [(0, True), (300, False)])
def test_the_literature_stretches_no_axis(data, shift, shown):
    """In a study from 300 on, T_c = 1.1 of the literature is neither drawn nor named in the caption."""
    for size in data.sizes:
        size.temperatures += shift
    data.crossings = {}
    axes = draw(data, "binder").axes[0]
    low, high = axes.get_xlim()
    assert low > shift + 0.4 and high < shift + 2.5
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert any("T_c" in label for label in labels) == bool(data.compared) == shown
    of = next(one for one in figures.FIGURES if one.name == "binder")
    assert ("1.1019" in of.text(SPIN_GLASS, bool(data.compared))) == shown


def test_lines_are_named_as_guides(data):
    captions = {figure.name: figure.text(SPIN_GLASS) for figure in figures.FIGURES}
    joined = {name for name, caption in captions.items() if "guides to the eye" in caption}
    assert {"binder", "energy", "swap_rate", "guerra", "equilibration_q2"} <= joined and not joined & {"overlap_cold", "crossing_temperatures", "walk_times"}


def test_the_averages_in_the_documentation_can_be_read():
    """They have the crossings that their page names."""
    stored = read_reduced(ROOT / "docs/ea3d/averages.h5")
    assert [size.L for size in stored.sizes] == [4, 6, 8, 12, 16]
    page = (ROOT / "docs/ea3d/README.md").read_text()
    for name in ("xi_over_L", "binder"):
        crossing = stored.headline(name)
        assert with_error(crossing.T, crossing.T_err) in page
