"""What psflip reports about its installation."""

import json
from importlib import metadata

import pytest
from conftest import ROOT
from psflip import installation
from psflip.report import report_provenance
from psflip.results.reduced import Reduced

COMMIT = "0123abc"


class Distribution:
    def __init__(self, url):
        self.url = url

    def read_text(self, name):
        return json.dumps({"url": self.url}) if self.url and name == "direct_url.json" else None


@pytest.fixture
def installed(monkeypatch):
    """Makes psflip an installed package, from this address or from an index."""

    def as_installed(url):
        monkeypatch.setattr(installation, "INSTALLED", True)
        monkeypatch.setattr(report_provenance, "INSTALLED", True)
        monkeypatch.setattr(metadata, "version", lambda name: "1.2.3")
        monkeypatch.setattr(metadata, "distribution", lambda name: Distribution(url))

    return as_installed


def lines(tmp_path):
    html = report_provenance.remake(Reduced([], {"git_commit": COMMIT}), ROOT / "configs/quickstart.yaml", tmp_path / "quickstart")
    return html[html.index("<pre>") + 5 : html.index("</pre>")].splitlines()


def test_a_checkout(tmp_path):
    assert lines(tmp_path) == [
        f"git checkout {COMMIT}",
        "envs/quickstart   # installs and builds; also runs configs/quickstart.yaml",
        "source .psflip/venv/bin/activate",
        "psflip run configs/quickstart.yaml --out results/quickstart",
    ]


@pytest.mark.parametrize("url, first", [("", "pip install psflip==1.2.3"), ("file:///tmp/psflip.whl", f"pip install psflip-1.2.3-cp311-abi3-*.whl   # the wheel of this version; envs/wheel makes it from the sources at {COMMIT}")])
def test_a_wheel(tmp_path, installed, url, first):
    installed(url)
    assert installation.version() == "1.2.3"
    assert lines(tmp_path) == [first, "psflip run quickstart.yaml --out results/quickstart"]


def test_couplings_of_your_own_are_named(tmp_path):
    for text, named in (("disorder: {source: files}\n", True), ("disorder: {source: drawn}\n", False), ("seed: 1\n", False)):
        (tmp_path / "study.yaml").write_text(text)
        html = report_provenance.remake(Reduced([], {}), tmp_path / "study.yaml", tmp_path / "mine")
        assert ("psflip run mine.yaml --out results/mine --couplings FOLDER</pre>" in html) == named
