"""The study file as the workflow sees it: schema check, defaults, batches, and the parameters that each rule depends on."""

from __future__ import annotations

import copy
import functools
import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import yaml

SCHEMA = Path(__file__).resolve().parents[2] / "schemas" / "config.schema.yaml"


class StudyError(Exception):
    """The study file or an option of the workflow is wrong; the message says what would be right."""


class _Loader(yaml.SafeLoader):
    """YAML with 1e12 read as a number, as the programs do."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"),
    list("-+0123456789."),
)


@functools.cache
def load_schema() -> dict:
    return yaml.safe_load(SCHEMA.read_text())


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


def canonical(node):
    """The same values in one order and with one type for whole numbers, so that Snakemake sees a change only where there is one."""
    if isinstance(node, dict):
        return {key: canonical(node[key]) for key in sorted(node)}
    if isinstance(node, list):
        return [canonical(value) for value in node]
    return int(node) if isinstance(node, float) and node.is_integer() else node


def digest(*values: object) -> str:
    """A short text that differs where the values differ."""
    return hashlib.sha256("\n".join(map(str, values)).encode()).hexdigest()[:16]


def _message(error: jsonschema.ValidationError) -> str:
    if error.context:  # of the alternatives, the one that came furthest
        error = max(error.context, key=lambda e: len(e.absolute_path))
    where = ".".join(str(part) for part in error.absolute_path)
    return f"{where}: {error.message}" if where else error.message


def validate(data: object, source: str = "study") -> dict:
    """Checks `data` against the schema and returns it with all defaults; StudyError lists every fault."""
    if not isinstance(data, dict):
        raise StudyError(f"{source}: expected keys and values, as in configs/reference.yaml")
    data = text_keys(data)
    schema = load_schema()
    errors = sorted(jsonschema.Draft202012Validator(schema).iter_errors(data), key=lambda e: list(map(str, e.absolute_path)))
    if errors:
        raise StudyError(f"{source}:\n" + "\n".join(f"  {_message(error)}" for error in errors))
    return fill_defaults(copy.deepcopy(data), schema, schema)


class Study:
    """A validated study file."""

    def __init__(self, data: dict, path: Path | None = None, text: str = ""):
        self.path = path
        self.text = text  # of the file
        self.data = data
        sizes = data["lattice"]["L"]
        self.sizes = sorted(sizes) if isinstance(sizes, list) else [sizes]

    @classmethod
    def read(cls, path: str | Path) -> "Study":
        path = Path(path)
        if not path.is_file():
            raise StudyError(f"study file {path} not found; give the path of one, as configs/quickstart.yaml is")
        text = path.read_text()
        try:
            data = yaml.load(text, Loader=_Loader)
        except yaml.YAMLError as error:
            raise StudyError(f"{path}: not valid YAML: {error}") from error
        return cls(validate(data, str(path)), path, text)

    def per_size(self, value, L: int):
        """`value`, or its entry for L where it is given as a map {L: value}."""
        if isinstance(value, dict) and value and all(re.fullmatch(r"\d+", key) for key in value):
            if str(L) not in value:
                raise StudyError(f"{self.path}: L = {L} is in lattice.L but missing in a map by L ({', '.join(value)})")
            return value[str(L)]
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
        own; run.sweeps is in its name."""
        data = self.data
        return canonical(
            {
                "disorder": {"seed": data["seed"], **{f"model.{key}": data["model"][key] for key in ("kind", "dimension", "p_ferro")}},
                "thermalize": {
                    "model.field": data["model"]["field"],
                    "temperatures": self.temperatures(L),
                    "replicas": data["replicas"],
                    "multispin.share": data["multispin"]["share"],
                    "dynamics.sweeps_per_swap": data["dynamics"]["sweeps_per_swap"],
                    "thermalize.sweeps": self.per_size(data["thermalize"]["sweeps"], L),
                },
                "run": {f"run.{key}": value for key, value in data["run"].items() if key != "sweeps"},
            }
        )

    def test_parameters(self) -> dict:
        """What the verdict in an observables file depends on."""
        return canonical({key: value for key, value in self.data["equilibration"].items() if key not in ("max_doublings", "unequilibrated")})


@dataclass(frozen=True)
class Programs:
    """The psflip programs in a folder, and what they say of themselves."""

    folder: Path
    physics_version: int
    cuda: bool

    @classmethod
    def find(cls, folder: str | Path) -> "Programs":
        folder = Path(folder).resolve()
        program = folder / "gen-disorder"
        if not program.is_file():
            raise StudyError(f"no psflip programs in {folder}; build them (envs/quickstart does) or name their folder (snakemake: --config bin=FOLDER; plan, partial: --bin FOLDER)")
        text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(r"physics version: (\d+)", text)
        if not found:
            raise StudyError(f"{program} --version does not tell a physics version: {text.strip()!r}")
        return cls(folder, int(found[1]), bool(re.search(r"backends:.*\bcuda\b", text)))

    def check(self, study: Path) -> None:
        """Lets the programs check the study file, before the schema does: their messages name the line and what would be right."""
        if not study.is_file():
            return  # for Study.read to tell
        done = subprocess.run([self.folder / "gen-disorder", "--config", study, "--validate"], capture_output=True, text=True)
        if done.returncode != 0:
            raise StudyError((done.stderr or done.stdout).strip())


def count_gpus() -> int:
    """NVIDIA GPUs of this machine."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return sum(line.startswith("GPU ") for line in done.stdout.splitlines()) if done.returncode == 0 else 0
