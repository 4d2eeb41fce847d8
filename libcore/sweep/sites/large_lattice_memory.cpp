#include "sweep/sites/large_lattice_memory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"

namespace psflip {

LatticeStart::LatticeStart(const LargeLatticeSetup& setup)
    : lanes(setup.model.dimension, setup.L),
      key(setup.model.random_key(setup.seed, setup.L)),
      ferro(static_cast<std::uint64_t>(std::llround(
          std::ldexp(setup.model.kind == ModelKind::ferromagnet ? 1.0 : setup.model.p_ferro, 32)))),
      realization(setup.realization),
      replica(setup.replica),
      slot(setup.slot),
      up(setup.start_up) {}

std::vector<std::uint64_t> words_of_spins(const SiteLanes& lanes, const std::vector<std::int8_t>& spins) {
    if (static_cast<std::int64_t>(spins.size()) != lanes.sites())
        throw InputError(fmt::format("{} spins, where the lattice has {}", spins.size(), lanes.sites()));
    std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * lanes.positions()));
    for (std::int64_t site = 0; site < lanes.sites(); ++site) {
        const SiteLanes::Place at = lanes.place(site);
        if (spins[static_cast<std::size_t>(site)] > 0)
            words[static_cast<std::size_t>(2 * at.word + at.lane / 64)] |= std::uint64_t{1} << at.lane % 64;
    }
    return words;
}

std::vector<std::int8_t> spins_of_words(const SiteLanes& lanes, const std::uint64_t* words) {
    if (lanes.sites() > std::int64_t{1} << 31)
        throw InputError(
            fmt::format("the {} spins of L = {} do not fit into one array", lanes.sites(), lanes.L));
    std::vector<std::int8_t> spins(static_cast<std::size_t>(lanes.sites()));
    for (std::int64_t site = 0; site < lanes.sites(); ++site) {
        const SiteLanes::Place at = lanes.place(site);
        const bool up = words[2 * at.word + at.lane / 64] >> at.lane % 64 & 1;
        spins[static_cast<std::size_t>(site)] = up ? 1 : -1;
    }
    return spins;
}

LatticeSums lattice_sums(const SiteLanes& lanes, std::int64_t unsatisfied, std::int64_t up) {
    return {2 * unsatisfied - lanes.dimension * lanes.sites(), 2 * up - lanes.sites()};
}

}  // namespace psflip
