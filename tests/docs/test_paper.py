"""The paper: its references have the form of their kind, every citation has a reference, its numbers are the numbers of the documentation, and pandoc makes a PDF."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAPER, BIB = (ROOT / "paper" / name for name in ("paper.md", "paper.bib"))
NEEDED = {"article": {"author", "title", "year"}, "inproceedings": {"author", "title", "booktitle", "year"}, "misc": {"author", "title", "year", "url"}}
DOI = re.compile(r"10\.\d{4,9}/[-._;()/:A-Za-z0-9]+")  # as Crossref recommends
DOIS = {  # prefix -> what follows it
    "10.1103": r"Phys(?:RevLett|Rev[A-EX]?)\.\d+\.\d+",
    "10.1143": r"JPSJ\.\d+\.\d+",
    "10.1088": r"\d{4}-\d{3}[\dX]/\d+/\d+/\d+",
    "10.1145": r"\d+\.\d+",
    "10.48550": r"arXiv\.(?:\d{4}\.\d{4,5}|[a-z-]+/\d{7})",
}


def entries(text):
    """Returns key -> (kind, fields) of a BibTeX file with one field in each line."""
    found = {}
    for kind, key, body in re.findall(r"^@(\w+)\{([^,\s]+),\n(.*?)\n\}", text, re.M | re.S):
        assert key not in found, f"two entries {key}"
        fields = re.findall(r"^  (\w+) *= \{(.*)\},?$", body, re.M)
        assert len(fields) == len(body.splitlines()) == len(dict(fields)), f"{key}: a line is not one field"
        assert all(value.count("{") == value.count("}") for _, value in fields), f"{key}: braces do not match"
        found[key] = kind, dict(fields)
    return found


REFERENCES = entries(BIB.read_text())
TEXT = PAPER.read_text().split("---\n", 2)[2]


@pytest.mark.parametrize("key", REFERENCES)
def test_a_reference_is_complete_and_its_doi_fits_it(key):
    kind, fields = REFERENCES[key]
    assert NEEDED[kind] <= fields.keys() and re.fullmatch(r"(19|20)\d\d", fields["year"])
    assert {"doi", "url", "journal"} & fields.keys(), "nothing says where to find it"
    if doi := fields.get("doi"):
        assert DOI.fullmatch(doi)
        prefix, _, rest = doi.partition("/")
        assert re.fullmatch(DOIS[prefix], rest), f"no DOI of {prefix} looks like this; add the form to DOIS if it is right"
        if prefix in ("10.1103", "10.1143"):
            assert rest.split(".")[1:] == [fields["volume"], fields["pages"]]


@pytest.mark.parametrize("doi, ok", [("10.1103/PhysRevLett.58.86", True), ("10.1103/PhysRevLett.58", False), ("10.48550/arXiv.1411.0127", True), ("10.48550/arXiv.cond-mat/9606203", True), ("10.48550/1411.0127", False)])
def test_forms_of_dois(doi, ok):
    prefix, _, rest = doi.partition("/")
    assert bool(re.fullmatch(DOIS[prefix], rest)) == ok


def test_every_citation_has_a_reference_and_every_reference_is_cited():
    assert set(re.findall(r"(?<!\w)@(\w+)", TEXT)) == set(REFERENCES)


def test_head_and_sections_are_those_of_the_journal():
    head = yaml.safe_load(PAPER.read_text().split("---\n", 2)[1])
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= head.keys()
    assert [author["name"] for author in head["authors"]] == ["psflip developers"]
    sections = re.findall(r"^# (.*)", TEXT, re.M)
    assert sections[:3] == ["Summary", "Statement of need", "State of the field"] and sections[-1] == "References"
    assert 750 < len(TEXT.split()) < 1300


def rows(text, start):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith(start)]


def test_the_table_of_speed_is_that_of_the_documentation():
    paper = [row[-2:] for row in rows(TEXT, "| NVIDIA") + rows(TEXT, "| @Fang2014")]
    documented = (ROOT / "docs/performance.md").read_text().split("## Published codes")[1]
    assert len(paper) == 4 and paper == [row[-2:] for row in rows(documented, "| NVIDIA") + rows(documented, "| Fang")]


@pytest.mark.parametrize("numbers, page", [
    (("1.095(11)", "2.44(19)", "1.1019(29)", "2.562(42)", "262144"), "docs/ea3d/README.md"),
    (("0.049", "0.077"), "docs/performance.md"),
    (("277.5", "303", "0.72 to 0.96", "0.92 to 1.14"), "docs/validation.md"),
])  # fmt: skip
def test_numbers_of_the_paper_are_on_the_page_that_explains_them(numbers, page):
    text = (ROOT / page).read_text()
    assert all(number in text and number in TEXT for number in numbers)


@pytest.mark.skipif(not (shutil.which("pandoc") and shutil.which("xelatex")), reason="pandoc or xelatex is not installed")
def test_pandoc_makes_a_pdf(tmp_path):
    command = ["pandoc", "paper.md", "--citeproc", "--pdf-engine=xelatex", "-V", "geometry:margin=2.5cm", "-o", tmp_path / "paper.pdf"]
    done = subprocess.run(command, cwd=PAPER.parent, capture_output=True, text=True)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
