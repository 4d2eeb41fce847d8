#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/process.hpp"
#include "slab/mpi_ranks.hpp"

namespace psflip {
namespace {

/// Where a launcher puts the number of ranks and which this is.
struct LaunchNames {
    const char *ranks, *rank;
};

int number_of(const char* name, int low) {
    const std::string text = environment(name);
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size() && number >= low) return number;
    throw InputError(fmt::format("the environment variable {} is \"{}\", which is no number of {}", name,
                                 text, low == 0 ? "a rank" : "ranks"));
}

}  // namespace

Launch launch() {
    constexpr LaunchNames launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                         {"PMI_SIZE", "PMI_RANK"},
                                         {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}};
    for (const auto& [ranks, rank] : launchers) {
        if (environment(ranks).empty() || environment(rank).empty()) continue;
        const Launch found{number_of(ranks, 1), number_of(rank, 0)};
        if (found.rank < found.ranks) return found;
        throw InputError(fmt::format(
            "the environment says that this is rank {} ({}) of {} ({}); start it by mpirun or srun, "
            "or without these variables",
            found.rank, rank, found.ranks, ranks));
    }
    return {};
}

}  // namespace psflip
