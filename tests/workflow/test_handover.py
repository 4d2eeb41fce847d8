"""What is handed over of a study: study.zip with its check, and the examples that read the files."""

import csv
import hashlib
import json
import os
import shutil
import subprocess
import zipfile

import forked
import h5py
import numpy as np
import pytest
from conftest import ROOT
from psflip.results import provenance
from synthetic import write_reduced, write_results_csv

SCRIPTS, EXAMPLES = ROOT / "workflows" / "psflip", ROOT / "workflows" / "examples"
CHECK = SCRIPTS / "results" / "check_study.py"


def python(file, *arguments, check=True):
    done = forked.call([file, *arguments])
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def handed_over(folder):
    """The files that study.zip is made of, the numbers synthetic and the plots stand-ins."""
    write_reduced(folder / "reduced.h5", count=8)
    write_results_csv(folder / "results.csv", folder / "reduced.h5")
    python(SCRIPTS, "results.crossings", "--reduced", folder / "reduced.h5", "--out", folder / "crossings.csv", "--columns", folder / "columns.csv")
    python(SCRIPTS, "critical.analysis", "--reduced", folder / "reduced.h5", "--json", folder / "critical.json", "--csv", folder / "critical.csv")
    python(SCRIPTS, "results.paired", "--reduced", folder / "reduced.h5", "--out", folder / "equilibration.csv")
    python(SCRIPTS, "results.provenance", "--results", folder, "--out", folder / "provenance.csv")
    (folder / "plots").mkdir()
    (folder / "plots/binder.svg").write_text("<svg/>")
    (folder / "report.html").write_text("<p>")
    (folder / "study.yaml").write_text("seed: 1\n")
    pack(folder)
    return folder


def pack(folder, name="study.zip"):
    python(SCRIPTS, "results.study_zip", "--results", folder, "--study", folder / "study.yaml", "--out", folder / name)


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handover") / "example"
    folder.mkdir()
    return handed_over(folder)


@pytest.fixture
def unpacked(packed, tmp_path):
    with zipfile.ZipFile(packed / "study.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path / "example"


def test_the_archive_holds_all_and_checks_itself(packed, unpacked):
    names = {file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if file.is_file()}
    assert names == {
        "README.txt", "SHA256SUMS", "check.py", "config.yaml", "study.yaml", "results.csv", "crossings.csv", "critical.csv", "critical.json", "columns.csv", "equilibration.csv", "reduced.h5",
        "provenance.csv", "report.html", "plots/binder.svg", "environment/requirements.txt", "environment/versions.txt", "ro-crate-metadata.json",
    }  # fmt: skip
    assert "16 files as they were written; tables agree" in python(unpacked / "check.py").stdout
    assert "tables agree" in python(CHECK, packed / "study.zip").stdout
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=unpacked, check=True)
    assert "replicas: 2" in (unpacked / "config.yaml").read_text() and "0123abc" in (unpacked / "environment/versions.txt").read_text()


def test_metadata_for_repositories(packed, unpacked):
    """The RO-Crate: every link has its entity, every file is a part, and measured quantities have the unit and meaning of columns.csv. Authors may be added without a fault."""
    crate = unpacked / "ro-crate-metadata.json"
    graph = {entity["@id"]: entity for entity in json.loads(crate.read_text())["@graph"]}
    links = [link for entity in graph.values() for value in entity.values() for link in (value if isinstance(value, list) else [value]) if isinstance(link, dict)]
    assert {link["@id"] for link in links} <= set(graph) | {"https://w3id.org/ro/crate/1.1"}
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    root = graph["./"]
    assert {"name", "description", "datePublished", "license"} <= set(root) and "author" not in root
    files = {file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if file.is_file()} - {crate.name}
    assert {part["@id"] for part in root["hasPart"]} == files
    assert all(graph[name]["contentSize"] == str((unpacked / name).stat().st_size) and graph[name]["description"] for name in files)
    with (unpacked / "columns.csv").open() as stream:
        meanings = {row["column"]: (row["unit"], row["meaning"]) for row in csv.DictReader(stream) if row["table"] == "results.csv"}
    quantities = {graph[link["@id"]]["name"]: (graph[link["@id"]].get("unitText", ""), graph[link["@id"]]["description"]) for link in root["variableMeasured"]}
    assert quantities == {name: meaning for name, meaning in meanings.items() if not name.endswith("_err") and name not in ("L", "T", "beta", "n_realizations")}
    assert graph["#simulation"]["object"] == [{"@id": "study.yaml"}, {"@id": "config.yaml"}] and graph["#simulation"]["instrument"] == {"@id": "#reduce-disorder"}
    crate.write_text(crate.read_text().replace('"license"', '"author": "A. Physicist", "license"'))
    assert "tables agree" in python(unpacked / "check.py").stdout


def test_what_only_some_campaigns_have_is_packed_too(packed, tmp_path):
    folder = shutil.copytree(packed, tmp_path / "example")
    for name in ("plan.json", "ladder/L8.yaml", "ladder/L8.svg", "ladder/couplings/L8-0.h5", "audit/L8.json"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("{}")
    pack(folder)
    with zipfile.ZipFile(folder / "study.zip") as archive, zipfile.ZipFile(packed / "study.zip") as without:
        more = set(archive.namelist()) - set(without.namelist())
    assert more == {f"example/{name}" for name in ("plan.json", "ladder/L8.yaml", "ladder/L8.svg", "audit/L8.json")}
    assert python(CHECK, folder / "study.zip", check=False).returncode == 0


def test_the_same_files_give_the_same_archive(packed):
    pack(packed, "again.zip")
    assert (packed / "again.zip").read_bytes() == (packed / "study.zip").read_bytes()


@pytest.mark.parametrize("name, content, words", [("results.csv", b"L,T\n", "results.csv: changed"), ("reduced.h5", None, "reduced.h5: missing"), ("extra.csv", b"", "extra.csv: the file is not listed")])
def test_check_refuses_other_files(unpacked, name, content, words):
    (unpacked / name).unlink() if content is None else (unpacked / name).write_bytes(content)
    done = python(unpacked / "check.py", check=False)
    assert done.returncode == 1 and words in done.stdout


def test_check_refuses_a_damaged_archive(packed, tmp_path):
    data = bytearray((packed / "study.zip").read_bytes())
    with zipfile.ZipFile(packed / "study.zip") as archive:
        entry = archive.getinfo("example/reduced.h5")
    data[entry.header_offset + 100 + entry.compress_size // 2] ^= 1
    (tmp_path / "study.zip").write_bytes(data)
    done = python(CHECK, tmp_path / "study.zip", check=False)
    assert done.returncode == 1 and "damaged" in done.stdout and "Traceback" not in done.stderr


def sums_anew(folder):
    names = [file.relative_to(folder).as_posix() for file in sorted(folder.rglob("*")) if file.is_file() and file.name != "SHA256SUMS"]
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(sums))


def says(done, words):
    """Exit code 1 and words for people, without the lines of code that led there."""
    text = done.stdout + done.stderr
    assert done.returncode == 1 and words in text and "Traceback" not in text and text.count("\n") <= 2, text
    assert all(c.isprintable() or c == "\n" for c in text)


def archive(path, **files):
    with zipfile.ZipFile(path, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)


@pytest.mark.parametrize("name, words", [
    ("missing.zip", "does not exist"), ("empty.zip", "not a zip archive, or it is damaged"), ("text.zip", "not a zip archive, or it is damaged"), ("short.zip", "not a zip archive, or it is damaged"),
    ("nothing.zip", "it has 0 folders with SHA256SUMS instead of one"), ("foreign.zip", "it has 0 folders with SHA256SUMS instead of one"), ("two.zip", "it has 2 folders"),
    ("locked.zip", "not a zip archive, or it is damaged"), ("folder", "there is no SHA256SUMS"), ("fifo", "neither a folder nor a file"), ("sums.zip", "not a list of sums"),
    ("escape.zip", "\\x1b[31mx: missing"),
])  # fmt: skip
def test_check_of_what_is_no_study(packed, tmp_path, name, words):
    whole = (packed / "study.zip").read_bytes()
    given = tmp_path / name
    if name == "folder":
        given.mkdir()
    elif name == "fifo":
        os.mkfifo(given)
    elif name in ("nothing.zip", "foreign.zip", "two.zip", "sums.zip", "escape.zip"):
        files = {"foreign.zip": {"a.txt": "x", "b/c.txt": "y"}, "two.zip": {"a/SHA256SUMS": "", "b/SHA256SUMS": ""}, "sums.zip": {"a/SHA256SUMS": b"\xff\n"}}
        archive(given, **files.get(name, {"a/SHA256SUMS": "00  \x1b[31mx\n"} if name == "escape.zip" else {}))
    elif name == "locked.zip":
        data = bytearray(whole)
        for start in (whole.index(b"PK\3\4") + 6, whole.index(b"PK\1\2") + 8):
            data[start] |= 1  # the first file is encrypted
        given.write_bytes(data)
    elif name != "missing.zip":
        given.write_bytes({"empty.zip": b"", "text.zip": b"no archive\n", "short.zip": whole[: len(whole) // 2]}[name])
    done = python(CHECK, given, check=False)
    if name == "escape.zip":
        assert done.returncode == 1 and words in done.stdout and "\x1b" not in done.stdout
    else:
        says(done, words)


@pytest.mark.parametrize("forged", [False, True])
def test_check_unpacks_no_more_than_a_study_has(tmp_path, forged):
    """80 MB of zeros make an archive of 80 kB, which is refused by its declared sizes; where these are forged, no more than they say is unpacked."""
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a/SHA256SUMS", "")
        made.writestr("a/reduced.h5", bytes(80_000_000))
    data = bytearray((tmp_path / "bomb.zip").read_bytes())
    if forged:
        at = data.rindex(b"PK\1\2") + 24
        data[at : at + 4] = (1000).to_bytes(4, "little")
        (tmp_path / "bomb.zip").write_bytes(data)
    says(python(CHECK, tmp_path / "bomb.zip", check=False), "not a zip archive, or it is damaged (Bad CRC-32" if forged else "it would unpack to 80 MB in 2 files")


def rows_of(change):
    """A change of the cells of a table, without its head."""

    def changed(text):
        head, *rows = csv.reader(text.decode().splitlines())
        rows = change(rows)
        return "".join(",".join(row) + "\n" for row in [head[: len(rows[0])], *rows]).encode()

    return changed


def scaled(column):
    """A change of the first number of a column by one part in a million."""

    def changed(text):
        head, first, *rest = text.decode().splitlines()
        cells, at = first.split(","), head.split(",").index(column)
        cells[at] = repr(float(cells[at]) * (1 + 1e-6))
        return "\n".join([head, ",".join(cells), *rest]).encode()

    return changed


ALIKE = "is not as psflip writes it"


@pytest.mark.parametrize("name, change, words", [
    ("results.csv", b"", "results.csv has 0 rows of L = 4, T = 0.8, not one; such faults: 24"), ("results.csv", b"a,b\n1,2\n", f"results.csv or reduced.h5 {ALIKE}"),
    ("results.csv", b"L,T,n_realizations\n5,1,2\n", f"results.csv or reduced.h5 {ALIKE}"), ("results.csv", b"\xff\xfe", ALIKE), ("crossings.csv", b"L1,L2\nx,4\n", ALIKE),
    ("crossings.csv", b"observable,L1,L2\nno,4,6\n", "crossings.csv has no column T, T_err, value, value_err, note"),
    ("reduced.h5", b"no HDF5", "reduced.h5: this is not readable as HDF5"), ("reduced.h5", b"", "reduced.h5: this is not readable as HDF5"), ("reduced.h5", None, "reduced.h5: missing"),
    ("results.csv", scaled("binder"), "(3 - q4/q2^2)/2"), ("results.csv", scaled("energy_err"), "energy_err is"),
    ("results.csv", rows_of(lambda rows: [row for row in rows if row[0] == "4"] * 2 + [row for row in rows if row[0] == "8"]), "has 2 rows of L = 4, T = 0.8, not one; such faults: 16"),
    ("results.csv", rows_of(lambda rows: rows[:-1]), "has 0 rows of L = 8, T = 2, not one; such faults: 1,"),
    ("crossings.csv", rows_of(lambda rows: [*rows[:-1], rows[0]]), "has 2 rows of binder, 4, 6, not one; such faults: 2"),
    ("results.csv", rows_of(lambda rows: [row[:4] for row in rows]), "has no column binder, binder_err, "),
    ("crossings.csv", rows_of(lambda rows: [row[:5] for row in rows]), "has no column value, value_err, note"),
])  # fmt: skip
def test_check_of_tables_with_sums_that_fit(unpacked, name, change, words):
    file = unpacked / name
    content = change(file.read_bytes()) if callable(change) else change
    file.unlink() if content is None else file.write_bytes(content)
    sums_anew(unpacked)
    done = python(unpacked / "check.py", check=False)
    assert done.returncode == 1 and words in done.stdout and "faults found" in done.stdout and "Traceback" not in done.stderr


COMMANDS = {
    "print_summary": (SCRIPTS, "results.print_summary"), "read_results": (EXAMPLES / "read_results.py",),
    "read_observables": (EXAMPLES / "read_observables.py",), "scaling_plot": (EXAMPLES / "scaling_plot.py",),
}  # fmt: skip


@pytest.mark.parametrize("fault", ["no folder", "empty folder", "no HDF5", "cut", "another file", "without groups"])
@pytest.mark.parametrize("command", COMMANDS)
def test_readers_of_results_that_are_not_there_or_damaged(packed, tmp_path, command, fault):
    folder = tmp_path / "results"
    more = {"read_observables": [4], "scaling_plot": [tmp_path / "x.png"]}.get(command, [])
    if fault != "no folder":
        folder.mkdir()
    if fault not in ("no folder", "empty folder"):
        shutil.copy(packed / "results.csv", folder)
        whole = (packed / "reduced.h5").read_bytes()
        (folder / "reduced.h5").write_bytes({"no HDF5": b"text", "cut": whole[: len(whole) // 2]}.get(fault, b""))
    if fault in ("another file", "without groups"):
        with h5py.File(folder / "reduced.h5", "w") as file:
            file.attrs["kind"] = "run" if fault == "another file" else "reduced"
            file["L4/energy"] = [1.0]
    done = python(*COMMANDS[command][:1], *COMMANDS[command][1:], folder, *more, check=False)
    text = done.stderr
    assert done.returncode == 1 and text.count("\n") == 1 and "this study is not finished" in text and str(folder) in text and "Traceback" not in text


def test_a_table_with_other_columns(packed, tmp_path):
    shutil.copy(packed / "reduced.h5", tmp_path)
    for content in ("", "a,b\n1,2\n", '"'):
        (tmp_path / "results.csv").write_text(content)
        done = python(EXAMPLES / "read_results.py", tmp_path, check=False)
        assert done.returncode == 1 and "this study is not finished" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [name for name in COMMANDS])
def test_names_and_texts_of_files_cannot_command_the_terminal(packed, tmp_path, command):
    """The path that was given, and version and commit in reduced.h5."""
    folder = tmp_path / "a\x1b[31mb"
    more = {"read_observables": [4], "scaling_plot": [tmp_path / "x.png"]}.get(command, [])
    done = python(*COMMANDS[command], folder, *more, check=False)
    assert done.returncode == 1 and "a\\x1b[31mb" in done.stderr and "\x1b" not in done.stdout + done.stderr
    for name in ("reduced.h5", "results.csv"):
        folder.mkdir(exist_ok=True)
        shutil.copy(packed / name, folder)
    with h5py.File(folder / "reduced.h5", "r+") as file:
        file["provenance"].attrs.update(version="0.1\x1b]0;x\x07", git_commit="abc\x1b[31m")
    assert "\x1b" not in (done := python(*COMMANDS[command], folder, *more, check=False)).stdout + done.stderr
    assert command != "read_results" or "made by version 0.1\\x1b]0;x\\x07 commit abc\\x1b[31m" in done.stdout


@pytest.mark.parametrize("numbers", [("2.8", "0"), ("nan", "1"), ("1", "-2"), ("1", "inf"), ("a", "b")])
def test_scaling_needs_numbers_that_can_be(packed, tmp_path, numbers):
    done = python(EXAMPLES / "scaling_plot.py", packed, tmp_path / "x.png", *numbers, check=False)
    assert done.returncode == 1 and done.stderr == f"TC and NU are positive numbers, not {' and '.join(numbers)}\n"


def test_usage_of_examples_is_told():
    for command in (("read_results.py",), ("read_observables.py", "x"), ("read_observables.py", "x", "y"), ("scaling_plot.py", "x", "y", "1.1")):
        done = python(EXAMPLES / command[0], *command[1:], check=False)
        assert done.returncode == 1 and f"python {command[0]} results/quickstart" in done.stderr


@pytest.fixture(scope="module")
def small_study(tmp_path_factory):
    """Two sizes, two batches each, with the real programs."""
    from conftest import PROGRAMS, TOOLS

    if not all((PROGRAMS / name).is_file() for name in TOOLS):
        pytest.skip(f"programs not in {PROGRAMS}; set PSFLIP_BIN")
    folder = tmp_path_factory.mktemp("small")
    config = shutil.copy(ROOT / "tests/workflow/tiny.yaml", folder)
    observables = []
    for L in (4, 6):
        for first in (0, 32):
            batch = folder / f"L{L}/batch{first:07d}-{first + 31:07d}"
            batch.mkdir(parents=True)
            disorder, state, run, last = (batch / name for name in ("disorder.h5", "state-0.h5", "run-2048.h5", "observables-2048.h5"))
            observables.append(last)
            for program, *words in (
                ("gen-disorder", "--first", first, "--count", 32, "--out", disorder),
                ("thermalize", "--disorder", disorder, "--out", state),
                ("pt-run", "--disorder", disorder, "--state", state, "--out", run, "--state-out", batch / "state-2048.h5"),
                ("measure", "--disorder", disorder, "--run", run, "--out", last),
            ):
                subprocess.run([PROGRAMS / program, "--config", config, "--L", str(L), *map(str, words)], check=True, capture_output=True)
    command = [PROGRAMS / "reduce-disorder", "--config", config, "--out", folder / "reduced.h5", "--csv", folder / "results.csv", *observables]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_example_results(small_study):
    text = python(EXAMPLES / "read_results.py", small_study).stdout
    with (small_study / "results.csv").open() as stream:
        row = next(row for row in csv.DictReader(stream) if row["L"] == "6")
    assert f"{float(row['binder']):.4f}" in text and "xi_L/L of L = 4 and 6 cross at" in text and "commit" in text
    differences = [line.split(" is ")[1].split(" +- ") for line in text.splitlines() if "minus xi_L/L of L = 4" in line]
    with h5py.File(small_study / "reduced.h5") as file:
        groups = [file[f"L{L}"] for L in (4, 6)]
        small, large = (group["xi_over_L"][:] for group in groups)
        separate = np.hypot(*(group["xi_over_L_err"][:] for group in groups))
    value, error = np.array(differences, float).T
    assert np.allclose(value, large - small, atol=1e-6) and (error > 0.6 * separate).all() and (error < 1.4 * separate).all()


def test_example_observables_gives_the_errors_of_results_csv(small_study):
    text = python(EXAMPLES / "read_observables.py", small_study, 6).stdout
    found = [line.split(": g = ")[1].split(" +- ") for line in text.splitlines() if ": g = " in line]
    with (small_study / "results.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if row["L"] == "6"]
    assert len(found) == len(rows) == 6
    assert np.allclose(np.array(found, float), [[float(row["binder"]), float(row["binder_err"])] for row in rows], rtol=1e-10, atol=0)
    density = [float(line.split(" = ")[1]) for line in text.splitlines() if line.startswith("P(")]
    assert len(density) == 50 and sum(density) * 2 / 50 == pytest.approx(1, abs=0.02)


def test_example_scaling_plot(small_study):
    python(EXAMPLES / "scaling_plot.py", small_study, small_study / "scaling.png")
    before = (small_study / "scaling.png").read_bytes()
    again = python(EXAMPLES / "scaling_plot.py", small_study, small_study / "scaling.png", check=False)
    assert again.returncode == 1 and "exists already" in again.stderr and (small_study / "scaling.png").read_bytes() == before
    assert (small_study / "scaling.png").stat().st_size > 10000


def test_example_scaling_plot_of_another_model(packed, tmp_path):
    """The values from the literature belong to p_ferro 0.5."""
    for name in ("reduced.h5", "results.csv"):
        shutil.copy(packed / name, tmp_path)
    with h5py.File(tmp_path / "reduced.h5", "r+") as file:
        attributes = file["provenance"].attrs
        attributes["config"] += "model: {kind: edwards-anderson, dimension: 3, field: 0, p_ferro: 0.8}\n"
    done = python(EXAMPLES / "scaling_plot.py", tmp_path, tmp_path / "x.png", check=False)
    assert done.returncode == 1 and "neither this study nor the literature knows T_c and nu" in done.stderr and not (tmp_path / "x.png").exists()
    python(EXAMPLES / "scaling_plot.py", tmp_path, tmp_path / "x.png", 1.9, 0.68)
    assert (tmp_path / "x.png").stat().st_size > 10000


def test_provenance_follows_each_file_back(small_study):
    python(SCRIPTS, "results.provenance", "--results", small_study, "--out", small_study / "provenance.csv")
    with (small_study / "provenance.csv").open() as stream:
        rows = {row["file"]: row for row in csv.DictReader(stream)}
    files = {file.relative_to(small_study).as_posix() for file in small_study.rglob("*.h5")}
    assert set(rows) == files and len(files) == 21
    batch = "L6/batch0000032-0000063"
    assert rows[f"{batch}/run-2048.h5"]["program"] == "pt-run"
    assert [source.rsplit("/", 1)[1] for source in rows[f"{batch}/run-2048.h5"]["input_hashes"].split("; ")] == ["disorder.h5", "state-0.h5"]
    assert rows["reduced.h5"]["input_hashes"].count("observables-2048.h5") == 4
    with h5py.File(small_study / "reduced.h5") as file:
        assert rows["reduced.h5"]["git_commit"] == file["provenance"].attrs["git_commit"]


def test_many_hosts_are_summed_up():
    rows = [dict.fromkeys(provenance.COLUMNS, "") | {"program": "pt-run", "host": f"node{i // 2}"} for i in range(13)]
    (row,) = provenance.by_program(rows)
    assert row["files"] == "13" and row["host"] == "node0 (2), node1 (2), node2 (2), node3 (2) and 3 more" and row["device"] == ""
