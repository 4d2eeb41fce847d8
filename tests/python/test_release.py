"""All files that name the version agree, and the recipes need what the wheel needs."""

import json
import re
import tomllib

import pytest
import yaml
from conftest import ROOT

VERSION = re.search(r"project\(psflip VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


@pytest.mark.parametrize("file, pattern", [
    ("CITATION.cff", r"^version: (\S+)$"), ("codemeta.json", r'^  "version": "(\S+)",$'), ("CHANGELOG.md", r"^## \[(\d\S*)\]"), ("packaging/psflip.def", r"^    version (\S+)$"),
    ("packaging/conda/recipe.yaml", r"^  version: (\S+)$"), ("packaging/spack/package.py", r'^    version\("(\S+)", sha256='),
])  # fmt: skip
def test_files_name_one_version(file, pattern):
    assert re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)[1] == VERSION


def test_metadata_name_one_licence_and_title():
    citation, meta = yaml.safe_load((ROOT / "CITATION.cff").read_text()), json.loads((ROOT / "codemeta.json").read_text())
    assert citation["title"] == meta["name"] == "psflip" and meta["license"].endswith(f"/{citation['license']}")
    assert [author["name"] for author in citation["authors"]] == [author["name"] for author in meta["author"]]


def words(text):
    """The name of a package without its channel's prefix, suffix and versions."""
    return re.sub(r"^(py|python)-|-(base|minimal)$", "", re.split(r"[ <>=@]", text.lower())[0])


def test_recipes_need_what_the_wheel_needs():
    needed = {words(name) for name in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]}
    conda = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())["requirements"]
    spack = re.findall(r'^        depends_on\("([^"]+)"', (ROOT / "packaging/spack/package.py").read_text(), re.MULTILINE)
    assert {words(name) for name in conda["run"] + conda["run_constraints"] if isinstance(name, str)} - {"python"} == {words(name) for name in spack} == needed


def test_conda_recipe_renders_for_each_variant():
    rattler = pytest.importorskip("rattler_build", reason="pip install py-rattler-build")
    folder = ROOT / "packaging/conda"
    compilers = {"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "cuda_compiler": ["cuda-nvcc"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
    variants = {**yaml.safe_load((folder / "variants.yaml").read_text()), **compilers, "python": ["3.11.* *_cpython", "3.12.* *_cpython"]}
    linux = rattler.RenderConfig(platform=rattler.PlatformConfig(target_platform="linux-64"))
    recipes = [row.recipe for row in rattler.Stage0Recipe.from_file(folder / "recipe.yaml").render(rattler.VariantConfig(variants), linux)]
    found = set()
    for recipe in recipes:
        mpi, cuda, python = re.fullmatch("(?:nompi|mpi_(.*?))_cuda(none|[0-9]+)_py([0-9]+)_h[0-9a-f]+_0", recipe.build.string).groups()
        build, host, run = ({re.split("[ _]", str(need))[0] for need in needs} for needs in (recipe.requirements.build, recipe.requirements.host, recipe.requirements.run))
        assert ("cuda-nvcc" in build) == ("cuda-cudart-dev" in host) == (cuda != "none")
        assert host & run & {"openmpi", "mpich"} == ({mpi} if mpi else set())
        found.add((mpi, cuda, python))
    assert len(found) == len(recipes) == len(variants["mpi"]) * len(variants["cuda_compiler_version"]) * len(variants["python"])
