#include "sweep/sites/large_lattice.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "random/purposes.hpp"
#include "sweep/sites/large_lattice_memory.hpp"

namespace psflip {
namespace {

/// Throws InputError unless several lattices are all lattices of some realizations.
void check_batch(const std::vector<LargeLatticeSetup>& setups) {
    const LargeLatticeSetup &first = setups.front(), &last = setups.back();
    const std::size_t all =
        std::size_t{last.realization - first.realization + 1} * (last.replica + 1) * (last.slot + 1);
    if (setups.size() > 1 && (first.replica > 0 || first.slot > 0 || all != setups.size()))
        throw InputError("a batch of large lattices needs every replica and every slot, counted from 0");
}

void check_tiles(const LargeLatticeSetup& setup, const SiteLanes& lanes) {
    const int tile = setup.tile;
    if (setup.hits < 1)
        throw InputError(fmt::format("{} hits of a tile are not possible; use at least 1", setup.hits));
    if (tile == 0 && setup.tile_order != TileOrder::fixed)
        throw InputError("an order of tiles needs tiles; use the order fixed with the plain checkerboard");
    if (tile == 0 && setup.hits == 1) return;
    if (tile == 0)
        throw InputError(
            fmt::format("{} hits need tiles; use 1 hit with the plain checkerboard", setup.hits));
    std::string possible;
    bool found = false;
    for (int T = 2; T <= limits::max_tile(lanes.dimension); T *= 2) {
        bool fits = true;
        for (int d = 0; d < lanes.dimension; ++d) fits = fits && lanes.extent[d] % T == 0;
        found = found || (fits && T == tile);
        if (fits) possible += (possible.empty() ? "" : ", ") + std::to_string(T);
    }
    if (!found)
        throw InputError(fmt::format(
            "tiles of edge {} do not fit into subdomains of {}, which need whole tiles along each axis; {}",
            tile, fmt::join(lanes.extent.begin(), lanes.extent.begin() + lanes.dimension, " x "),
            possible.empty() ? "use the plain checkerboard" : "use " + possible));
}

void check_demons(const LargeLatticeSetup& setup) {
    const Model& model = setup.model;
    if (model.update != Update::demon) return;
    if (model.demon_sites < 1 || model.demon_sites > limits::max_demon_sites)
        throw InputError(fmt::format("dynamics.demon_sites = {} is not possible; use 1 to {}",
                                     model.demon_sites, limits::max_demon_sites));
    if (model.field != 0.0)
        throw InputError("a field does not go with dynamics.update = demon; use metropolis or heat-bath");
    if (setup.tile > 0)
        throw InputError(
            fmt::format("dynamics.tile = {} does not go with dynamics.update = demon; use 0, the plain "
                        "checkerboard",
                        setup.tile));
}

void check_clusters(const LargeLatticeSetup& setup) {
    if (setup.model.has_clusters() && setup.tile > 0)
        throw InputError(
            fmt::format("dynamics.tile = {} does not go with dynamics.update = {}; use 0, no tiles",
                        setup.tile, name(setup.model.update)));
}

/// Words (word, half) from whether the site of a bit is 1.
template <class Bit>
std::vector<std::uint64_t> words_of_sites(const SiteLanes& lanes, const Bit& bit) {
    std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * lanes.local_indices()));
    for_each_place(lanes, 0, lanes.rows(), [&](std::int64_t word, int lane, std::int64_t site) {
        words[static_cast<std::size_t>(2 * word + lane / 64)] |= std::uint64_t{bit(site)} << lane % 64;
    });
    return words;
}

}  // namespace

void LargeLattice::set_temperature(std::uint32_t slot, double beta) {
    setup_.slot = slot;
    setup_.beta = beta;
    temperature_changed();
}

void LargeLattice::set_spins(const std::vector<std::int8_t>& spins) {
    if (static_cast<std::int64_t>(spins.size()) != lanes().sites())
        throw InputError(
            fmt::format("{} spins are given, but the lattice has {}", spins.size(), lanes().sites()));
    set_words(words_of_sites(lanes(), [&](std::int64_t site) { return spins[site] > 0; }));
}

std::vector<std::int8_t> LargeLattice::spins() const {
    if (lanes().sites() > std::int64_t{1} << 31)
        throw InputError(
            fmt::format("the {} spins of L = {} do not fit into one array", lanes().sites(), lanes().L));
    std::vector<std::int8_t> spins(static_cast<std::size_t>(lanes().sites()));
    const std::vector<std::uint64_t> from = words();
    for_each_place(lanes(), 0, lanes().rows(), [&](std::int64_t word, int lane, std::int64_t site) {
        spins[site] = from[2 * word + lane / 64] >> lane % 64 & 1 ? 1 : -1;
    });
    return spins;
}

void LargeLattice::set_couplings(const std::int8_t* couplings) {
    const std::int64_t sites = lanes().sites(), all = sites * setup_.model.dimension;
    if (std::count(couplings, couplings + all, 1) + std::count(couplings, couplings + all, -1) != all)
        throw InputError("couplings have values other than +1 and -1, which multispin.lanes = sites needs");
    if (setup_.model.kind == ModelKind::ferromagnet) {
        if (std::count(couplings, couplings + all, 1) != all)
            throw InputError("a coupling of the ferromagnet is not +1");
        return;
    }
    for (int d = 0; d < setup_.model.dimension; ++d)
        set_coupling_words(
            d, words_of_sites(lanes(), [&](std::int64_t site) { return couplings[d * sites + site] < 0; }));
}

void check_large_lattice(const LargeLatticeSetup& setup) {
    check_model(setup.model);
    if (setup.model.has_absent_bonds())
        throw InputError(
            "absent bonds and open boundaries do not go with multispin.lanes = sites; use lanes: "
            "realizations");
    if (!(setup.beta >= 0) || !std::isfinite(setup.beta))
        throw InputError(fmt::format("beta = {} is not a finite number of 0 or more", setup.beta));
    if (setup.realization >= max_packs || setup.replica >= max_replicas || setup.slot >= max_temperatures)
        throw InputError(fmt::format(
            "realization {}, replica {} and slot {} are not possible; use numbers below {}, {} and {}",
            setup.realization, setup.replica, setup.slot, max_packs, max_replicas, max_temperatures));
    check_demons(setup);
    check_clusters(setup);
    check_tiles(setup, SiteLanes(setup.model.dimension, setup.L));
}

void check_site_ranks(const SiteLanes& lanes, int tile, int ranks) {
    const int planes = lanes.extent[lanes.dimension - 1], edge = std::max(1, tile), most = planes / edge;
    if (ranks <= most) return;
    throw InputError(
        fmt::format("{} ranks are too many for L = {} with multispin.lanes = sites{}: the subdomains have {} "
                    "{}{}; use at most {} rank{}",
                    ranks, lanes.L, tile > 0 ? fmt::format(" and dynamics.tile = {}", tile) : "", planes,
                    lanes.dimension == 2 ? "rows" : "planes",
                    tile > 0 ? ", and a rank has whole tiles of them" : "", most, most == 1 ? "" : "s"));
}

void LargeLattice::advance_all(Lattices all, int steps) {
    for (const auto& lattice : all) lattice->advance(steps);
}

std::vector<LatticeSums> LargeLattice::sums_of_all(Lattices all) const {
    std::vector<LatticeSums> sums;
    for (const auto& lattice : all) sums.push_back(lattice->sums());
    return sums;
}

std::unique_ptr<LargeLattice> make_large_lattice(const BackendChoice& choice, const LargeLatticeSetup& setup,
                                                 Ranks& ranks) {
    return std::move(make_large_lattices(choice, {setup}, ranks).front());
}

std::vector<std::unique_ptr<LargeLattice>> make_large_lattices(const BackendChoice& choice,
                                                               const std::vector<LargeLatticeSetup>& setups,
                                                               Ranks& ranks) {
    check_batch(setups);
    if (const Model& model = setups.front().model;
        !ranks.alone() && (model.update == Update::demon || model.has_clusters()))
        throw InputError(
            fmt::format("large lattices with dynamics.update = {} need one rank", name(model.update)));
    for (const LargeLatticeSetup& setup : setups) {
        check_large_lattice(setup);
        check_site_ranks(SiteLanes(setup.model.dimension, setup.L), setup.tile, ranks.size());
    }
    if (choose_backend(choice) == Backend::cpu) return make_large_lattices_cpu(setups, choice.threads, ranks);
#if PSFLIP_HAVE_CUDA
    return make_large_lattices_cuda(setups, choice, ranks);
#else
    return {};  // choose_backend gives the CPU
#endif
}

}  // namespace psflip
