"""JSON files of a folder of results: each is read and checked here, so that a damaged or foreign one ends in a sentence with its name and the remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from psflip.campaign.errors import reading

# A form is: a type (float takes whole numbers, too; int and float take no truth values), object for anything, None, [form] for a list of it, (form, form)
# for alternatives, a set of values, a pattern of texts, or a map. A map with one key that is no text has any number of keys of that form; others name the
# keys that have to be there. A name with "?" at its end may be missing, and other keys are passed over.
NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", dict: "a map", list: "a list", None: "null"}


def name_of(form: Any) -> str:
    if isinstance(form, tuple):
        return " or ".join(map(name_of, form))
    if isinstance(form, re.Pattern):
        return f"a text like {form.pattern}"
    if isinstance(form, (set, frozenset)):
        return f"one of {', '.join(map(str, sorted(form)))}"
    return NAMES[form if form is None or isinstance(form, type) else type(form)]


def fits_plain(value: Any, form: Any) -> bool:
    """Whether a value has a form that is neither list nor map."""
    if form is object:
        return True
    if form is None:
        return value is None
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if isinstance(form, (set, frozenset)):
        return isinstance(value, str) and value in form
    wanted = (int, float) if form is float else form
    return isinstance(value, wanted) and (form is bool or not isinstance(value, bool))


def fault(value: Any, form: Any, where: str = "") -> str:
    """What does not have the form; empty if all has it."""
    if isinstance(form, tuple):
        faults = [fault(value, one, where) for one in form]
        return "" if "" in faults else f"{where or 'it'} is not {name_of(form)}"
    if not isinstance(form, (list, dict)):
        return "" if fits_plain(value, form) else f"{where or 'it'} is not {name_of(form)}"
    if not isinstance(value, type(form)):
        return f"{where or 'it'} is not {name_of(form)}"
    parts: list[tuple[str, Any, Any]] = []
    if isinstance(form, list):
        parts = [(f"[{i}]", one, form[0]) for i, one in enumerate(value)]
    elif len(form) == 1 and not isinstance(next(iter(form)), str):
        ((of_keys, of_values),) = form.items()
        for key in value:
            if not fits_plain(key, of_keys):
                return f"{where or 'it'} has the key {key!r}, which is not {name_of(of_keys)}"
        parts = [(f".{key}", one, of_values) for key, one in value.items()]
    else:
        for key, one in form.items():
            name = key.removesuffix("?")
            if name in value:
                parts.append((f".{name}", value[name], one))
            elif name == key:
                return f"{where or 'it'} has no {name!r}"
    return next((found for name, one, of in parts if (found := fault(one, of, (where + name).removeprefix(".")))), "")


def check_form(value: Any, form: Any) -> None:
    """ValueError names the first part of a value that does not have the form."""
    if found := fault(value, form):
        raise ValueError(found)


def read_json(file: Path, what: str, form: Any) -> Any:
    """The content of a file that has to be `what`, as in "a plan of psflip (remove it)"; StudyError if it is missing, damaged or of another form."""
    with reading(file, what):
        value = json.loads(file.read_text(encoding="utf-8"))
        check_form(value, form)
    return value
