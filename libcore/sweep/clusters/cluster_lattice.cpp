#include "sweep/clusters/cluster_lattice.hpp"

namespace psflip {

ClusterLattice::ClusterLattice(int dimension, int L)
    : dimension_(dimension), L_(L), stride_{1}, fourier_(fixed_fourier_table(L)) {
    for (int d = 0; d < 3; ++d) stride_[d + 1] = stride_[d] * L;
    if (L % 64 == 0) return;
    for (int d = 0; d < dimension; ++d) {
        first_[d].resize(static_cast<std::size_t>(words()));
        last_[d].resize(static_cast<std::size_t>(words()));
        const auto add = [](std::vector<std::uint64_t>& face, std::int64_t site) {
            face[static_cast<std::size_t>(site / 64)] |= std::uint64_t{1} << site % 64;
        };
        for (std::int64_t begin = 0; begin < sites(); begin += span(d))
            for (std::int64_t i = begin; i < begin + stride(d); ++i) {
                add(first_[d], i);
                add(last_[d], i + span(d) - stride(d));
            }
    }
}

}  // namespace psflip
