#include "sweep/clusters/cluster_lattice.hpp"

namespace psflip {

ClusterLattice::ClusterLattice(int dimension, int L) : dimension_(dimension), L_(L), stride_{1} {
    for (int d = 0; d < 3; ++d) stride_[d + 1] = stride_[d] * L;
    if (L % 64 == 0) return;
    for (int d = 0; d < dimension; ++d) {
        first_[d].resize(static_cast<std::size_t>(words()));
        last_[d].resize(static_cast<std::size_t>(words()));
        for (std::int64_t site = 0; site < sites(); ++site) {
            const std::int64_t coordinate = site / stride_[d] % L;
            const auto word = static_cast<std::size_t>(site / 64);
            first_[d][word] |= std::uint64_t{coordinate == 0} << site % 64;
            last_[d][word] |= std::uint64_t{coordinate == L - 1} << site % 64;
        }
    }
}

}  // namespace psflip
