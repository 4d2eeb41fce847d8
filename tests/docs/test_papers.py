"""The pages on published figures: they are what `psflip papers` writes, every figure is drawn from small stored data, and measurements write the files that pages read."""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
PAGES, DATA = ROOT / "docs/papers", ROOT / "docs/data"
sys.path.insert(0, str(ROOT / "workflows"))
from psflip.campaign.errors import StudyError  # noqa: E402
from psflip.papers import measure, page, pictures, stored  # noqa: E402
from psflip.papers.meeting import meeting  # noqa: E402
from psflip.papers.tables import table_of  # noqa: E402
from psflip.plots.plot_style import name_lines, panel_figure  # noqa: E402

ABOUT = {"device": "cuda NVIDIA H100", "commit": "0123456", "date": "2026-11-28T10:00:00Z"}


def papers(*words, code=0):
    done = subprocess.run([sys.executable, ROOT / "workflows/psflip", "papers", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_pages_are_what_the_command_writes(tmp_path):
    papers("--out", tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in PAGES.iterdir() if file.suffix != ".yaml"}
    for written in tmp_path.glob("*.md"):
        assert written.read_text() == (PAGES / written.name).read_text(), f"{written.name}: run psflip papers"


@pytest.mark.parametrize("commit, shown", [("0123456789ab", "commit 0123456"), ("0123456789ab-dirty", "commit 0123456 with local changes"), ("0123456", "commit 0123456")])
def test_pages_name_commits_with_local_changes(tmp_path, commit, shown):
    (tmp_path / "flips.json").write_text(stored.rows_text([ABOUT | {"commit": commit}]))
    row = stored.Row("id", "Figure 1", "speed", "see the paper", data=["flips.json"])
    assert page.provenance(row, stored.Data(tmp_path)) == f"NVIDIA H100, {shown}, 2026-11-28"


def test_every_figure_of_the_pages_is_drawn():
    rows = [row for paper in stored.read_papers() for row in paper.rows]
    assert {file.stem for file in PAGES.glob("*.png")} == {row.id for row in rows if row.picture}
    assert not any(page.NOT_YET in file.read_text() for file in PAGES.glob("*.md"))


def test_rows_have_what_a_reader_needs():
    rows = [row for paper in stored.read_papers() for row in paper.rows]
    assert len({row.id for row in rows}) == len(rows) > 40
    for row in rows:
        assert row.published and (row.psflip or row.missing), row.id
        assert not row.visit or (row.minutes and row.data and row.commands), row.id
        assert not row.data or row.commands or row.text, row.id
        for name in row.data:
            assert stored.Data(DATA).has(name) or row.visit, f"{row.id}: {name} is neither stored nor planned"


def test_validation_has_the_averages_of_its_page():
    (row,) = (row for row in stored.read_paper("weigel").rows if row.id == "weigel-averages")
    found = stored.numbers(row.numbers, stored.Data(DATA))
    (line,) = (line for line in (ROOT / "docs/validation.md").read_text().splitlines() if "papers/weigel.md#averages" in line)
    assert line.endswith(f"| energies {found['rms_e']:.2f} errors, specific heats {found['rms_C']:.2f} errors (root mean square) |")


def test_curves_meet_with_an_error():
    """Lines x and 1 meet at x = 1. A shift of the second line by one normal deviate times 0.1 moves the place by as much, and never out of the range."""
    rising, flat = tuple((x, x, 0.0) for x in (0.0, 0.5, 1.5, 2.0)), tuple((x, 1.0, 0.1) for x in (0.0, 0.5, 1.5, 2.0))
    at, error, none = meeting(rising, flat)
    assert (at, none) == (1.0, 0.0) and abs(error - 0.1) < 0.01
    at, error, none = meeting(flat, tuple((x, 1.05, 0.0) for x, *_ in flat))  # apart by half an error, above at each x
    assert at != at and error != error and none == 100.0


def test_visits_fit_into_their_minutes():
    rows = [row for paper in stored.read_papers() for row in paper.rows if "core" not in row.machine]  # of GPUs
    by_visit = {visit: sum(row.minutes for row in rows if row.visit == visit) for visit in range(1, 5)}
    assert sum(by_visit.values()) == sum(row.minutes for row in rows) <= 90
    assert all(minutes <= 30 for minutes in by_visit.values())
    assert max(row.minutes / len(row.commands) for row in rows if row.visit) < 10  # the longest command


def test_commands_write_the_data_of_their_row():
    for row in (row for paper in stored.read_papers() for row in paper.rows if row.visit):
        words = [measure.words_of(command, DATA, BIN) for command in row.commands]
        assert {pathlib.Path(word).name for of in words for word in of if word.endswith(".json")} == set(row.data), row.id


SHORT = {"--backend": "cpu", "--threads": "1", "--words": "1", "--slabs": "1", "--halo": "host", "--halo-order": "standard", "--tile": "0,16", "--hits": "10", "--beta": "0.4"}
SHORT |= {"--thermalize": "8", "--measure": "500", "--sweeps": "640", "--square": "32", "--precision": "float,double", "--seconds": "0.001", "--repeats": "1"}
SMALLEST = {"bench-rng": "4", "bench-sites": "256", "bench-vector": "32", "bench-slab": "16"}
RUNS = {  # options of short runs
    "exchanges": "--L 4 --realizations 128 --sweeps 4000 --every 1 10 --repeats 1",
    "sweeps": "--realizations 128 --sweeps 1024 --sweeps-alone 1024",
    "study": "--L 4 --set disorder.realizations=128 --set disorder.batch=128 --set thermalize.sweeps=20 --set run.sweeps=3200",
}


def short(words):
    """Returns a command with few sweeps on small lattices, without what needs a GPU."""
    program = pathlib.Path(words[0]).name
    if program not in SMALLEST:  # python psflip papers.runs CASE [STUDY] --out FILE ...
        study = [word for word in words[4:5] if word.endswith(".yaml")]
        return [*words[:4], *study, "--backend", "cpu", "--out", words[words.index("--out") + 1], "--bin", words[words.index("--bin") + 1], *RUNS[words[3]].split()]
    options = {word: words[i + 1] for i, word in enumerate(words[:-1]) if word.startswith("--") and not words[i + 1].startswith("--")}
    timed = ["--backend", "--threads"] + ["--seconds", "--repeats"] * ("--quality" not in words and "--measure" not in words) + ["--square"] * ("--quality" in words)
    options |= {name: SHORT[name] for name in {*options, *timed} & {*SHORT}} | ({"--L": SMALLEST[program]} if "--L" in options else {})
    kept = {name: ",".join(part for part in of.split(",") if not part.startswith(("curand", "grid"))) for name, of in options.items()}
    return [words[0], *["--quality"] * ("--quality" in words), *(word for option in kept.items() for word in option)]


@pytest.mark.parametrize("command", dict.fromkeys(command for paper in stored.read_papers() for row in paper.rows if row.visit for command in row.commands))
def test_a_short_command_writes_rows_without_a_gpu(command, tmp_path):
    words = short(measure.words_of(command, tmp_path, BIN))
    if not pathlib.Path(BIN / "bench-rng").exists():
        pytest.skip("no programs")
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, (words, done.stderr)
    (out,) = tmp_path.glob("*.json")
    assert len(json.loads(out.read_text())) > 0


def test_one_figure(tmp_path):
    text = papers("lulli-4-words", "--out", tmp_path)
    assert text.startswith("## Figure 4 with MINSTD") and "[lulli_words.json](../data/lulli_words.json)" in text
    assert [file.name for file in tmp_path.iterdir()] == ["lulli-4-words.png"]
    assert "there is no figure lulli-44; did you mean lulli-4?" in papers("lulli-44", "--out", tmp_path, code=1)


def test_what_is_missing_is_planned_and_measured(tmp_path):
    plan = papers("weigel-table2", "--plan", "--data", tmp_path)
    assert "visit 1" in plan and "1 figures and tables, 1 minutes" in plan
    if not (BIN / "bench-vector").exists():
        pytest.skip("no programs")
    tables = tmp_path / "tables"
    tables.mkdir()
    for name in stored.PAPERS:
        shutil.copy(PAGES / f"{name}.yaml", tables)
    table = yaml.safe_load((PAGES / "weigel.yaml").read_text())
    (row,) = (row for row in table["rows"] if row["id"] == "weigel-table2")
    row["commands"] = ["build/bin/bench-vector --backend cpu --threads 1 --model ferromagnet2d --L 16 --seconds 0.001 --repeats 1 --json docs/data/weigel_heisenberg.json"]
    row["data"] = ["weigel_heisenberg.json"]
    (tables / "weigel.yaml").write_text(yaml.safe_dump(table))
    data = tmp_path / "data"
    call = ("weigel-table2", "--measure", "--data", data, "--tables", tables, "--bin", BIN)
    assert "exit code 0" in papers(*call)
    assert json.loads((data / "weigel_heisenberg.json").read_text())[0]["L"] == 16
    assert "0 figures and tables, 0 minutes" in papers(*call)  # what is there is not measured again
    assert "1 minutes do not fit into 0.1" in papers(*call[:-4], "--tables", tables, "--bin", BIN, "--minutes", "0.1", "--data", tmp_path / "other")


def test_several_gpus_take_the_long_commands_first(tmp_path, capfd):
    """Each of two workers has one GPU. Rows that need idle cores run first and alone."""
    program = tmp_path / "bin" / "job"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\ntest $1 != fails && echo "[{\\"gpu\\": \\"${CUDA_VISIBLE_DEVICES}\\"}]" > $3\n')
    program.chmod(0o755)

    def row(name, minutes, machine, *words):
        return stored.Row(id=name, name=name, what="", published="", data=[], commands=[f"build/bin/job {word} --json docs/data/{word}.json" for word in words], minutes=minutes, machine=machine)

    jobs = [row("short", 1, "one H100", "s"), row("long", 4, "one H100", "a", "b"), row("threads", 1, "16 idle cores", "c")]
    assert measure.run(jobs, tmp_path / "data", tmp_path / "bin", 10, gpus=2) == 0
    names = [line.split(":")[0] for line in capfd.readouterr().out.splitlines()]
    assert names[0] == "threads" and set(names[1:3]) <= {"long", "short"} and len(names) == 4
    assert {json.loads((tmp_path / "data" / f"{name}.json").read_text())[0]["gpu"] for name in "sab"} <= {"0", "1"}
    assert measure.run([row("wrong", 1, "one H100", "fails")], tmp_path / "data", tmp_path / "bin", 10, gpus=2) == 1
    assert not (tmp_path / "data" / "fails.json").exists()


def test_expressions_and_conditions_name_what_is_wrong(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{"L": 8, "ps": 2.0}, {"L": 16, "ps": 1.0}]))
    data = stored.Data(tmp_path)
    found = stored.numbers({"best": {"file": "a.json", "of": "ps", "take": "min"}, "of8": {"file": "a.json", "where": "ps > 1.5 * best", "of": "L"}, "ratio": {"is": "of8 / best"}}, data)
    assert found == {"best": 1.0, "of8": 8, "ratio": 8.0}
    assert table_of({"file": "a.json", "head": "L", "line": "{L}", "column": "ps", "cell": "{ps:.1f}", "published": {"theirs": {16: 3}}}, data).splitlines()[-1] == "| 16 | 1.0 | 3 |"
    for wrong, words in (({"of": "pz"}, "pz"), ({"of": "ps"}, "2 rows"), ({"of": "ps", "where": "L == 4"}, "0 rows"), ({"of": "ps +"}, "ps +")):
        with pytest.raises(StudyError, match=words.replace("+", r"\+")):
            stored.numbers({"x": {"file": "a.json"} | wrong}, data)


def test_pictures_have_labels_and_at_most_seven_lines():
    _, (axes,) = panel_figure(1)
    axes.set(xlabel="x", ylabel="y")
    for i in range(8):
        axes.plot([0, 1], [i, i], label=f"line {i}")
    with pytest.raises(ValueError, match="8 lines"):
        name_lines(axes)
    _, (axes,) = panel_figure(1)
    axes.plot([0, 1], [0, 1], label="line")
    with pytest.raises(ValueError, match="no label"):
        name_lines(axes)


def test_lines_of_a_panel_take_the_fastest_of_equal_rows(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{"L": 16, "ps": 2.0}, {"L": 8, "ps": 3.0}, {"L": 16, "ps": 1.0}]))
    lines = pictures.lines_of({"file": "a.json", "x": "L", "y": "ps", "series": "psflip", "take": "min"}, stored.Data(tmp_path))
    assert lines == {"psflip": {8: (3.0, 0.0), 16: (1.0, 0.0)}}
