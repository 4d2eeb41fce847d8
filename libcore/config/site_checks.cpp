#include <fmt/format.h>

#include <algorithm>

#include "config/checks.hpp"
#include "config/limits.hpp"
#include "config/value.hpp"

namespace psflip {
namespace {

void check_boxes(const Config& config, const Node& root, const std::string& why) {
    const int step = limits::site_lanes_multiple(config.model.dimension);
    for (const int L : config.sizes)
        if (L % step != 0)
            refuse_key(
                root, "lattice.L",
                fmt::format("has {}, which does not go with {}: {} dimensions need multiples of {}, so that "
                            "128 subdomains with even edges make a lattice; use {}",
                            L, why, config.model.dimension == 3 ? "three" : "two", step,
                            multiples_around(L, step)));
    for (const int L : config.sizes) {
        const auto found = config.temperatures.find(L);
        if (config.model.dimension == 2 && L > limits::max_exchanging_square_L &&
            found != config.temperatures.end() && found->second.size() > 1)
            refuse_key(
                root, "lattice.L",
                fmt::format("has {} with {} temperatures, but sizes above {} have one temperature, without "
                            "exchange; give one in temperatures.list, or set lattice.L to {} or less",
                            L, found->second.size(), limits::max_exchanging_square_L,
                            limits::max_exchanging_square_L));
    }
    if (config.model.has_absent_bonds()) {
        const char* const key = config.model.p_absent != 0.0 ? "model.p_absent" : "model.boundary";
        refuse_key(root, key,
                   fmt::format("does not go with {}, which needs every bond; use {}", why,
                               config.model.p_absent != 0.0 ? "0" : "periodic"));
    }
}

/// Returns the edges of tiles that fit into a lattice, or into its subdomains with Lanes::sites.
std::vector<int> possible_tiles(Lanes lanes, int dimension, int L) {
    std::vector<int> tiles;
    for (int T = lanes == Lanes::sites ? 2 : limits::min_vector_tile; T <= limits::max_tile(dimension);
         T *= 2) {
        bool fits = L % (2 * T) == 0;
        for (int axis = 0; axis < dimension && lanes == Lanes::sites; ++axis)
            fits = fits && L / limits::boxes_along(dimension, axis) % T == 0;
        if (fits) tiles.push_back(T);
    }
    return tiles;
}

void check_tiles(const Config& config, const Node& root) {
    const Node& tile = *find_path(root, "dynamics.tile");
    const int dimension = config.model.dimension;
    for (const int L : config.sizes) {
        const std::vector<int> possible = possible_tiles(config.multispin.lanes, dimension, L);
        if (std::ranges::count(possible, config.dynamics.tile) > 0) continue;
        const std::string
            edges = dimension == 3 ? fmt::format("{} and {}", L / 4, L / 8)
                                   : fmt::format("{} and {}", L / 8, L / 16),
            into = config.multispin.lanes == Lanes::sites
                       ? fmt::format("the subdomains of L = {}, whose edges are {}", L, edges)
                       : fmt::format(
                             "L = {}, which needs an even number of tiles of edge {} or more along each axis",
                             L, limits::min_vector_tile);
        refuse(tile, "dynamics.tile",
               fmt::format("does not fit into {}; use {}0 for the plain checkerboard", into,
                           possible.empty() ? "" : fmt::format("{}, or ", fmt::join(possible, ", "))));
    }
}

/// Checks what tiles of vector spins and of Gaussian couplings do not have.
void check_vector_tiles(const Config& config, const Node& root) {
    if (config.model.boundary != Boundary::periodic)
        refuse_key(root, "model.boundary",
                   "does not go with tiles; use periodic, or leave out dynamics.tile");
    if (const int hits = config.dynamics.hits; config.dynamics.update == Update::cone && 16 % hits != 0)
        refuse_key(root, "dynamics.hits",
                   "does not go with dynamics.update = cone, whose cones are tuned every 16 sweeps; use 1, "
                   "2, 4, 8 or 16, or another update");
    if (config.dynamics.over_relaxation > 0 && config.dynamics.tile_order != TileOrder::fixed)
        refuse_key(root, "dynamics.tile_order",
                   "does not go with dynamics.over_relaxation, whose sweeps always come second; use fixed, "
                   "or over_relaxation: 0");
}

/// Checks that exchanges, measurements and ends of runs fall between steps, each of which has all hits.
void check_hits(const Config& config, const Node& root) {
    const std::int64_t hits = config.dynamics.hits;
    const auto whole = [&](const std::string& key, std::int64_t sweeps) {
        if (sweeps % hits == 0) return;
        refuse_key(root, key,
                   fmt::format("has {}, which is not a multiple of dynamics.hits = {}; use {}", sweeps, hits,
                               multiples_around(sweeps, hits)));
    };
    whole("dynamics.sweeps_per_swap", config.dynamics.sweeps_per_swap);
    whole("dynamics.houdayer_every", config.dynamics.houdayer_every);
    for (const auto& [L, sweeps] : config.thermalize_sweeps) whole("thermalize.sweeps", sweeps);
    for (const auto& [L, sweeps] : config.run_sweeps) whole("run.sweeps", sweeps);
}

}  // namespace

void check_site_lanes(const Config& config, const Node& root) {
    const Node& lanes = *find_path(root, "multispin.lanes");
    const bool has_vectors = config.model.has_vectors() || config.model.gaussian();
    if (config.multispin.lanes == Lanes::sites)
        check_boxes(config, root, fmt::format("multispin.lanes = sites ({})", lanes.place));
    else if (config.dynamics.tile != 0 && !has_vectors)
        refuse_key(
            root, "dynamics.tile",
            fmt::format("does not go with multispin.lanes = {} ({}); use lanes: sites, or 0 for the plain "
                        "checkerboard",
                        name(config.multispin.lanes), lanes.place));
    if (config.dynamics.tile == 0 && config.dynamics.hits != 1)
        refuse_key(root, "dynamics.hits", "goes with tiles only; give dynamics.tile, or use 1");
    if (config.dynamics.tile == 0 && config.dynamics.tile_order != TileOrder::fixed)
        refuse_key(root, "dynamics.tile_order", "goes with tiles only; give dynamics.tile, or use fixed");
    if (config.dynamics.tile == 0) return;
    if (has_vectors) check_vector_tiles(config, root);
    check_tiles(config, root);
    check_hits(config, root);
}

}  // namespace psflip
