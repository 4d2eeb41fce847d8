"""The report in a browser: zoom and reading of the plots, and no page wider than its window. Skipped without Chromium."""

import json
import re
import shutil
import subprocess
import sys
from html import unescape

import h5py
import pytest
from conftest import ROOT
from synthetic import write_campaign, write_reduced

SCRIPTS = ROOT / "workflows" / "psflip"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")

# Both run in the page and leave their findings in its title.
ACTIONS = """
const found = {}, svg = document.querySelector("figure svg"), label = document.querySelector(".reading"), box = svg.getBoundingClientRect();
const at = (x, y, more) => ({clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true, ...more});
const width = (name) => { found[name] = svg.viewBox.baseVal.width; };
const wheel = (more) => svg.dispatchEvent(new WheelEvent("wheel", at(100, 100, {deltaY: -100, ...more})));
const key = (name) => svg.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
width("whole");
wheel({}); width("wheel without focus");
wheel({ctrlKey: true}); width("wheel with Ctrl");
key("Escape"); width("Escape");
svg.focus(); key("+"); width("plus");
const x = svg.viewBox.baseVal.x; key("ArrowRight"); found.shifted = svg.viewBox.baseVal.x - x;
svg.dispatchEvent(new MouseEvent("dblclick")); width("double click");
for (const id of [1, 2]) svg.dispatchEvent(new PointerEvent("pointerdown", at(100 * id, 100, {pointerId: id, pointerType: "touch"})));
svg.dispatchEvent(new PointerEvent("pointermove", at(300, 100, {pointerId: 2, pointerType: "touch"}))); width("pinch");
key("0");
const point = new DOMPoint(...window.firstPoint).matrixTransform(svg.getScreenCTM());
svg.dispatchEvent(new PointerEvent("pointermove", {clientX: point.x + 2, clientY: point.y, pointerId: 9, pointerType: "mouse"}));
found.reading = label.hidden ? "" : label.textContent;
document.title = JSON.stringify(found);
"""
REMEMBER = 'window.firstPoint = ((c) => [c.cx.baseVal.value, c.cy.baseVal.value])(document.querySelector(".points circle"));'
OVERFLOW = """
frame.onload = () => {
  const page = frame.contentDocument, wide = (e) => !e.closest(".scroll, pre, svg") && e.getBoundingClientRect().right > frame.clientWidth + 1;
  document.title = JSON.stringify({window: page.documentElement.clientWidth, width: page.documentElement.scrollWidth, wider: [...page.querySelectorAll("*")].filter(wide).map((e) => e.outerHTML.slice(0, 80))});
};
"""


def findings(page):
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom", page.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    return json.loads(unescape(re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_reduced(folder / "reduced.h5", sizes=(4, 6), count=8)
    write_campaign(folder)
    for name, package in (("plots", "plots"), ("provenance", "results"), ("report", "report")):
        needs = ["--reduced", folder / "reduced.h5"] if name == "plots" else ["--results", folder]
        needs += ["--study", folder / "study.yaml"] if name == "report" else ["--formats", "svg"] if name == "plots" else []
        out = {"plots": "plots", "provenance": "provenance.csv", "report": "report.html"}[name]
        subprocess.run([sys.executable, SCRIPTS, f"{package}.{name}", *needs, "--out", folder / out], check=True)
    return folder / "report.html"


def test_zoom_and_reading(report, tmp_path):
    text = report.read_text().replace("<script>", f"<script>{REMEMBER}</script>\n<script>", 1)
    page = tmp_path / "page.html"
    page.write_text(text.replace("</body>", f"<script>{ACTIONS}</script></body>"))
    found = findings(page)
    whole = found["whole"]
    assert found["wheel without focus"] == found["Escape"] == whole and found["double click"] == pytest.approx(whole)
    assert found["wheel with Ctrl"] < 0.5 * whole and found["plus"] == pytest.approx(whole / 1.4)
    assert found["shifted"] == pytest.approx(whole / 1.4 / 8, rel=1e-3) and found["pinch"] == pytest.approx(whole / 2)
    with h5py.File(report.parent / "reduced.h5") as file:
        assert found["reading"].startswith(f"L = 4, T = {file['L4/temperatures'][0]:.4g}: 0.")


FOLDS = """
const part = document.querySelector("#jobs-and-cost > details"), found = {parts: document.querySelectorAll("details.part").length, first: part.open};
location.hash = "#jobs-and-cost";
setTimeout(() => { found.linked = part.open; document.title = JSON.stringify(found); }, 200);
"""


def test_a_link_opens_the_folded_part_that_it_leads_to(report, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(report.read_text().replace("</body>", f"<script>{FOLDS}</script></body>"))
    assert findings(page) == {"parts": 3, "first": False, "linked": True}


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_as_wide_as_its_window(report, tmp_path, width):
    page = tmp_path / "frame.html"
    page.write_text(f'<iframe id="frame" src="{report.as_uri()}" style="border:0;width:{width}px;height:900px"></iframe><script>{OVERFLOW}</script>')
    found = findings(page)
    assert width - 20 <= found["window"] <= width, "less than the frame by no more than a scroll bar"
    assert found["width"] == found["window"] and found["wider"] == []
