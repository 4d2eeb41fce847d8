"""Describes an archive of a study as an RO-Crate (https://w3id.org/ro/crate/1.1), the metadata that repositories of research data read.

The file ro-crate-metadata.json names the files, the programs that made them, their inputs, and the measured quantities. Authors and licence are left to the people of the study,
so the sums of the archive do not cover this file.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath

from psflip.results.check_study import CRATE

Entity = dict[str, object]
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
LICENSE: Entity = {"@id": "#licence", "@type": "CreativeWork", "name": "No licence is stated", "description": "The authors decide who may use this study and how."}
FORMATS = {
    ".csv": "text/csv", ".h5": "application/x-hdf5", ".html": "text/html", ".json": "application/json", ".md": "text/markdown", ".pdf": "application/pdf", ".png": "image/png",
    ".py": "text/x-python", ".svg": "image/svg+xml", ".yaml": "application/yaml",
}  # fmt: skip
INPUTS = ("study.yaml", "config.yaml")


def linked(names: list[str]) -> Entity | list[Entity]:
    """Returns links to entities: one link for one name, else a list."""
    links: list[Entity] = [{"@id": name} for name in names]
    return links[0] if len(links) == 1 else links


def file_entities(files: dict[str, bytes], descriptions: dict[str, str]) -> list[Entity]:
    """Returns an entity for each file. `descriptions`: by name of a file, or of a folder with "/" at the end."""
    found: list[Entity] = []
    for name in sorted(files):
        about = descriptions.get(name) or descriptions.get(f"{PurePosixPath(name).parts[0]}/", "")
        entity: Entity = {"@id": name, "@type": "File", "name": name, "encodingFormat": FORMATS.get(PurePosixPath(name).suffix, "text/plain"), "contentSize": str(len(files[name]))}
        found.append({**entity, "description": about} if about else entity)
    return found


def quantity_entities(columns: list[tuple[str, str, str]]) -> list[Entity]:
    """Returns an entity for each measured quantity, from (column, unit, meaning)."""
    return [{"@id": f"#{name}", "@type": "PropertyValue", "name": name, "description": meaning, **({"unitText": unit} if unit else {})} for name, unit, meaning in columns]


def program_entities(programs: list[dict[str, str]]) -> list[Entity]:
    """Returns an entity for each program, from the rows of `provenance.by_program`."""
    found: list[Entity] = [
        {"@id": f"#{row['program']}", "@type": "SoftwareApplication", "name": f"psflip {row['program']}", "softwareVersion": f"{row['version']}, commit {row['git_commit']}"}
        for row in programs
    ]
    return found


def metadata(name: str, summary: str, files: dict[str, bytes], descriptions: dict[str, str], columns: list[tuple[str, str, str]], programs: list[dict[str, str]]) -> bytes:
    """Returns the content of ro-crate-metadata.json.

    `summary`: what was simulated; `columns`: the measured quantities as (column, unit, meaning); `programs`: rows of `provenance.by_program`. The date of publication is the day on
    which the last program ended, so equal files give equal metadata."""
    parts, quantities, software = file_entities(files, descriptions), quantity_entities(columns), program_entities(programs)
    begin, end = min((row["from"] for row in programs if row["from"]), default=""), max((row["to"] for row in programs), default="")
    results = [str(part["@id"]) for part in parts if part["@id"] not in INPUTS]
    root: Entity = {
        "@id": "./", "@type": "Dataset", "name": f"psflip study {name}", "description": summary, "datePublished": end[:10] or "1980-01-01", "license": {"@id": LICENSE["@id"]},
        "hasPart": linked([str(part["@id"]) for part in parts]),
    }  # fmt: skip
    if quantities:
        root["variableMeasured"] = linked([str(quantity["@id"]) for quantity in quantities])
    graph: list[Entity] = [{"@id": CRATE, "@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": {"@id": SPECIFICATION}}, root, LICENSE, *parts, *quantities, *software]
    if software:
        root["mentions"] = {"@id": "#simulation"}
        action: Entity = {"@id": "#simulation", "@type": "CreateAction", "name": "Simulation and averages", "instrument": linked([str(program["@id"]) for program in software])}
        graph.append({**action, "object": linked(list(INPUTS)), "result": linked(results), "startTime": begin, "endTime": end})
    return (json.dumps({"@context": f"{SPECIFICATION}/context", "@graph": graph}, indent=1, ensure_ascii=False) + "\n").encode()
