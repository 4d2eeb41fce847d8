"""The study file as the workflow sees it: schema check, defaults, and the parameters that each rule depends on."""

from __future__ import annotations

import argparse
import copy
import functools
import hashlib
import re
from pathlib import Path

import jsonschema
import yaml

from psflip.campaign.errors import StudyError
from psflip.campaign.yaml_text import load_yaml
from psflip.places import SCHEMA

# Kinds of studies, each with its section of the study file and with the option that chooses it if the file has both sections.
EQUILIBRIUM, RELAXATION = "equilibrium", "relaxation"
SECTIONS = {EQUILIBRIUM: "run", RELAXATION: "relax"}
OPTIONS = {EQUILIBRIUM: "--equilibrium", RELAXATION: "--relax"}
PAGES = {EQUILIBRIUM: "report.html", RELAXATION: "relaxation.html"}

MIN_GROUPS = 10  # of share groups, for errors of exponents of relaxations and of all averages

NOT_OF_COUPLINGS = ("model.field",)  # keys of `model` that disorder.h5 does not depend on at their default
ALSO_OF_COUPLINGS = ("model.field", "dynamics.update")  # keys that disorder.h5 also depends on if they are not at their default

LONGEST_MESSAGE = 400  # letters of what jsonschema says

# A float is no whole number: those that are, as 1e15, are read as one (yaml_text.py).
_TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool))
Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=_TYPES)


@functools.cache
def load_schema() -> dict:
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def text_keys(node):
    """The same tree with all mapping keys as text (YAML reads the 4 of `{4: ...}` as a number)."""
    if isinstance(node, dict):
        return {str(key): text_keys(value) for key, value in node.items()}
    if isinstance(node, list):
        return [text_keys(value) for value in node]
    return node


def resolve_reference(schema: dict, root: dict) -> dict:
    reference = schema.get("$ref")
    if reference is None:
        return schema
    target = root["$defs"][reference.rsplit("/", 1)[1]]
    return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}


def fill_defaults(data: dict, schema: dict, root: dict) -> dict:
    """`data` with the defaults of `schema` for all keys that it lacks."""
    for key, part in schema.get("properties", {}).items():
        part = resolve_reference(part, root)
        if key not in data and "default" in part:
            data[key] = copy.deepcopy(part["default"])
        if isinstance(data.get(key), dict) and "properties" in part:
            fill_defaults(data[key], part, root)
    return data


def part_of_schema(key: str) -> dict:
    """Of "run.blocks"; empty where the schema has no such key."""
    part = root = load_schema()
    for name in key.split("."):
        part = resolve_reference(part.get("properties", {}).get(name, {}), root)
    return part


def default_of(key: str) -> object:
    """None where the schema has none."""
    return canonical(part_of_schema(key).get("default"))


def counts(key: str, value: object) -> bool:
    """Keys that omit their default count only if they differ from it, so that studies without them stay what they are."""
    return not part_of_schema(key).get("omits_default") or canonical(value) != default_of(key)


def canonical(node):
    """Returns the same values in one order and with one type for whole numbers, so that Snakemake sees only real changes."""
    if isinstance(node, dict):
        return {key: canonical(node[key]) for key in sorted(node)}
    if isinstance(node, list):
        return [canonical(value) for value in node]
    return int(node) if isinstance(node, float) and node.is_integer() else node


def digest(*values: object) -> str:
    """A short text that differs where the values differ."""
    return hashlib.sha256("\n".join(map(str, values)).encode()).hexdigest()[:16]


def fault_in(error: jsonschema.ValidationError) -> str:
    """Returns in a sentence what is wrong, and where."""
    if error.context:  # of the alternatives, the one that came furthest
        error = max(error.context, key=lambda e: len(e.absolute_path))
    where = ".".join(str(part) for part in error.absolute_path)
    said = error.message
    said = said if len(said) <= LONGEST_MESSAGE else f"{said[:LONGEST_MESSAGE]} ..."
    return f"{where}: {said}" if where else said


def by_lattices(data: dict) -> str:
    """The key and value for which programs sweep lattices one by one, not words of realizations: vectors and real couplings; empty for others."""
    model = data.get("model", {})
    given = (("kind", "heisenberg"), ("couplings", "gaussian"))
    return next((f"model.{key} = {value}" for key, value in given if model.get(key) == value), "")


def has_demons(data: dict) -> bool:
    """Whether demons update the spins."""
    return data.get("dynamics", {}).get("update") == "demon"


def has_clusters(data: dict) -> bool:
    """Whether clusters of spins are updated."""
    return data.get("dynamics", {}).get("update") in ("swendsen-wang", "wolff")


def needs_whole_lattices(data: dict) -> bool:
    """Whether the update has share 1 and no slabs."""
    return has_demons(data) or has_clusters(data)


def sums_clusters(study: Study) -> bool:
    """Whether measurements sum the clusters of Swendsen-Wang sweeps. Relaxations do not."""
    return study.kind == EQUILIBRIUM and study.data["dynamics"]["update"] == "swendsen-wang"


def validate(data: object, source: str = "study") -> dict:
    """Checks `data` against the schema and returns it with all defaults; StudyError lists every fault."""
    if not isinstance(data, dict):
        raise StudyError(f"{source}: the file has no keys and values; write them as in configs/reference.yaml")
    data = text_keys(data)
    schema = load_schema()
    errors = sorted(Validator(schema).iter_errors(data), key=lambda e: list(map(str, e.absolute_path)))
    if errors:
        raise StudyError(f"{source}:\n" + "\n".join(f"  {fault_in(error)}" for error in errors))
    data = copy.deepcopy(data)
    if data.get("multispin", {}).get("lanes", "realizations") != "realizations" or by_lattices(data) or needs_whole_lattices(data):
        data.setdefault("multispin", {}).setdefault("share", 1)
    return fill_defaults(data, schema, schema)


def add_kinds(parser: argparse.ArgumentParser) -> None:
    """Adds the options that choose between a study in equilibrium and a relaxation."""
    group = parser.add_mutually_exclusive_group()
    for kind, option in OPTIONS.items():
        about = f"take the section {SECTIONS[kind]} of a study file that has run and relax"
        group.add_argument(option, dest="kind", action="store_const", const=kind, default="auto", help=about)


class Study:
    """A validated study file."""

    def __init__(self, data: dict, path: Path | None = None, text: str = "", sections: frozenset[str] = frozenset()):
        self.path = path
        self.text = text  # of the file
        self.data = data
        self.sections = sections  # those that the file itself has
        self.kind = RELAXATION if "relax" in sections and "run" not in sections else EQUILIBRIUM
        sizes = data["lattice"]["L"]
        self.sizes = sorted(sizes) if isinstance(sizes, list) else [sizes]

    @classmethod
    def read(cls, path: str | Path) -> "Study":
        path = Path(path)
        if not path.is_file():
            raise StudyError(f"study file {path} does not exist; give the path of a study file, such as configs/quickstart.yaml")
        try:
            text = path.read_text(encoding="utf-8")
            data = load_yaml(text)
        except OSError as error:
            raise StudyError(f"{path}: {error.strerror}") from None
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            raise StudyError(f"{path}: this is not valid YAML: {error}") from None
        return cls(validate(data, str(path)), path, text, frozenset(map(str, data)))

    @property
    def has_both(self) -> bool:
        """Whether the file describes a study in equilibrium and a relaxation."""
        return self.sections.issuperset(SECTIONS.values())

    def choose(self, wanted: str = "auto") -> str:
        """Sets and returns the kind of study: the wanted kind, or the kind that belongs to the section in the file. StudyError if the file does not determine the kind."""
        here = [kind for kind, section in SECTIONS.items() if section in self.sections]
        if wanted == "auto" and self.has_both:
            raise StudyError(
                f"{self.path}: keys run and relax: the file describes a study in equilibrium and a relaxation; add {OPTIONS[EQUILIBRIUM]} for the former or {OPTIONS[RELAXATION]} for the latter "
                f"(snakemake: --config kind={EQUILIBRIUM} or kind={RELAXATION}), or remove one section"
            )
        if wanted != "auto" and wanted not in here and (here or wanted == RELAXATION):
            raise StudyError(f"{self.path}: {OPTIONS[wanted]} needs a section {SECTIONS[wanted]}, which the file lacks; add the section, or leave {OPTIONS[wanted]} out")
        self.kind = self.kind if wanted == "auto" else wanted
        return self.kind

    def sites(self, L: int) -> int:
        return L ** int(self.data["model"]["dimension"])

    def per_size(self, value, L: int):
        """Returns `value`. If `value` is a map {L: value, default: value}, returns its entry for L, or else its default."""
        if isinstance(value, dict) and value and all(re.fullmatch(r"\d+|default", key) for key in value):
            if str(L) not in value and "default" not in value:
                raise StudyError(f"{self.path}: L = {L} is in lattice.L, but a map by L does not have it ({', '.join(value)}); add it, or default")
            return value.get(str(L), value.get("default"))
        return value

    def temperatures(self, L: int) -> list[float]:
        """The temperatures of a size, ascending; from {min, max, count, spacing} with the formula of libcore/config/ladder.cpp."""
        given = dict(self.per_size(self.data["temperatures"], L))
        if "list" in given:
            return sorted(float(T) for T in given["list"])
        root = load_schema()
        given = fill_defaults(given, root["$defs"]["temperatures"], root)
        low, high, count = float(given["min"]), float(given["max"]), given["count"]
        between = {
            "linear": lambda x: low + (high - low) * x,
            "geometric": lambda x: low * (high / low) ** x,
            "inverse": lambda x: 1 / (1 / low + (1 / high - 1 / low) * x),
        }[given["spacing"]]
        return [low, *(float(f"{between(i / (count - 1)):.9e}") for i in range(1, count - 1)), high]

    def parameters(self, L: int) -> dict[str, dict[str, object]]:
        """What the files of a size depend on: stage -> key of the study file -> value. A file also depends on the stages before its
        own; run.sweeps is in its name, and run.discard is for averages. A key that is new in one of these sections counts without being named here."""
        data = self.data
        given = {f"{section}.{key}": value for section in ("model", "multispin", "dynamics", "thermalize", "run") for key, value in data[section].items()}
        given = {key: value for key, value in given.items() if counts(key, value)}
        of_model = {key: value for key, value in given.items() if key.startswith("model.")}
        not_of_couplings = {key: of_model.pop(key) for key in NOT_OF_COUPLINGS}
        also = {key: given[key] for key in ALSO_OF_COUPLINGS if key in given and canonical(given[key]) != default_of(key)}
        physics = (key for key in given if key.startswith(("multispin.", "dynamics.", "thermalize.")))
        source = data["disorder"].get("source", "drawn")
        return canonical(
            {
                "disorder": {"seed": data["seed"], **of_model, **also, **({} if source == "drawn" else {"disorder.source": source})},
                "thermalize": {
                    **not_of_couplings,
                    "temperatures": self.temperatures(L),
                    "replicas": data["replicas"],
                    **{key: self.per_size(given[key], L) for key in physics},
                },
                "run": {key: value for key, value in given.items() if key.startswith("run.") and key not in ("run.sweeps", "run.discard")},
            }
        )

    def relaxation_parameters(self, L: int) -> dict[str, object]:
        """Returns what relaxation files of a size depend on, apart from the couplings. A later relax.last continues the existing files."""
        stage = {key: value for key, value in self.parameters(L)["thermalize"].items() if key != "thermalize.sweeps"}
        return canonical(stage | {f"relax.{key}": value for key, value in self.data["relax"].items() if key != "last"})

    def test_parameters(self) -> dict:
        """What verdict and averages in an observables file depend on."""
        tested = {key: value for key, value in self.data["equilibration"].items() if key not in ("max_doublings", "unequilibrated")}
        return canonical({**tested, "run.discard": self.data["run"]["discard"]})
