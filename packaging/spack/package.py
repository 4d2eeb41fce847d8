# Package of Spack. docs/releasing.md says how to submit it.
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Psflip(PythonPackage, CudaPackage):
    """Monte Carlo simulation of disordered magnets, from the couplings to critical points."""

    pypi = "psflip/psflip-0.2.0.tar.gz"

    license("MIT")

    # The sum of the source archive on PyPI.
    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("mpi", default=True, description="Let several processes share one lattice")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hdf5@1.10:")
    depends_on("yaml-cpp@0.7:")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10: +shared")
    depends_on("cli11@2.1:", type="build")
    depends_on("xxhash", type="build")
    depends_on("boost@1.74:", type="build")
    depends_on("libdeflate@1.14:")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@3.1.0", type="build")
    with default_args(type=("build", "run")):
        depends_on("py-numpy")
        depends_on("py-scipy")
        depends_on("py-h5py@3.11:")
        depends_on("py-xxhash")
        depends_on("py-matplotlib")
        depends_on("py-pandas")
        depends_on("py-xarray")
        depends_on("py-jinja2")
        depends_on("py-jsonschema")
        depends_on("py-pyyaml")
        depends_on("snakemake@9.19:9")
        depends_on("py-snakemake-executor-plugin-slurm")
        depends_on("py-nanobind-backend@1")

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs, for example cuda_arch=90")
    conflicts("%gcc@:10", msg="psflip needs C++20 with floating-point std::from_chars")

    def config_settings(self, spec, prefix):
        settings = {
            "cmake.define.PSFLIP_CUDA": "REQUIRED" if spec.satisfies("+cuda") else "OFF",
            "cmake.define.PSFLIP_MPI": "ON" if spec.satisfies("+mpi") else "OFF",
        }
        if spec.satisfies("+cuda"):
            architectures = spec.variants["cuda_arch"].value
            settings["cmake.define.CMAKE_CUDA_ARCHITECTURES"] = ";".join(architectures)
        return settings
