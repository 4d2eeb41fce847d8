"""The documentation site: every link and every warning of MkDocs, what its pages load, and that reference pages hold what they are written from."""

import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

markdown = pytest.importorskip("markdown")
for package in ("material", "latex2mathml", "nbformat"):
    pytest.importorskip(package)

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
sys.path.insert(0, str(ROOT / "docs/site"))
import build  # noqa: E402
import datasets  # noqa: E402
import keys  # noqa: E402
import reference  # noqa: E402

LOADED = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?([^\"\s>]+)|<link\b[^>]*\bhref=\"?([^\"\s>]+)")


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    build.stage(folder, BIN)
    return folder


@pytest.fixture(scope="module")
def site(staged, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert build.make(staged, folder) == []
    return folder


def test_wrong_links_and_anchors_are_found(staged, tmp_path):
    source = tmp_path / "pages"
    shutil.copytree(staged, source)
    with (source / "docs/grow.md").open("a") as page:
        page.write("\n[no page](nowhere.md), [no heading](definitions.md#nowhere)\n")
    warnings = build.make(source, tmp_path / "site")
    assert len(warnings) == 2 and all("nowhere" in text for text in warnings), warnings


def test_nothing_is_loaded_from_another_machine(site):
    pages = [page for page in site.rglob("*.html") if "report" not in page.name]
    assert len(pages) > 50
    for page in pages:
        loaded = LOADED.findall(page.read_text())
        assert loaded, page
        for found in loaded:
            assert not any(path.startswith(("http", "//")) for path in found), (page, found)
    styles = list(site.rglob("*.css"))
    assert styles
    for style in styles:
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", style.read_text()), style


class Tags(HTMLParser):
    """Names of all tags outside formulas and pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.add(tag)


HTML = set(
    "a article aside body br button circle code dd details dialog div dl dt em footer form h1 h2 h3 h4 h5 h6 head header hr html img input label li link main meta nav "
    "ol p path pre script section span strong style sub summary sup svg table tbody td th thead title tr ul".split()
)


def test_no_average_is_taken_for_a_tag(site):
    """<e> in a Markdown file is a tag that no browser shows; averages stand between other brackets."""
    for page in site.rglob("*.html"):
        if "report" in page.name:
            continue
        tags = Tags()
        tags.feed(re.sub(r"<math.*?</math>", "", page.read_text(), flags=re.DOTALL))
        assert {"html", "body"} <= tags.found <= HTML, (page, tags.found - HTML)


def text_of(page: Path) -> str:
    return re.sub(r"<[^>]+>", "", page.read_text())


def test_reference_pages_have_all_that_there_is(site):
    described, programs, columns = (text_of(site / f"docs/reference/{name}.html") for name in ("keys", "programs", "columns"))
    schema = yaml.safe_load((ROOT / "workflows/schemas/config.schema.yaml").read_text())
    for section, part in schema["properties"].items():
        for key in [f"{section}.{name}" for name in part.get("properties", ())] or [section]:
            assert key in described, key
    built = [program.name for program in BIN.iterdir() if os.access(program, os.X_OK) and program.is_file()]
    assert {"gen-disorder", "pt-run", "bench-flip"} <= set(built)
    for name in built:
        assert f"Usage: {name}" in programs, name
    for name in ("binder", "NAME_err", "chi_replicon", "m_abs", "chi_z", "energy_dm", "T_first", "gpu_energy_joules"):
        assert name in columns, name
    files = {kind: text_of(site / f"docs/reference/files/{kind}.html") for kind in datasets.KINDS}
    for kind, group, name in (
        ("disorder", "At the root", "couplings"), ("disorder", "At the root", "occupation"), ("state", "At the root", "spins"), ("run", "Group /blocks", "overlap2"), ("observables", "Group /mean", "replicon"),
        ("reduced", "Group /L&lt;size&gt;/jackknife", "binder"), ("relaxation", "Group /relaxation", "correlation4"), ("relaxation", "Group /relaxation", "energy_terms"),
    ):  # fmt: skip
        assert group in files[kind] and name in files[kind][files[kind].rindex(group) :], (kind, name)


def test_no_table_of_a_file_is_endless(site):
    """Datasets are in a table for each group of the file, errors next to their averages."""
    for kind in datasets.KINDS:
        tables = (site / f"docs/reference/files/{kind}.html").read_text().split("<table>")[1:]
        assert tables and max(table.split("</table>")[0].count("<tr>") for table in tables) < 150, kind


def test_keys_have_sections_anchors_and_formulas(site):
    page = (site / "docs/reference/keys.html").read_text()
    grouped = keys.by_section(list(keys.read_keys((ROOT / "configs/reference.yaml").read_text())))
    assert set(grouped) == set(keys.SECTIONS) and set(keys.SHOWN) <= set(grouped)
    known = [key.path for found in grouped.values() for key in found]
    assert set(keys.FORMULAS) <= set(known) and page.count('display="inline"') >= len(keys.FORMULAS)
    assert page.count('class="shown-formula"') == sum(map(len, keys.SHOWN.values()))
    for key in known:
        assert page.count(f'id="{key}"') == 1 and f'href="#{key}"' in page, key


def first_words(page: Path) -> str:
    """Tag and text of what follows the title of a page."""
    found = re.search(r"</h1>\s*<(\w+)[^>]*>(.*?)</\1>", page.read_text(), re.DOTALL)
    return f"{found[1]}: {re.sub(r'<[^>]+>', '', found[2]).strip()}"


def test_every_page_begins_with_a_sentence_or_a_command(site):
    pages = [page for page in site.rglob("*.html") if "report" not in page.name]
    wrong = [(page.relative_to(site), words) for page in pages if not re.match(r"p: [A-Z`p±]\S*( \S+){3,}.*[.:]|div: (psflip|mpirun|bench-rng|h5dump) \S", words := first_words(page), re.DOTALL)]
    assert not wrong, wrong


def test_pages_for_developers_have_a_tab_of_their_own(site):
    page = (site / "index.html" if (site / "index.html").exists() else site / "README.html").read_text()
    tabs = re.findall(r'class="md-tabs__link">\s*(.*?)\s*</a>', page, re.DOTALL)
    assert tabs == ["Start", "How to", "Models and methods", "Results", "Reference", "Developers"]
    nav = yaml.safe_load((ROOT / "docs/site/mkdocs.yml").read_text())["nav"]
    assert not any("libcore" in yaml.safe_dump(tab) or "tests/" in yaml.safe_dump(tab) for tab in nav[:-1])


def test_how_to_pages_have_commands_of_psflip(site):
    nav = yaml.safe_load((ROOT / "docs/site/mkdocs.yml").read_text())["nav"]
    how_to = [path for part in nav[1]["How to"] for path in part.values()]
    assert len(how_to) >= 10
    for path in how_to:
        codes = re.findall(r"^    .*$", (ROOT / path).read_text(), re.MULTILINE)
        assert not any("build/bin" in line for line in codes), path


def test_formulas_are_mathml(site):
    page = (site / "docs/definitions.html").read_text()
    assert page.count("<math") > 60 and page.count('display="block"') >= 8 and "$" not in text_of(site / "docs/definitions.html")


@pytest.mark.parametrize("text, formulas", [("a $x_1^2$ b", 1), ("$$\nx\n+ y\n$$", 1), ("`$x$` $HOME and $5", 0), ("from $a$ to $b$", 2), ("    $x$", 0), (r"$$a = b, \qquad c = d$$", 2)])
def test_what_is_a_formula(text, formulas):
    html = markdown.markdown(text, extensions=["formulas"])
    assert html.count("<math") == formulas and "STX" not in html


def test_names_with_hyphens_stay_in_one_line():
    html = markdown.markdown("`pt-run --L 8 --x y-1` a--b `x`", extensions=["options"])
    assert html.count('class="name"') == 4 and re.sub("<[^>]+>", "", html) == "pt-run --L 8 --x y-1 a--b x"


def test_examples_of_a_key_are_code():
    (key,) = keys.read_keys("# Key of all.\n#   seed: 4\n# [0 to 5]\nseed: 1\n")
    assert keys.meaning(key) == "Key of all. `seed: 4`"


def test_long_lines_of_help_go_on_below_their_last_column():
    lines = reference.wrapped("  --out FILE   " + "word " * 40).splitlines()
    assert len(lines) == 2 and all(len(line) <= reference.WIDTH for line in lines) and lines[1].startswith(" " * 15 + "word")
    assert reference.wrapped("  --out FILE   where") == "  --out FILE   where"
