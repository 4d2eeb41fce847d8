#include "sweep/sites/large_lattice.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "base/error.hpp"
#include "random/purposes.hpp"
#include "sweep/sites/large_lattice_memory.hpp"

namespace psflip {
namespace {

void check_tiles(const LargeLatticeSetup& setup, const SiteLanes& lanes) {
    const int tile = setup.tile;
    if (setup.hits < 1)
        throw InputError(fmt::format("{} hits of a tile; at least 1 is possible", setup.hits));
    if (tile == 0 && setup.hits == 1) return;
    if (tile == 0)
        throw InputError(fmt::format("{} hits are for tiles; the plain checkerboard has 1", setup.hits));
    std::string possible;
    bool found = false;
    for (int T = 2; T <= (lanes.dimension == 3 ? 8 : 64); T *= 2) {
        bool fits = true;
        for (int d = 0; d < lanes.dimension; ++d) fits = fits && lanes.extent[d] % T == 0;
        found = found || (fits && T == tile);
        if (fits) possible += (possible.empty() ? "" : ", ") + std::to_string(T);
    }
    if (!found)
        throw InputError(
            fmt::format("tiles of edge {} do not fit into boxes of {}: every box has whole tiles along each "
                        "axis; {}",
                        tile, fmt::join(lanes.extent.begin(), lanes.extent.begin() + lanes.dimension, " x "),
                        possible.empty() ? "no tiles do" : "possible are " + possible));
}

}  // namespace

void check_large_lattice(const LargeLatticeSetup& setup) {
    check_model(setup.model);
    if (setup.model.has_absent_bonds())
        throw InputError("absent bonds and open boundaries are not for lanes that are sites of one lattice");
    if (!(setup.beta >= 0) || !std::isfinite(setup.beta))
        throw InputError(fmt::format("beta = {}; it is a number of at least 0", setup.beta));
    if (setup.realization >= max_packs || setup.replica >= max_replicas || setup.slot >= max_temperatures)
        throw InputError(fmt::format("realization {}, replica {}, slot {}; they are below {}, {}, {}",
                                     setup.realization, setup.replica, setup.slot, max_packs, max_replicas,
                                     max_temperatures));
    check_tiles(setup, SiteLanes(setup.model.dimension, setup.L));
}

std::unique_ptr<LargeLattice> make_large_lattice(const BackendChoice& choice,
                                                 const LargeLatticeSetup& setup) {
    check_large_lattice(setup);
    if (choose_backend(choice) == Backend::cpu) return make_large_lattice_cpu(setup, choice.threads);
#if PSFLIP_HAVE_CUDA
    return make_large_lattice_cuda(setup, choice.device, choice.kernel);
#else
    return nullptr;  // choose_backend gives the CPU
#endif
}

}  // namespace psflip
