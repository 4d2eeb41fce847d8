#pragma once

// Declares and reads the options of bench-rng.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/rng_quality.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "common/bench_program.hpp"
#include "lattice/site_order.hpp"

namespace psflip::tools {

/// Holds the values of all options of bench-rng.
struct BenchRngRequest {
    std::vector<std::string> generators{"all"}, series{"fill", "odd", "glass", "ferromagnet"},
        orders{"sequential", "double-checkerboard"}, site_orders{"standard"};
    std::vector<int> sizes{8, 16, 32}, words{0}, blocks{64, 0};
    std::uint64_t numbers = 1 << 24, seed = 12345;
    int square = 1024, dimension = 2, copies = 16, every = 8, relax = 0;
    bool quality = false, stream = false;
    std::uint64_t bytes = 0;
    double temperature = 1.0;
    QualitySweeps sweeps;
    std::string disorder;
    BenchOptions bench;
};

void declare(ProgramOptions& options, BenchRngRequest& request);

/// Return the requested generators of generator_list.hpp, and (chosen_of_curand) the requested generators of
/// cuRAND, which are timed on a GPU. named_of_curand leaves out the generators that `all` stands for. Errors:
/// InputError for names that are in neither list.
std::vector<std::string> chosen_generators(const BenchRngRequest& request);
std::vector<std::string> named_of_curand(const BenchRngRequest& request);
std::vector<std::string> chosen_of_curand(const BenchRngRequest& request);
/// Returns one setup of a ferromagnet for each requested order, still without a generator. Errors: InputError
/// for unknown orders.
std::vector<FerromagnetSetup> chosen_ferromagnets(const BenchRngRequest& request);
std::vector<SiteOrder> chosen_site_orders(const BenchRngRequest& request);

}  // namespace psflip::tools
