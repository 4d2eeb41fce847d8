#include "common/several_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/device.hpp"
#include "base/thread_pool.hpp"
#include "base/version.hpp"
#include "slab/agreement.hpp"

namespace psflip::tools {

std::string refusal(const ProgramInfo& info, const Launch& launch) {
    if (launch.ranks == 1) return {};
    if (!info.several_ranks)
        return fmt::format(
            "{} works as one rank, but {} were started together; thermalize, pt-run and relax share their "
            "lattices among ranks: start {} without mpirun (under srun with --mpi=none)",
            info.name, launch.ranks, info.name);
    if (!built_with_mpi())
        return fmt::format(
            "{} ranks were started together, but this psflip was built without MPI, so that each would do "
            "all of the work; start {} without mpirun (under srun with --mpi=none), or build it where MPI is "
            "installed (envs/install)",
            launch.ranks, info.name);
    return {};
}

void check_same_call(Ranks& ranks, const ProgramContext& context) {
    check_same_on_ranks(ranks, {{"program", context.name},
                                {"version", fmt::format("{} ({})", version(), git_commit())},
                                {"physics version", std::to_string(physics_version)},
                                {"command line", context.provenance.command_line},
                                {"hash of the configuration", context.provenance.config_hash}});
}

void share_machine(Ranks& ranks, BackendChoice& backend, bool device_chosen) {
    if (ranks.alone()) return;
    const RanksHere here = ranks_here(ranks);
    if (const int devices = cuda_devices(); devices > 0 && !device_chosen)
        backend.device = here.below % devices;
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (backend.threads == 0 && here.count * available_threads() > cores)
        backend.threads = std::max(1, cores / here.count);
}

}  // namespace psflip::tools
