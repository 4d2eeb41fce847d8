#include "reference/reference_correlations.hpp"

namespace psflip::reference {
namespace {

using Spins = std::vector<std::uint64_t>;

int spin(const Shape& s, const Spins& words, int replica, int slot, std::int64_t r, std::int64_t site) {
    const std::int64_t lattice = (std::int64_t{replica} * s.temperatures + slot) * s.packs64() + r / 64;
    return (words[lattice * s.sites() + site] >> r % 64 & 1) != 0 ? 1 : -1;
}

/// The site `k` further along an axis.
std::int64_t further(const Shape& s, std::int64_t site, int axis, int k) {
    std::int64_t step = 1;
    for (int i = 0; i < axis; ++i) step *= s.L;
    const std::int64_t x = site / step % s.L;
    return site + ((x + k) % s.L - x) * step;
}

/// Calls f(replica, slot, realization) in the order of sums.
template <class F>
void for_lattices(const Shape& s, F f) {
    for (int replica = 0; replica < s.replicas; ++replica)
        for (int slot = 0; slot < s.temperatures; ++slot)
            for (std::int64_t r = 0; r < s.realizations; ++r) f(replica, slot, r);
}

}  // namespace

std::vector<std::int64_t> NaiveCorrelations::distances(const Spins& spins) const {
    std::vector<std::int64_t> sums;
    for (int k = 1; k <= measured.distances; ++k)
        for (int slot = 0; slot < shape.temperatures; ++slot)
            for (std::int64_t r = 0; r < shape.realizations; ++r) {
                std::int64_t sum = 0;
                for (std::int64_t i = 0; i < shape.sites(); ++i)
                    for (int axis = 0; axis < shape.dimension; ++axis) {
                        const std::int64_t j = further(shape, i, axis, k);
                        for (int a = 0; a < shape.replicas; ++a) {
                            const int ss =
                                spin(shape, spins, a, slot, r, i) * spin(shape, spins, a, slot, r, j);
                            if (!measured.overlaps) sum += ss;
                            for (int b = a + 1; measured.overlaps && b < shape.replicas; ++b)
                                sum += ss * spin(shape, spins, b, slot, r, i) *
                                       spin(shape, spins, b, slot, r, j);
                        }
                    }
                sums.push_back(sum);
            }
    return sums;
}

std::vector<std::int64_t> NaiveCorrelations::two_times(const Spins& spins, bool links) const {
    std::vector<std::int64_t> sums;
    for (const Spins& before : earlier)
        for_lattices(shape, [&](int a, int slot, std::int64_t r) {
            const auto product = [&](std::int64_t i) {
                return spin(shape, before, a, slot, r, i) * spin(shape, spins, a, slot, r, i);
            };
            std::int64_t sum = 0;
            for (std::int64_t i = 0; i < shape.sites(); ++i) {
                if (!links) sum += product(i);
                for (int axis = 0; links && axis < shape.dimension; ++axis)
                    if (couplings[(r * shape.dimension + axis) * shape.sites() + i] != 0)
                        sum += product(i) * product(further(shape, i, axis, 1));
            }
            sums.push_back(sum);
        });
    return sums;
}

}  // namespace psflip::reference
