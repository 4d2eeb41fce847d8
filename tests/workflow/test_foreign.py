"""Folders of results from elsewhere: no markup of theirs gets into the page, no odd file ends in a traceback."""

import json
import os
import re

import pytest
from psflip.campaign.errors import StudyError
from psflip.campaign.json_files import check_form
from psflip.campaign.manifest import read
from psflip.critical.stored import read_critical
from psflip.plan.planning import read_plan
from psflip.plan.progress import progress
from psflip.plan.rates import Rates
from psflip.report import report_audit
from psflip.report.svg import inline_svg
from psflip.campaign import audit_sample, own_couplings
from test_plan import campaign
from test_report_campaign import write_audit

EVIL = "<img src=x onerror=alert(1)>"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1" width="1pt">{}</svg>'


@pytest.mark.parametrize("inside", [
    "<script>alert(1)</script>", "<g onload='alert(1)'/>", "<g ONLOAD='alert(1)'/>", "<a href='#x'/>", "<use href='javascript:alert(1)'/>", "<use xlink:href='https://there/x.svg#a'/>",
    "<image href='https://there/x.png'/>", "<image href='data:image/svg+xml;base64,AAAA'/>", "<foreignObject><p>x</p></foreignObject>", "<path style='fill: url(https://there/x)'/>",
    "<path style='fill: u\\72l(https://there/x)'/>", "<set attributeName='href' to='javascript:alert(1)'/>", "<animate attributeName='href'/>", "<h:script xmlns:h='http://www.w3.org/1999/xhtml'/>",
    "<title><script>alert(1)</script></title>", "<iframe/>", "<path style='fill: url( https://there/x)'/>", "<path fill='URL(https://there/x)'/>", "<x", "&unknown;",
])  # fmt: skip
def test_drawings_that_do_more_than_draw(tmp_path, inside):
    (tmp_path / "binder.svg").write_text(SVG.format(inside))
    with pytest.raises(StudyError, match="binder.svg: this is not a drawing of psflip"):
        inline_svg(tmp_path / "binder.svg", "a plot")


@pytest.mark.parametrize("inside, shown", [
    ("<circle r='1'><title>&lt;script&gt;alert(1)&lt;/script&gt;</title></circle>", '<circle r="1"><title>&lt;script&gt;alert(1)&lt;/script&gt;</title></circle>'),
    ("<!-- <script> --><style>@import url(https://there)</style><metadata><script/></metadata><defs><style/></defs>", ""),
    ("<defs><path id='m1'/></defs>\n <use xlink:href='#m1' style='clip-path: url(#p2)'/>", '<defs><path id="binder-m1" /></defs><use href="#binder-m1" style="clip-path: url(#binder-p2)" />'),
    ("<![CDATA[<script>alert(1)</script>]]>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ("<image href='data:image/png;base64,iVBORw0KGgo='/>", '<image href="data:image/png;base64,iVBORw0KGgo=" />'), ("", ""),
])  # fmt: skip
def test_drawings_as_they_get_into_the_page(tmp_path, inside, shown):
    (tmp_path / "binder.svg").write_text('<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]>' + SVG.format(inside))
    assert inline_svg(tmp_path / "binder.svg", "T<sub>c</sub> \"x\"") == f'<svg viewBox="0 0 1 1" role="img" aria-label="Tc &quot;x&quot;">{shown}</svg>'


@pytest.mark.parametrize("changes", [
    {"L": EVIL}, {"L": True}, {"realizations": EVIL}, {"flips": EVIL}, {"flips": None}, {"original": EVIL}, {"original": {"backend": 7}}, {"equal": 1}, {"first_difference": EVIL},
    {"equal": False}, {"equal": False, "first_difference": {"dataset": "x", "index": 7, "in_file": "1", "in_rerun": "2"}}, {"format": "other"}, {"values": "many"}, {"rerun": []},
])  # fmt: skip
def test_audits_of_another_form(tmp_path, changes):
    write_audit(tmp_path / "audit/a.json", **changes)
    with pytest.raises(StudyError, match="audit/a.json: this is not a result of audit"):
        report_audit.section(tmp_path, 1e15)


def test_texts_of_audits_are_shown_as_they_are(tmp_path):
    write_audit(tmp_path / "audit/a.json", equal=False, original={"backend": EVIL}, first_difference={"dataset": EVIL, "index": [1], "in_file": EVIL, "in_rerun": "2"})
    html = report_audit.section(tmp_path, 1e15)
    assert EVIL not in html and "&lt;img" in html


def plan(**changes):
    hours = {"flips": 1e9, "gpu_hours": 0.0, "core_hours": 2.0}
    sizes = {"4": {**hours, "ps_per_flip": 9.0}}
    return {"made": "2026-11-21T10:00:00Z", "device": "cpu", "of": "x", "whole": {"least": hours, "most": hours}, "sizes": {"least": sizes, "most": sizes}} | changes


@pytest.mark.parametrize("changes", [
    {"made": EVIL}, {"made": 7}, {"device": EVIL}, {"sizes": {"least": {EVIL: {}}, "most": {}}}, {"sizes": {"least": {}}}, {"whole": None},
    {"sizes": {"least": plan()["sizes"]["least"], "most": {}}}, {"sizes": {"least": {"4": {**plan()["sizes"]["least"]["4"], "flips": EVIL}}, "most": {}}},
])  # fmt: skip
def test_plans_of_another_form(tmp_path, changes):
    (tmp_path / "plan.json").write_text(json.dumps(plan()))
    assert read_plan(tmp_path / "plan.json") == plan()
    (tmp_path / "plan.json").write_text(json.dumps(plan(**changes)))
    with pytest.raises(StudyError, match=r"plan.json: this is not a plan of psflip \(remove it"):
        read_plan(tmp_path / "plan.json")


SOURCE = {"file": "a.h5", "L": 4, "dimension": 3, "first": 0, "count": 1}
CONTENT = {"size": 9, "changed": 9, "digests": ["0" * 16], "bonds": 192, "positive": 90}


@pytest.mark.parametrize("entry", [{}, {"source": SOURCE}, {"source": SOURCE, "content": {**CONTENT, "digests": 7}}, {"source": {**SOURCE, "L": "4"}, "content": CONTENT}])
def test_indices_of_couplings_of_another_form(tmp_path, entry):
    index = tmp_path / "couplings.json"
    index.write_text(json.dumps({"files": [{"source": SOURCE, "content": CONTENT}]}))
    assert list(own_couplings.read_index(tmp_path)) == ["a.h5"]
    index.write_text(json.dumps({"files": [entry]}))
    with pytest.raises(StudyError, match=r"couplings.json: this is not a couplings.json of psflip \(remove it"):
        own_couplings.read_index(tmp_path)


DEEP = "[" * 100000 + "]" * 100000
ODD = ["", "{", "null", "7", "[]", '"x"', "{}", '{"a": 1}', DEEP, "\xff", '{"format": 1}', '{"go_on": [7]}', '{"go_on": ["../.."]}', '{"kind": "critical point"}', '{"kind": 7}',
       '{"pieces": [{"L": 4}], "runs": 1}', '{"pieces": [{"L": 4, "batch": "{x}", "sweeps": 1}], "runs": 1}', '{"format": 1, "physics_version": true, "sizes": {}}',
       '{"format": 1, "physics_version": 2, "sizes": {"4": {"run": 7}}}', '{"format": 1, "physics_version": 2, "sizes": {"0x4": {}}}', '{"format": 1, "physics_version": 2, "sizes": {"4": {"more": {}}}}']  # fmt: skip
READERS = {
    "study.json": lambda file: read(file.parent), "critical.json": read_critical, "plan.json": read_plan, "audit.json": audit_sample.difference, "sample.json": audit_sample.read_sample,
    "round.json": lambda file: round_of(file),
}  # fmt: skip


def round_of(file):
    found = campaign(file.parent)
    found.round_file(4, 2048).parent.mkdir(exist_ok=True)
    os.replace(file, found.round_file(4, 2048))
    return found.go_on(4, 2048)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("text", [*ODD, "FIFO"], ids=[text[:30] or "empty" for text in [*ODD, "FIFO"]])
def test_every_odd_json_file_ends_in_a_sentence(tmp_path, name, text):
    """With its name; a pipe that nobody writes to is not waited for."""
    if text == "FIFO":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(StudyError, match=r"\.json: ") as error:
        READERS[name](tmp_path / name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value, form, said", [
    ({"a": 1}, {"a": int}, ""), ({"a": True}, {"a": int}, "a: True is not of type 'integer'"), ({"a": 1}, {"a": float}, ""), ({"a": 1.0}, {"a": int}, "a: 1.0 is not of type 'integer'"),
    ({}, {"a": int}, "'a' is a required property"), ({}, {"a?": int}, ""), ({"a": "x"}, {"a?": int}, "a: 'x' is not of type 'integer'"), ({"a": [1, "x"]}, {"a": [int]}, "a.1: 'x' is not of type 'integer'"),
    ({"x": 1}, {frozenset("ab"): int}, "'x' is not one of ['a', 'b']"), ({"a": {"b": 1}}, {str: {str: str}}, "a.b: 1 is not of type 'string'"), (None, (None, int), ""),
    ("x", (None, int), "'x' is not of type 'null'"), ({"a": 1, "b": 2}, {"a": int}, ""), ({"a": 1, "b": 2}, {"a": int, "b": [int]}, "b: 2 is not of type 'array'"),
    ("4\n", re.compile("[0-9]"), "'4\\n' does not match '\\\\A(?:[0-9])\\\\Z'"),
])  # fmt: skip
def test_forms(value, form, said):
    if not said:
        return check_form(value, form)
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        check_form(value, form)


def test_a_pipe_as_run_file_is_not_waited_for(tmp_path):
    """Neither by the rates of a plan, nor by status."""
    found = campaign(tmp_path)
    folder = tmp_path / "L4/batch0000000-0000031"
    (tmp_path / "logs/run").mkdir(parents=True)
    folder.mkdir(parents=True)
    for file in (folder / "run-2048.h5", folder / "state-2048.h5", folder / "run-4096.h5.lock", tmp_path / "logs/run/L4-0000000-0000031-4096.log"):
        os.mkfifo(file)
    assert Rates(found, False).measured == {} and progress(found)[0].running == 1
