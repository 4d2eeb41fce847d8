// Defines the cluster updates of Ising ferromagnets: which bonds are active, and which spins change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "random/philox.hpp"
#include "random/purposes.hpp"

namespace psflip {

// A bond of a ferromagnet is active if it is present, its two spins agree, and its random number is below
// the threshold of p = 1 - exp(-2 beta). Sites that active bonds connect are a cluster. Spins and active
// bonds have the joint weight of Edwards and Sokal (Phys. Rev. D 38, 2009 (1988)): a product over bonds of (1
// - p) [inactive] + p [active and spins agree]. Drawing the bonds is a Gibbs step of this weight.
//
// - Swendsen and Wang (Phys. Rev. Lett. 58, 86 (1987)): every cluster gets a new random spin. This is a Gibbs
//   step, too.
// - Wolff (Phys. Rev. Lett. 62, 361 (1989)): the cluster of a random site is flipped. The bonds do not depend
//   on the site, and a second flip from this site undoes the first. So this step keeps the weight.
//
// The label of a cluster is its smallest site x + L (y + L z). So results depend on bonds alone, not on the
// order of work. One step updates a whole lattice: a sweep of Swendsen-Wang is one step, and a sweep of Wolff
// has a fixed number of steps.

/// Names the random numbers of one step of one lattice.
struct ClusterStep {
    std::uint64_t key;   ///< Model::random_key
    std::uint64_t step;  ///< Swendsen-Wang: number of the sweep; Wolff: see wolff_step
    std::uint32_t slot, replica;
    std::uint32_t realization;  ///< number in the study
};

/// Returns the number of step c = 0, ..., clusters - 1 of a Wolff sweep. clusters: dynamics.wolff_clusters.
PSFLIP_HD std::uint64_t wolff_step(std::int64_t sweep, int clusters, int c) {
    return static_cast<std::uint64_t>(sweep * clusters + c);
}

/// Returns round(2^32 (1 - exp(-2 beta))), at most 2^32 - 1.
inline std::uint32_t bond_threshold(double beta) {
    return static_cast<std::uint32_t>(
        std::min(std::round(-4294967296.0 * std::expm1(-2.0 * beta)), 4294967295.0));
}

/// Returns the counter of the random numbers of a site. Word d = 0, 1, 2 decides about the bond from the site
/// in direction +x, +y, +z; see is_bond_active. Bit 31 of word 3 is the new spin of the cluster whose label
/// is this site, with Swendsen-Wang; a set bit is +1.
PSFLIP_HD Counter cluster_counter(const ClusterStep& s, std::uint32_t site) {
    return make_counter(Purpose::cluster_bond, site, s.step, s.slot, s.replica, 0, s.realization);
}
PSFLIP_HD RandomBlock cluster_numbers(const ClusterStep& s, std::uint32_t site) {
    return philox(cluster_counter(s, site), s.key);
}
/// Returns whether a present bond between two spins that agree is active.
PSFLIP_HD bool is_bond_active(const RandomBlock& numbers, int direction, std::uint32_t threshold) {
    return numbers.word[direction] < threshold;
}
/// Returns whether the new spin is +1.
PSFLIP_HD bool is_new_spin_up(const RandomBlock& numbers) {
    return numbers.word[3] >> 31 != 0;
}

/// Returns the site whose cluster a Wolff step flips. sites: of the lattice, up to 2^32.
PSFLIP_HD std::uint32_t wolff_seed(const ClusterStep& s, std::uint64_t sites) {
    const RandomBlock block =
        philox(make_counter(Purpose::wolff_site, 0, s.step, s.slot, s.replica, 0, s.realization), s.key);
    const std::uint64_t low = block.word[0] * sites, high = block.word[1] * sites;
    // Neither product exceeds 2^64 - 2^32, so that the sum below does not overflow.
    return static_cast<std::uint32_t>((high + (low >> 32)) >> 32);
}

}  // namespace psflip
