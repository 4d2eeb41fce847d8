"""Plots, tables and report from reduced files with known content."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import h5py
import matplotlib
import numpy as np
import forked
import pytest
import yaml
from psflip.campaign import manifest
from psflip.campaign.campaign import Campaign
from psflip.campaign.errors import StudyError
from psflip.campaign.study import Study
from conftest import ROOT
from psflip.plots import figures, plot_style, plots
from psflip.report import report_provenance
from psflip.results.literature import model_of
from psflip.results.notation import with_error
from psflip.results.averages import Size
from psflip.results.reduced import Reduced, read_reduced
from synthetic import changed_reduced, parts_of_bins, write_reduced

SCRIPTS = ROOT / "workflows" / "psflip"


SPIN_GLASS = model_of({})
NAMES = tuple(figure.name for figure in figures.figures_of(SPIN_GLASS) if figure.section != "Critical point")  # of these: test_report_critical.py


def draw(data, name):
    """A figure of a study by its name."""
    return plots.draw(data, next(figure for figure in figures.figures_of(data.model) if figure.name == name))


def script(name, *arguments):
    done = forked.psflip([name, *arguments])
    assert done.returncode == 0, done.stderr
    return done


def report_of(folder, study=ROOT / "configs/quickstart.yaml", plots=False):
    """The text of report.html, with plots made before if these are asked for."""
    if plots:
        critical = ["--critical", folder / "critical.json"] if (folder / "critical.json").is_file() else []
        script("plots.plots", "--reduced", folder / "reduced.h5", *critical, "--out", folder / "plots", "--formats", "svg")
    script("report.report", "--results", folder, "--study", study, "--out", folder / "report.html")
    return (folder / "report.html").read_text()


@pytest.mark.parametrize(
    "value, error, text",
    [
        (1.1019, 0.0029, "1.1019(29)"),
        (1.2, 0.06, "1.20(6)"),
        (1.204, 0.017, "1.204(17)"),
        (1.2345, 0.0996, "1.23(10)"),
        (1.2345, 0.0299, "1.23(3)"),
        (-1.70551, 0.00037, "-1.7055(4)"),
        (151.2, 6.3, "151(6)"),
        (151.2, 12.3, "151(12)"),
        (1512.0, 123.0, "1510(120)"),
        (1.5, float("nan"), "1.500"),
        (float("nan"), 0.1, "–"),
    ],
)
def test_notation(value, error, text):
    assert with_error(value, error) == text


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder as the workflow leaves it, from a synthetic reduced file."""
    folder = tmp_path_factory.mktemp("results") / "example"
    folder.mkdir()
    write_reduced(folder / "reduced.h5")
    script("plots.plots", "--reduced", folder / "reduced.h5", "--out", folder / "plots")
    script("results.provenance", "--results", folder, "--out", folder / "provenance.csv")
    study = folder / "example.yaml"
    shutil.copy(ROOT / "configs/quickstart.yaml", study)
    manifest.write(Campaign(Study.read(study), folder, 2))
    script("report.report", "--results", folder, "--study", study, "--out", folder / "report.html")
    return folder


def test_all_figures_in_all_formats(results):
    for name in NAMES:
        for ending in figures.FORMATS:
            assert (results / "plots" / f"{name}.{ending}").stat().st_size > 3000
        ElementTree.parse(results / "plots" / f"{name}.svg")


def test_plots_are_the_same_each_time(results, tmp_path):
    """In this process as in the one that drew them."""
    data = read_reduced(results / "reduced.h5")
    with matplotlib.rc_context():
        plot_style.set_style()
        for name in ("binder", "overlap_cold", "walk_times"):
            plot_style.save(draw(data, name), tmp_path, name, figures.FORMATS)
    drawn = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(drawn) == 3 * len(figures.FORMATS)
    assert drawn == {name: (results / "plots" / name).read_bytes() for name in drawn}


class Page(HTMLParser):
    """Reads a page: names, links, text of sections; complains of tags that do not close."""

    VOID = {"meta", "br", "hr", "img", "link"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.sections, self.tags = [], [], [], {}, []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [value for key, value in attributes if key in ("src", "href", "xlink:href", "srcset", "data", "action")]
        if tag not in self.VOID:
            self.open.append((tag, given.get("id")))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, data):
        inside = [name for tag, name in self.open if tag == "section"]
        if inside and not any(tag == "svg" for tag, _ in self.open):
            self.sections[inside[0]] = self.sections.get(inside[0], "") + data


def page_of(folder, study=None):
    """The report of a folder, parsed."""
    return Page(report_of(folder, study or folder / "example.yaml"))


def four_sizes(folder):
    write_reduced(folder / "four.h5", sizes=(4, 6, 8, 12))
    return read_reduced(folder / "four.h5")


def test_crossing_temperatures_of_doubles(tmp_path):
    """Of L = 4, 6, 8, 12 only 4 and 8, 6 and 12: two points of each quantity besides the literature's, at their places."""
    data = four_sizes(tmp_path)
    (axes,) = draw(data, "crossing_temperatures").axes
    points = [container[0].get_xydata() for container in axes.containers]
    assert [p.shape for p in points] == [(1, 2), (2, 2), (2, 2)] and tuple(points[0][0]) == (0, 1.1019)
    for point, name in zip(points[1:], ("xi_over_L", "binder")):
        assert point[1][1] == data.headline(name).T and point[0][0] == pytest.approx(4 ** -(1.12 + 1 / 2.562), rel=0.02)
    assert [label.get_text() for label in axes.legend_.get_texts()][1:] == [r"$\xi_L/L$", "Binder ratio $g$"]


def test_report_is_one_file_with_everything(results):
    text = (results / "report.html").read_text()
    found = Page(text)
    assert found.tags.count("svg") == found.tags.count("figure") == len(NAMES) - 1  # one pair of L and 2L makes no scaling plot
    assert list(found.sections) == ["crossings", "energy", "overlap", "realizations", "equilibration", "jobs-and-cost", "provenance", "reproduce-this-study"]
    crossing = read_reduced(results / "reduced.h5").headline("xi_over_L")
    assert with_error(crossing.T, crossing.T_err) in found.sections["crossings"]
    for word in ("1.1019(29)", "0123abc", "git checkout", "psflip run", "reduce-disorder", 'name="viewport"'):
        assert word in text, word
    assert not any(re.search(r"\b(nan|None)\b", section) for section in found.sections.values())


def with_model(tmp_path, model):
    """Returns the synthetic averages with another model in their configuration."""
    with changed_reduced(tmp_path, count=8) as file:
        file["provenance"].attrs["config"] += f"model: {model}\n"
    return read_reduced(tmp_path / "reduced.h5")


@pytest.mark.parametrize(
    "model, name, known, ordered",
    [
        ("{p_ferro: 0.5}", "Three-dimensional ±J Edwards–Anderson model", "1.1019(29)", ""),
        ("{p_ferro: 0.6}", "Three-dimensional ±J Edwards–Anderson model", None, ""),
        ("{p_ferro: 0.76}", "Three-dimensional ±J Edwards–Anderson model", None, ""),
        ("{p_ferro: 0.77}", "Three-dimensional ±J Edwards–Anderson model", None, "ferromagnet"),
        ("{p_ferro: 0.23}", "Three-dimensional ±J Edwards–Anderson model", None, "antiferromagnet"),
        ("{p_ferro: 0.24}", "Three-dimensional ±J Edwards–Anderson model", None, ""),
        ("{p_ferro: 1}", "Three-dimensional Ising ferromagnet", "4.51152326(10)", "ferromagnet"),
        ("{p_ferro: 0}", "Three-dimensional Ising antiferromagnet", "4.51152326(10)", "antiferromagnet"),
        ("{p_ferro: 0.5, couplings: gaussian}", "Three-dimensional Gaussian Edwards–Anderson model", "0.951(9)", ""),
        ("{p_ferro: 0.5, couplings: uniform}", "3-dimensional edwards-anderson model", None, ""),
        ("{p_ferro: 0.5, quenched: true}", "3-dimensional edwards-anderson model", None, ""),
    ],
)
def test_the_literature_belongs_to_a_model(model, name, known, ordered):
    found = model_of({"model": yaml.safe_load(model)})
    assert found.name == name and (found.known.T_c_text if found.known else None) == known
    assert (f"orders as a{'n' if ordered.startswith('a') else ''} {ordered}. Its crossings of q show the transition of the {ordered}" in found.warning) == bool(ordered)
    label = name if "gaussian" in model else "" if "0.5" in model else f"P(J = +1) = {yaml.safe_load(model)['p_ferro']:g}"
    assert bool(found.warning) == bool(ordered) and found.label == label


@pytest.mark.parametrize("p, word", [(0.6, ""), (0.85, "crossings of q show the transition of the ferromagnet, not of a spin glass")])
def test_a_study_of_another_p_ferro_is_not_compared(tmp_path, p, word):
    """Not in plots, captions, report and summary; all of them name the fraction of bonds +1."""
    data = with_model(tmp_path, f"{{p_ferro: {p}}}")
    text = report_of(tmp_path, plots=True)
    for figure in NAMES:
        drawn = draw(data, figure)
        assert drawn.get_suptitle() == f"P(J = +1) = {p}"
        labels = [label.get_text() for axes in drawn.axes if axes.get_legend() for label in axes.get_legend().get_texts()]
        assert not any("T_c" in label for label in labels), figure
        matplotlib.pyplot.close(drawn)
    assert "1.1019" not in text and "1310.2910" not in text and "The published value" not in text and "grey band" not in text
    assert f"<h1>psflip study: {tmp_path.name}, P(J = +1) = {p}</h1>" in text and f"Edwards–Anderson model, P(J = +1) = {p}; L = 4, 6, 8" in text
    summary = script("results.print_summary", tmp_path).stdout
    assert f"P(J = +1) = {p}" in summary.splitlines()[0]
    assert (word in text and word in summary) if word else ("show the transition" not in summary and "not of a spin glass" not in text)


def test_couplings_by_hand_are_compared_with_no_literature(tmp_path):
    data = with_model(tmp_path, "{p_ferro: 0.5}")
    assert data.model.known
    data.sizes[1].couplings_origin = "by hand"
    assert data.model.known is None and data.model.name.startswith("Three-dimensional ±J")


def test_points_of_a_model_without_exponents_lie_at_one_over_L(tmp_path):
    data = four_sizes(tmp_path)
    data.provenance["config"] = "model: {p_ferro: 0.6}"
    (axes,) = draw(data, "crossing_temperatures").axes
    points = [container[0].get_xydata()[0] for container in axes.containers]
    assert len(points) == 2 and [x for x, _ in points] == pytest.approx([1 / 4] * 2, rel=0.02) and axes.get_xlabel().startswith("$1/L$")


def test_the_middle_of_a_model_without_crossing_and_literature(tmp_path):
    data = with_model(tmp_path, "{p_ferro: 0.6}")
    data.crossings = {}
    assert plots.overlap_temperature(data, "middle") == pytest.approx(np.median(data.sizes[0].temperatures))


@pytest.mark.parametrize("commit, told", [("0123abc", False), ("0123abc-dirty", True), ("unknown", False)])
def test_the_commit_to_make_it_again(tmp_path, commit, told):
    html = report_provenance.remake(Reduced([], {"git_commit": commit}), ROOT / "configs/quickstart.yaml", tmp_path / "quickstart")
    assert ("git checkout 0123abc\n" in html) == commit.startswith("0") and ("changes that this commit does not have" in html) == told
    assert "psflip run configs/quickstart.yaml --out results/quickstart</pre>" in html and "envs/quickstart " in html
    other = report_provenance.remake(Reduced([], {}), ROOT / "configs/quickstart.yaml", tmp_path / "mine")
    assert "psflip run mine.yaml --out results/mine</pre>" in other and "max_doublings: 0" in other


def test_report_loads_nothing_and_its_links_lead_somewhere(results):
    text = (results / "report.html").read_text()
    found = Page(text)
    assert len(found.ids) == len(set(found.ids)) and {link[1:] for link in found.links} <= set(found.ids)
    assert found.links and all(link.startswith("#") for link in found.links)
    assert "@import" not in text and not re.search(r"url\((?!#)", text) and not {"link", "iframe", "img", "object"} & set(found.tags)
    script = text[text.index("<script>") :]
    assert "http" not in script and "fetch" not in script and "XMLHttpRequest" not in script


def test_points_can_be_read_in_the_picture(results):
    """Every point inside the axes has its value as a title, at its place."""
    root = ElementTree.parse(results / "plots" / "energy.svg").getroot()
    circles = root.findall(".//{*}g[@class='points']/{*}circle")
    data = read_reduced(results / "reduced.h5")
    assert len(circles) == sum(len(size.temperatures) for size in data.sizes)
    T, value, error = data.sizes[1].curve("energy")
    titles = [circle.find("{*}title").text for circle in circles]
    assert f"L = 6, T = {T[3]:.4g}: {with_error(value[3], error[3])}" in titles
    markers = {(float(use.get("x")), float(use.get("y"))) for use in root.iter("{http://www.w3.org/2000/svg}use") if use.get("x")}
    for circle in circles:
        assert min(abs(x - float(circle.get("cx"))) + abs(y - float(circle.get("cy"))) for x, y in markers) < 0.2


def test_summary(results):
    lines = script("results.print_summary", results).stdout.splitlines()
    assert re.fullmatch(r"Crossing of xi_L/L, L = 4 and 8: T = 1\.\d+\(\d+\) J/k_B", lines[0])
    assert re.fullmatch(r"Crossing of Binder ratio, L = 4 and 8: T = 1\.\d+\(\d+\) J/k_B", lines[1])
    for name in ("plots/binder.png", "report.html"):
        path = next(line.split()[-1] for line in lines if line.endswith(name))
        assert path == str(results / name)
    assert any(line.endswith("results.csv") for line in lines)


def test_couplings_by_hand_are_told(tmp_path):
    """In a line of the report and of the summary; nothing is said of couplings that were drawn."""
    told = "2 of 8 files: by hand, 80% of the couplings are +1 where model.p_ferro is 0.5 (200 standard deviations)"
    data = read_reduced(write_reduced(tmp_path / "reduced.h5"))
    assert report_provenance.couplings_by_hand(data) == "" and "gen-disorder" not in script("results.print_summary", tmp_path).stdout
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        file["L6"].attrs["couplings_origin"] = told
    text = report_of(tmp_path)
    assert f"<p>gen-disorder did not draw these couplings: L = 6, {told}.</p>" in text
    assert f"L = 6: gen-disorder did not draw these couplings, {told}" in script("results.print_summary", tmp_path).stdout


def test_summary_of_an_unfinished_study(tmp_path):
    done = subprocess.run([sys.executable, SCRIPTS, "results.print_summary", tmp_path], capture_output=True, text=True)
    assert done.returncode == 1 and "this study is not finished" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": (4,), "count": 3, "overlaps": False},
        {"sizes": (4, 6, 8, 10, 12, 16), "count": 24},
        {"sizes": (4, 6), "count": 5},
    ],
)
def test_other_studies_give_plots_and_report_too(tmp_path, options):
    write_reduced(tmp_path / "reduced.h5", **options)
    text = report_of(tmp_path, plots=True)
    assert script("results.print_summary", tmp_path).stdout
    without = {"energy", "specific_heat", "equilibration_energy", "swap_rate", "walk_times"}
    expected = set(NAMES) if options.get("overlaps", True) else without
    drawn = set(re.findall(r'<figure id="plot-(\w+)"', text))
    assert drawn == expected - ({"crossing_temperatures"} if len(options["sizes"]) < 3 else set())


def test_curves_that_do_not_cross_are_left_out(tmp_path):
    with changed_reduced(tmp_path) as file:
        for L in (6, 8):
            for name in ("binder", "jackknife/binder"):
                file[f"L{L}/{name}"][...] = file[f"L4/{name}"][...] - 0.01 * L
    data = read_reduced(tmp_path / "reduced.h5")
    assert data.headline("binder") is None and data.shown("binder") == []
    draw(data, "binder")
    assert "Binder ratio: none" in script("results.print_summary", tmp_path).stdout


def test_headline_is_the_largest_size_with_its_double(tmp_path):
    write_reduced(tmp_path / "reduced.h5", sizes=(4, 6, 8, 10, 12))
    crossing = read_reduced(tmp_path / "reduced.h5").headline("xi_over_L")
    assert (crossing.L1, crossing.L2) == (6, 12)


def test_overlap_density_has_no_teeth(results):
    """At N = 64 the 50 bins hold one or two of the 65 values of q, and halves of them."""
    size = read_reduced(results / "reduced.h5").sizes[0]
    q, density, error = size.overlap_density()
    assert error.shape == density.shape == (16, 50) and q == pytest.approx(-q[::-1])
    assert np.abs(np.diff(density[-1])).max() < 0.15 * density[-1].max()
    assert np.trapezoid(density[-1], q) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("L, bins", [(4, 50), (6, 50), (6, 49), (4, 32), (4, 1), (4, 1000)])
def test_densities_stand_at_the_mean_of_the_values_in_a_bin(L, bins):
    """Bins without a value, which have neither width nor density, are left out."""
    part = parts_of_bins(L, bins)
    number = part.sum(axis=0)
    mean = np.linspace(-1, 1, L**3 + 1) @ part[:, number > 0] / number[number > 0]
    made = np.where(number > 0, np.arange(bins), np.nan)[None]
    columns = {"histogram_q_width": number * 2 / L**3, "histogram_density": made, "histogram_density_err": 0 * made}
    q, density, error = Size(L, np.array([1.0]), 2, columns).overlap_density()
    assert q == pytest.approx(mean, abs=1e-12) and list(density[0]) == list(np.flatnonzero(number)) and len(error[0]) == len(q)


def test_other_kinds_of_files_are_refused(tmp_path):
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file.attrs["kind"] = "run"
    with pytest.raises(StudyError, match="reduced"):
        read_reduced(tmp_path / "run.h5")
