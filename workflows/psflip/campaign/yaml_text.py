"""YAML as the programs read it (libcore/config/value.cpp): study files, ladders, and the configurations in HDF5 files."""

from __future__ import annotations

import re
from typing import Any

import yaml

EXACT = 2**53  # floating-point numbers below it are whole numbers without a gap
PREFIX = "tag:yaml.org,2002:"
WHOLE, REAL = re.compile(r"-?(?:0|[1-9]\d*)$"), re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$")


class _Loader(yaml.SafeLoader):
    """1e12 is a number; 0x10, 1_000 and 1:30 are texts."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag.removeprefix(PREFIX) not in ("int", "float", "timestamp")]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _real(loader: _Loader, node: yaml.ScalarNode) -> float:
    """A whole number where 1e15 or 2.0 is one; 012 is none, as it may mean ten."""
    text = loader.construct_scalar(node)
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < EXACT and not text.lstrip("-").isdecimal() else value


_Loader.add_implicit_resolver(f"{PREFIX}int", WHOLE, list("-0123456789"))
_Loader.add_implicit_resolver(f"{PREFIX}float", REAL, list("-0123456789."))
_Loader.add_constructor(f"{PREFIX}float", _real)


def load_yaml(text: str) -> Any:
    return yaml.load(text, Loader=_Loader)
