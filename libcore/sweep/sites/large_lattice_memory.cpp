#include "sweep/sites/large_lattice_memory.hpp"

#include <cmath>

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

LatticeSums lattice_sums(const SiteLanes& lanes, std::int64_t unsatisfied, std::int64_t up) {
    return {2 * unsatisfied - lanes.dimension * lanes.sites(), 2 * up - lanes.sites()};
}

}  // namespace psflip
