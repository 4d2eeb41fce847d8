"""Reads JSON files of a folder of results and checks their form, so that a damaged or foreign file ends in a sentence with its name and the remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from jsonschema.exceptions import best_match

from psflip.campaign.errors import reading
from psflip.campaign.study import Validator, fault_in

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array", None: "null"}


def schema_of(form: Any) -> dict:
    """Returns the JSON schema of a form.

    A form is a type, `object` for anything, None, [form] for a list, (form, form) for alternatives, a set of texts, a pattern of texts, or a map. A map with one key that
    is no text has any number of keys of that form. The keys of another map have to be there, except those that end with "?"; further keys are allowed."""
    if form is object:
        return {}
    if isinstance(form, tuple):
        return {"anyOf": list(map(schema_of, form))}
    if isinstance(form, list):
        return {"type": "array", "items": schema_of(form[0])}
    if isinstance(form, re.Pattern):
        return {"type": "string", "pattern": rf"\A(?:{form.pattern})\Z"}
    if isinstance(form, (set, frozenset)):
        return {"enum": sorted(form)}
    if not isinstance(form, dict):
        return {"type": TYPES[form]}
    first = next(iter(form), "")
    if len(form) == 1 and not isinstance(first, str):
        return {"type": "object", "propertyNames": schema_of(first), "additionalProperties": schema_of(form[first])}
    required = [key for key in form if not key.endswith("?")]
    return {"type": "object", "required": required, "properties": {key.removesuffix("?"): schema_of(part) for key, part in form.items()}}


def check_form(value: Any, form: Any) -> None:
    """Raises ValueError for the first part of a value that does not have the form."""
    if error := best_match(Validator(schema_of(form)).iter_errors(value)):
        raise ValueError(fault_in(error))


def read_json(file: Path, what: str, form: Any) -> Any:
    """Returns the content of a file that has to be `what`, as in "a plan of psflip (remove it)". Errors: StudyError if the file is missing, damaged or of another form."""
    with reading(file, what):
        value = json.loads(file.read_text(encoding="utf-8"))
        check_form(value, form)
    return value
