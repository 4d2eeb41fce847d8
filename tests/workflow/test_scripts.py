"""What the scripts read and write: inputs that are missing, foreign or damaged end in one sentence and exit code 1, and no output replaces
an input or what psflip did not make."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from psflip.campaign import whole_files
from psflip.campaign.errors import StudyError
from psflip.campaign.whole_files import check_output, write_json, write_text
from psflip.papers import page
from psflip.papers.stored import Data, rows_text
from conftest import ROOT
from synthetic import write_campaign, write_ladder, write_reduced
from test_handover import handed_over

SCRIPTS = ROOT / "workflows" / "psflip"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Writes results with tables, report and archive, and other files next to them."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "res").mkdir()
    write_campaign(folder / "res")
    shutil.copy(folder / "res/study.yaml", folder / "given.yaml")
    handed_over(folder / "res")
    shutil.copy(folder / "given.yaml", folder / "res/study.yaml")
    write_ladder(folder / "L8.h5")
    (folder / "mine.txt").write_text("psflip is the tool of this thesis.\n")
    (folder / "mine.csv").write_text("observable,L1\n")
    (folder / "junk.h5").write_bytes(b"\x89HDF\r\n\x1a\n and no more")
    (folder / "data.h5").write_bytes((folder / "res/reduced.h5").read_bytes()[:3000])
    (folder / "X.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (folder / "null.json").write_text("null")
    (folder / "L9.svg").write_text("<svg></svg>")
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def told(monkeypatch, folder, words):
    """The one sentence that a call ends with; it leaves all files as they were."""
    before = content(folder)
    name, *arguments = words.split()
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    with pytest.raises(StudyError) as error:
        importlib.import_module(f"psflip.{name}").main()
    assert content(folder) == before
    assert "\n" not in str(error.value)
    return str(error.value)


REPORT = "report.report --results res --study given.yaml --out"
ZIP = "results.study_zip --results res --study given.yaml --out"
CLASHES = [
    ("results.crossings --reduced res/reduced.h5 --out res/reduced.h5", "--out res/reduced.h5 is an input of this call, --reduced res/reduced.h5"),
    ("results.paired --reduced res/reduced.h5 --out res/reduced.h5", "--out res/reduced.h5 is an input of this call, --reduced res/reduced.h5"),
    ("critical.analysis --reduced res/reduced.h5 --json res/reduced.h5 --csv x.csv", "--json res/reduced.h5 is an input of this call, --reduced res/reduced.h5"),
    ("critical.analysis --reduced res/reduced.h5 --json x.json --csv mine.csv", "is no table of critical points of psflip"),
    ("critical.analysis --reduced res/reduced.h5 --json null.json --csv x.csv", "is no critical point of psflip"),
    ("results.paired --reduced res/reduced.h5 --out mine.csv", "is no table of paired differences of psflip"),
    ("results.crossings --reduced res/reduced.h5 --out link.h5", "--out link.h5 is an input of this call, --reduced res/reduced.h5"),
    ("results.crossings --reduced res/reduced.h5 --out hard.h5", "--out hard.h5 is an input of this call, --reduced res/reduced.h5"),
    ("plots.ladder_plot --numbers L8.h5 --out L8.png L8.h5", "--out L8.h5 is an input of this call, --numbers L8.h5"),
    ("plots.ladder_plot --numbers L9.svg --out L9.svg", "--out L9.svg is an input of this call"),
    ("plots.ladder_plot --numbers L8.h5 --out L8.png ./L8.png", "--out L8.png is another output"),
    ("results.study_zip --results res --study res/study.yaml --out res/study.yaml", "--out res/study.yaml is an input of this call, --study"),
    ("results.study_zip --results res --study res/study.zip --out res/study.zip", "--out res/study.zip is an input of this call, --study"),
    ("report.report --results res --study given.yaml --out given.yaml", "--out given.yaml is an input of this call, --study"),
    ("plan.planning given.yaml --json given.yaml", "--json given.yaml is an input of this call, study given.yaml"),
    ("plan.planning given.yaml --rates null.json --json null.json", "--json null.json is an input of this call, --rates null.json"),
    ("results.provenance --results res --out res/reduced.h5", "is no table of provenance of psflip"),
    ("results.crossings --reduced res/reduced.h5 --out res/results.csv", "is no table of crossings of psflip"),
    ("results.crossings --reduced res/reduced.h5 --out mine.csv", "is no table of crossings of psflip"),
    ("campaign.audit_sample choose --study given.yaml --results res --pieces 1 --out mine.txt", "is no result of audits of psflip"),
    ("plots.ladder_plot --numbers L8.h5 --out X.png", "X.png: the existing file of that name is no picture of psflip"),
    ("plots.plots --reduced res/reduced.h5 --out res/plots --formats svg", "res/plots/binder.svg: the existing file of that name is no picture of psflip"),
    ("plots.plots --reduced res/reduced.h5 --out mine.txt", "mine.txt: this is a file, but a folder is needed"),
    ("bench.bench_plots --out mine.txt timings.json", "mine.txt: this is a file, but a folder is needed"),
    *[(f"{call} {name}", f"{name}: the existing file of that name is no") for call in (REPORT, ZIP, "results.provenance --results res --out",
      "plan.planning given.yaml --json") for name in ("mine.txt", "data.h5", "X.png", "null.json", "res/study.json", "res/results.csv")],
    *[(f"{call} {name}", f"{name}: this is not a regular file") for call in (REPORT, "plan.planning given.yaml --json") for name in ("pipe", "/dev/full", "empty", ".")],
]  # fmt: skip


@pytest.mark.parametrize("words, sentence", CLASHES, ids=[words for words, _ in CLASHES])
def test_outputs_that_would_replace_what_is_there(folder, monkeypatch, words, sentence):
    (folder / "link.h5").symlink_to("res/reduced.h5")
    os.link(folder / "res/reduced.h5", folder / "hard.h5")
    os.mkfifo(folder / "pipe")
    (folder / "empty").mkdir()
    timing = {"series": "list", "backend": "cpu", "L": 8, "share": 128, "replicas": 2, "temperatures": 4, "columns": 1, "threads": 1, "production": True}
    timing |= {"kernel": "auto", "ps_per_flip": 1.0, "spread": 0, "commit": "", "date": "", "device": "cpu avx2, 1 thread"}
    (folder / "timings.json").write_text(json.dumps([timing]))
    assert sentence in told(monkeypatch, folder, words)


def test_the_device_is_still_one(folder, monkeypatch):
    mode = os.stat("/dev/full").st_mode
    told(monkeypatch, folder, "plan.planning given.yaml --json /dev/full")
    with pytest.raises(StudyError, match="/dev/full: this is not a regular file"):
        write_json(Path("/dev/full"), {})
    assert os.stat("/dev/full").st_mode == mode


MISSING = [
    (words.replace("NAME", name), f"{name}: {sentence}")
    for words in ("results.crossings --reduced NAME --out x.csv", "plots.plots --reduced NAME --out x", "plots.ladder_plot --numbers NAME --out x.png",
                  "report.report --results res --study NAME --out x.html", "results.study_zip --results res --study NAME --out x.zip",
                  "campaign.audit_sample check --out x.txt --files NAME", "bench.bench_plots --out x NAME",
                  "campaign.rounds round --study NAME --results res --L 4 --sweeps 8192", "plan.planning given.yaml --rates NAME", "plan.planning NAME")
    for name, sentence in (("nope", "no such file"), ("res", "this is a folder, but a file is needed"), ("/dev/zero", "this is a pipe or a device, but a file is needed"))
] + [
    (words.replace("NAME", name), f"--results {name}: {sentence}")
    for words in ("results.provenance --results NAME --out x.csv", "report.report --results NAME --study given.yaml --out x.html",
                  "results.study_zip --results NAME --study given.yaml --out x.zip", "campaign.rounds criteria --study given.yaml --results NAME",
                  "campaign.audit_sample choose --study given.yaml --results NAME --pieces 1 --out x.json")
    for name, sentence in (("nope", "no such folder"), ("mine.txt", "this is a file, but a folder is needed"))
]  # fmt: skip
WRONG = [
    *[(f"results.crossings --reduced {name} --out x.csv", f"{name}: this is not a reduced file as reduce-disorder writes it") for name in ("mine.txt", "junk.h5", "data.h5", "X.png")],
    ("plots.plots --reduced L8.h5 --out x", "L8.h5: a reduced file is needed, but this is a file of kind ladder"),
    *[(f"plots.plots --reduced res/reduced.h5 --critical {name} --out x", f"{name}: this is not a critical point as critical.analysis writes it") for name in ("null.json", "mine.txt", "res/study.json")],
    *[(f"plots.ladder_plot --numbers {name} --out x.png", f"{name}: this is not numbers of a tuning") for name in ("mine.txt", "junk.h5", "res/reduced.h5")],
    ("plots.ladder_plot --numbers L8.h5 --out x.jpg", "x.jpg: the ending is not known; use .png, .svg, .pdf"),
    ("plots.ladder_plot --numbers L8.h5 --out x.png y.svg", "differ in their endings only"),
    ("results.provenance --results empty --out x.csv", "empty: this is not a folder of results, because it has no finished files"),
    ("results.provenance --results damaged --out x.csv", "state-0.h5: this is not a file of psflip"),
    ("results.study_zip --results empty --study given.yaml --out x.zip", "empty/reduced.h5: no such file"),
    ("results.study_zip --results res --study X.png --out x.zip", "X.png: this is not valid YAML"),
    ("report.report --results res --study X.png --out x.html", "X.png: this is not valid YAML"),
    ("report.report --results res --study null.json --out x.html", "null.json: the file has no keys and values"),
    ("report.report --results empty --study given.yaml --out x.html", "empty/reduced.h5: no such file"),
    *[(f"campaign.audit_sample check --out x.txt --files {name}.json", f"{name}.json: this is not a result of audit") for name in ("null", "list", "half")],
    ("campaign.audit_sample check --out x.txt", "check needs results of audit"),
    ("campaign.audit_sample check --out x.txt --files mine.txt", "check needs results of audit"),
    ("campaign.audit_sample choose --out x.json", "choose needs --study, --results and --pieces"),
    ("campaign.audit_sample choose --study given.yaml --results empty --pieces 1 --out x.json", "empty/study.json is missing"),
    ("campaign.audit_sample run", "run needs a program and its options"),
    ("campaign.audit_sample run audit --run", "run needs a program and its options"),
    ("campaign.audit_sample run audit --run mine.txt", "mine.txt: this is not a run as pt-run writes it"),
    ("campaign.rounds round --study given.yaml --results res --L 8 --sweeps 8192", "--L 8: the sizes of the study are 4, 6"),
    ("campaign.rounds round --study given.yaml --results res --L 4 --sweeps 3", "--sweeps 3: the rounds of L = 4 end at 8192, 16384"),
    ("campaign.rounds round --study given.yaml --results res --L 4 --sweeps 8192", "round needs --program"),
    ("campaign.rounds final --study given.yaml --results res", "--L None: the sizes of the study are 4, 6"),
    ("campaign.rounds round --study given.yaml --results res --L 6 --sweeps 8192 --program x", "observables-8192.h5: "),
    ("campaign.rounds final --study given.yaml --results res --L 6", "rounds/L6-8192-"),
    ("campaign.reduce --program x --study given.yaml --results res --out x --csv x --list l --stamp s null.json", "null.json: this is not a list of final observables"),
    *[(f"bench.bench_plots --out x {name}", f"{name}: this is not a file of bench-flip --json or --csv") for name in ("mine.txt", "X.png", "given.yaml", "list.json")],
    ("plan.planning given.yaml --rates given.yaml", "rates=given.yaml: this is not a file of bench-flip --json or --csv, or it is damaged (it has no 'series'); give"),
    ("results.crossings --reduced", "expected one argument; --help prints the options"),
    ("results.crossings --reduced res/reduced.h5 --out x.csv --odd", "unrecognized arguments: --odd"),
    ("plan.planning given.yaml --backend gpu", "no backend gpu; did you mean cuda? Known are auto, cpu, cuda"),
    ("campaign.partial res --bin nowhere --odd", "unrecognized arguments: --odd"),
]  # fmt: skip


@pytest.mark.parametrize("words, sentence", MISSING + WRONG, ids=[words for words, _ in MISSING + WRONG])
def test_inputs_that_are_missing_or_wrong(folder, monkeypatch, words, sentence):
    (folder / "empty").mkdir()
    (folder / "damaged/L4/batch0000000-0000127").mkdir(parents=True)
    (folder / "damaged/L4/batch0000000-0000127/state-0.h5").write_text("no HDF5")
    (folder / "list.json").write_text("[1]")
    (folder / "half.json").write_text('{"equal": false}')
    assert sentence in told(monkeypatch, folder, words)


@pytest.mark.parametrize("name, text", [
    ("study.json", '{"format": 1, "physics_version": 2, "sizes": {"4": [1]}}'), ("study.json", '{"format": 1, "physics_version": 2, "sizes": {"x": {}}}'),
    ("plan.json", "[1]"), ("plan.json", "{}"), ("plan.json", '{"device": 7}'), ("audit/a.json", "[]"), ("audit/a.json", '{"format": "psflip audit"}'),
    ("ladder/L8.h5", "no HDF5"), ("provenance.csv", "a,b\n1,2\n"), ("provenance.csv", "\0"), ("plots/binder.svg", "no drawing"),
])  # fmt: skip
def test_files_of_a_campaign_that_are_wrong(folder, monkeypatch, name, text):
    (folder / "res" / name).parent.mkdir(exist_ok=True)
    (folder / "res" / name).write_text(text)
    assert told(monkeypatch, folder, f"{REPORT} x.html").startswith(f"res/{name}: ")


def damaged(key, value):
    def change(file):
        if key in file:
            del file[key]
        if value is not None:
            file[key] = value

    return change


BAD = [
    damaged("L4/temperatures", None), damaged("L4/temperatures", 1.0), damaged("L4/temperatures", []), damaged("L4/temperatures", [1.0, 0.5]),
    damaged("L4/energy", np.ones(3)), damaged("L4/energy_err", 1.0), damaged("L4/binder", ["a"] * 8), damaged("L4/log2_q2", np.ones((8, 2))),
    damaged("L4/log2_edges", None), damaged("L4/histogram_density", np.ones(8)), damaged("L4/histogram_q_edges", None), damaged("L4/swap_rate", np.ones((7, 2))),
    damaged("L4/equilibrated_fraction", 1.0), damaged("L4/jackknife/binder", np.ones(8)), damaged("L4/jackknife/binder", np.ones((7, 8))),
    lambda file: file["provenance"].attrs.update(config="disorder: 7"), lambda file: file["provenance"].attrs.update(config="model: {p_ferro: x}"),
    lambda file: file["L4"].attrs.pop("n_realizations"), lambda file: [file.pop(name) for name in ("L4", "L6", "L8")],
]  # fmt: skip


@pytest.mark.parametrize("change", BAD)
def test_a_reduced_file_that_was_changed_by_hand(folder, monkeypatch, change):
    """Reading the file reports datasets that are missing or have another shape, before anything is drawn."""
    write_reduced(folder / "bad.h5", count=8)
    with h5py.File(folder / "bad.h5", "r+") as file:
        change(file)
    for words in ("results.crossings --reduced bad.h5 --out x.csv", "plots.plots --reduced bad.h5 --out x"):
        assert told(monkeypatch, folder, words).startswith("bad.h5: this is not a reduced file as reduce-disorder writes it, or it is damaged (")


KINDS = {
    "table of crossings": "res/crossings.csv", "table of provenance": "res/provenance.csv", "archive of a study": "res/study.zip", "report": "page.html",
    "table of critical points": "res/critical.csv", "critical point": "res/critical.json", "table of columns": "res/columns.csv",
    "relaxation": "relaxation.json", "table of relaxations": "relaxation.csv", "table of two times": "two_time.csv", "table of protocols": "cooling.csv",
    "table of transitions": "transitions.csv",
    "table of paired differences": "res/equilibration.csv", "plan": "plan.json", "result of audits": "passed.txt", "note on averages": "stamp.json", "list of observables": "list.txt", "picture": "L8.png",
    "page on papers": "index.md", "rows of measurements": "rows.json",
}  # fmt: skip


def test_own_outputs_are_known_and_may_be_written_again(folder, monkeypatch):
    """Each is of its kind and of no other; what is empty may be replaced."""
    write_text(folder / "list.txt", "res/L4/batch0000000-0000127/observables-8192.h5\n", "list of observables")
    write_json(folder / "stamp.json", {"files": {"4": 1}}, "note on averages")
    write_json(folder / "plan.json", {"made": "2026-11-21T10:00:00Z"}, "plan")
    write_text(folder / "passed.txt", "3 runs audited, all equal\n", "result of audits")
    write_json(folder / "relaxation.json", {"kind": "relaxation", "growth": []}, "relaxation")
    write_text(folder / "relaxation.csv", "L,T,t,factor,energy\n", "table of relaxations")
    write_text(folder / "two_time.csv", "L,T,t_w,t,factor\n", "table of two times")
    write_text(folder / "cooling.csv", "L,x,T,h,samples,energy\n", "table of protocols")
    write_text(folder / "transitions.csv", "L,x,samples,T_neel,T_neel_err\n", "table of transitions")
    write_text(folder / "index.md", page.index([], Data(folder)), "page on papers")
    write_text(folder / "rows.json", rows_text([{"L": 8, "T": 1.0}]), "rows of measurements")
    for _ in range(2):
        for words in (f"{REPORT} page.html", f"{ZIP} res/study.zip", "plots.ladder_plot --numbers L8.h5 --out L8.png L8.svg L8.pdf",
                      "results.paired --reduced res/reduced.h5 --out res/equilibration.csv",
                      "critical.analysis --reduced res/reduced.h5 --json res/critical.json --csv res/critical.csv",
                      "results.crossings --reduced res/reduced.h5 --out res/crossings.csv --columns res/columns.csv", "results.provenance --results res --out res/provenance.csv"):  # fmt: skip
            name, *arguments = words.split()
            monkeypatch.setattr(sys, "argv", [name, *arguments])
            (folder / "res/plots/binder.svg").write_text("<svg></svg>")
            importlib.import_module(f"psflip.{name}").main()
    assert KINDS.keys() == whole_files.KINDS.keys()
    for kind in KINDS:
        for other, file in [*KINDS.items(), ("picture", "L8.svg"), ("picture", "L8.pdf")]:
            if kind == other:
                check_output(folder / file, kind)
            else:
                with pytest.raises(StudyError, match=f"no {kind} of psflip"):
                    check_output(folder / file, kind)
        (folder / "empty").write_text("")
        check_output(folder / "empty", kind)


def run(*words, **options):
    return subprocess.run([sys.executable, SCRIPTS, *words], capture_output=True, text=True, **options)


@pytest.mark.parametrize("words, sentence", [
    (["results.crossings", "--reduced", "no\x1b[31m.h5", "--out", "x"], "crossings: --reduced no\\x1b[31m.h5: no such file"),
    (["results.crossings", "--odd\x1b"], "crossings: the following arguments are required: --reduced, --out; --help prints the options"),
    (["results.crossings", "--reduced", "res/reduced.h5", "--out", "mine.txt/x"], "crossings: mine.txt/x: Not a directory"),
    (["results.study_zip", "--results", "half", "--study", "given.yaml", "--out", "x"], "study_zip: half/results.csv: No such file or directory"),
    (["plan.planning", "given.yaml", "--odd"], "plan: unrecognized arguments: --odd"),
    (["nothing.here"], "nothing.here: there is no script of that name in "), (["campaign.errors"], "campaign.errors: there is no script of that name in "),
    (["json.tool"], "json.tool: there is no script of that name in "), (["a\x1b"], "psflip a\\x1b: there is no such command. Known are new, plan"),
])  # fmt: skip
def test_the_sentence_and_the_exit_code(folder, words, sentence):
    (folder / "half").mkdir()
    shutil.copy(folder / "res/reduced.h5", folder / "half")
    done = run(*words)
    assert done.returncode == 1 and done.stderr.startswith(sentence) and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr and not done.stdout


def test_names_and_notes_cannot_command_the_terminal(folder, stand_ins):
    """Of a study file, in the plan; in notes and attributes of reduced.h5, in all that is made of it."""
    shutil.copy("given.yaml", "a\x1b[31mb.yaml")
    done = run("plan.planning", "a\x1b[31mb.yaml", "--bin", stand_ins, "--backend", "cpu")
    assert done.returncode == 0 and "a\\x1b[31mb.yaml, equilibrium, results in results/a\\x1b[31mb" in done.stdout and "\x1b" not in done.stdout + done.stderr
    with h5py.File("res/reduced.h5", "r+") as file:
        file["provenance"].attrs.update(git_commit="\x1b[32mabc", host=b"node\x9b1m")
        file["L4"].attrs.update(warnings="look \x1b[33mhere", warning_kinds="odd")
    assert run("results.provenance", "--results", "res", "--out", "res/provenance.csv").returncode == 0
    assert run(*REPORT.split(), "x.html").returncode == 0
    for name in ("res/provenance.csv", "x.html"):
        text = Path(name).read_text()
        assert "\\x1b[3" in text and not set(text) & {"\x1b", "\x9b"}, name
