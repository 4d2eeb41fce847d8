"""Pages of the documentation in a browser, as wide as a phone and a desk: nothing is cut, and lines of text are not too long. Skipped without Chromium."""

import json
import re
import shutil
import subprocess
from html import unescape

import pytest
from test_site import site, staged  # noqa: F401: fixtures

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")

# Leaves its findings in the title of the page around the frame.
MEASURE = """
frame.onload = () => {
  const page = frame.contentDocument, size = (e) => e.getBoundingClientRect(), scrolls = ".md-typeset__scrollwrap, pre, .long-formula, p:has(> img)";
  const wide = [...page.querySelectorAll(".md-content *")].filter((e) => !e.closest(scrolls) && size(e).width && size(e).right > frame.clientWidth + 1);
  const formulas = [...page.querySelectorAll(".shown-formula > span")], lines = [...page.querySelectorAll(".md-content p")];
  document.title = JSON.stringify({
    window: page.documentElement.clientWidth, width: page.documentElement.scrollWidth, wider: wide.map((e) => e.outerHTML.slice(0, 80)),
    formulas: formulas.length, cut: formulas.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent.slice(0, 40)),
    smallest: Math.min(99, ...formulas.map((e) => parseFloat(frame.contentWindow.getComputedStyle(e.firstElementChild).fontSize))),
    longest: Math.max(...lines.map((e) => size(e).width / parseFloat(frame.contentWindow.getComputedStyle(e).fontSize))),
  });
};
"""


def findings(page, width, folder):
    file = folder / "frame.html"
    file.write_text(f'<iframe id="frame" src="{page.as_uri()}" style="border:0;width:{width}px;height:900px"></iframe><script>{MEASURE}</script>')
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom", file.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    return json.loads(unescape(re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]))


@pytest.mark.parametrize("name, formulas", [("index", 0), ("docs/definitions", 15), ("docs/reference/keys", 4), ("docs/reference/files/reduced", 0), ("docs/performance", 0)])
@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_is_cut_and_lines_are_short(site, tmp_path, name, formulas, width):  # noqa: F811
    found = findings(site / f"{name}.html", width, tmp_path)
    assert width - 20 <= found["window"] <= width and found["width"] == found["window"] and found["wider"] == []
    assert found["formulas"] >= formulas and found["cut"] == [] and found["smallest"] >= 9
    assert found["longest"] <= 46.1
