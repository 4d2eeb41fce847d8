#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "random/philox.hpp"
#include "sweep/sites/large_lattice.hpp"

namespace psflip {

/// Makes start spins and couplings of a lattice, word by word, for host and device.
struct LatticeStart {
    SiteLanes lanes;
    std::uint64_t key = 0, ferro = 0;  ///< ferro: 32-bit random numbers below it give J = +1
    std::uint32_t realization = 0, replica = 0, slot = 0;
    bool up = false;

    explicit LatticeStart(const LargeLatticeSetup& setup)
        : lanes(setup.model.dimension, setup.L),
          key(setup.model.random_key(setup.seed, setup.L)),
          ferro(static_cast<std::uint64_t>(std::llround(
              std::ldexp(setup.model.kind == ModelKind::ferromagnet ? 1.0 : setup.model.p_ferro, 32)))),
          realization(setup.realization),
          replica(setup.replica),
          slot(setup.slot),
          up(setup.start_up) {}

    /// Sets `at` to the coordinates x, y, z of a word in each subdomain.
    PSFLIP_HD void coordinates(std::int64_t word, std::int64_t (&at)[3]) const {
        const std::int64_t length = lanes.row_words(), in_colour = word % lanes.colour_indices();
        at[1] = in_colour / length % lanes.extent[1];
        at[2] = in_colour / length / lanes.extent[1];
        const std::int64_t colour = word / lanes.colour_indices();
        at[0] = 2 * (in_colour % length) + (colour + at[1] + at[2]) % 2;
    }
    /// Returns the site of a lane that has the coordinates x, y, z in its subdomain.
    PSFLIP_HD std::uint32_t site(int lane, const std::int64_t (&at)[3]) const {
        const std::int64_t bx = lane % lanes.subdomains[0], rest = lane / lanes.subdomains[0],
                           by = rest % lanes.subdomains[1], bz = rest / lanes.subdomains[1];
        return static_cast<std::uint32_t>(
            at[0] + bx * lanes.extent[0] +
            lanes.L * (at[1] + by * lanes.extent[1] + lanes.L * (at[2] + bz * lanes.extent[2])));
    }
    /// Returns the spins of 32 lanes, from lane `first` on.
    PSFLIP_HD std::uint32_t spins(std::int64_t word, int first) const {
        std::int64_t at[3];
        coordinates(word, at);
        std::uint32_t bits = 0;
        for (int b = 0; b < 32; ++b) {
            const Counter counter = make_counter(Purpose::initial_spins, site(first + b, at), 0, slot,
                                                 replica, 0, realization / 128);
            const std::uint32_t number = philox(counter, key).word[realization / 32 % 4];
            bits |= (number >> realization % 32 & 1u) << b;
        }
        return up ? ~0u : bits;
    }
    /// Sets bits[direction] to the couplings of 32 lanes, from lane `first` on. A set bit means J = -1.
    PSFLIP_HD void couplings(std::int64_t word, int first, std::uint32_t (&bits)[3]) const {
        std::int64_t at[3];
        coordinates(word, at);
        bits[0] = bits[1] = bits[2] = 0;
        for (int b = 0; b < 32; ++b) {
            const RandomBlock bonds =
                philox(make_counter(Purpose::couplings, site(first + b, at), 0, 0, 0, 0, realization), key);
            PSFLIP_UNROLL
            for (int d = 0; d < 3; ++d) bits[d] |= static_cast<std::uint32_t>(bonds.word[d] >= ferro) << b;
        }
    }
};

/// Returns the sums of a lattice with these numbers of unsatisfied bonds and of spins +1.
inline LatticeSums lattice_sums(const SiteLanes& lanes, std::int64_t unsatisfied, std::int64_t up) {
    return {2 * unsatisfied - lanes.dimension * lanes.sites(), 2 * up - lanes.sites()};
}

/// Make the lattices of the backends. Use make_large_lattice instead.
std::vector<std::unique_ptr<LargeLattice>> make_large_lattices_cpu(
    const std::vector<LargeLatticeSetup>& setups, int threads, Ranks& ranks);
std::vector<std::unique_ptr<LargeLattice>> make_large_lattices_cuda(
    const std::vector<LargeLatticeSetup>& setups, const BackendChoice& choice, Ranks& ranks);

}  // namespace psflip
