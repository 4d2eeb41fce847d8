// Measurements of lattices that count by themselves (sweep/lattice_counts.hpp): the same sums from the same
// integers, a lattice at a time.

#include "measure/measurement_cpu.hpp"
#include "measure/moments.hpp"
#include "measure/replicon.hpp"

namespace psflip {
namespace {

/// Moments and links of the lattices of 128 realizations at one slot.
struct LaneCounts {
    LaneMoments moments;
    std::int64_t links[column_bits];
};

/// Sums of the overlap over planes, from numbers of sites where the two differ.
struct PlaneSums {
    const Shape& shape;
    const DifferenceCounts& counts;

    int operator()(int family, int plane) const {
        const int sites = shape.dimension == 3 ? shape.L * shape.L : shape.L;
        return sites - 2 * counts.planes[std::size_t(family) * shape.L + plane];
    }
};

void set_lane(LaneCounts& lanes, int lane, const Shape& shape, const double* fourier,
              const DifferenceCounts& counts) {
    const PlaneSums sums{shape, counts};
    const OverlapMoments m = shape.dimension == 3 ? overlap_moments<3, std::int64_t>(shape.L, fourier, sums)
                                                  : overlap_moments<2, std::int64_t>(shape.L, fourier, sums);
    lanes.moments.overlap[lane] = m.overlap;
    lanes.moments.overlap2[lane] = m.overlap2;
    lanes.moments.overlap4[lane] = m.overlap4;
    for (int axis = 0; axis < shape.dimension; ++axis) lanes.moments.kmin[axis][lane] = m.kmin[axis];
    lanes.links[lane] = counts.links;
}

/// Sets one lane of the modes of a pair, as RepliconTask::modes.
void set_modes(double* modes, int lane, const Shape& shape, const double* fourier,
               const DifferenceCounts& counts) {
    const PlaneSums sums{shape, counts};
    for (int family = 0; family + 1 < replicon_modes(shape.dimension); ++family) {
        PlaneMode<double, std::int64_t> mode;
        for (int x = 0; x < shape.L; ++x) mode.add(fourier[x], fourier[shape.L + x], sums(family, x));
        double* const to = modes + lane;
        if (family == 0) {
            to[0] = static_cast<double>(mode.total);
            to[column_bits] = 0.0;
        }
        to[(family + 1) * 2 * column_bits] = mode.re;
        to[(family + 1) * 2 * column_bits + column_bits] = mode.im;
    }
}

}  // namespace

void CpuMeasurement::add_counts_of_lattices(int bin) {
    const std::size_t slots = shape_.temperatures, stacks = shape_.columns() * slots, n_pairs = pairs(),
                      replicas = measured_magnetisations(),
                      pair_modes = replicon_ ? mode_doubles(shape_.dimension) : 0;
    std::vector<ReplicaPair> compared, with_up;
    for (const auto& [a, b] : replica_pairs_) compared.push_back({a, b});
    for (int replica = 0; replica < measured_magnetisations(); ++replica) with_up.push_back({replica, -1});
    std::vector<LaneCounts> overlaps(stacks * n_pairs), magnetisations(stacks * replicas);
    AlignedVector<double> modes(stacks * n_pairs * pair_modes);
    const auto stack = [&](std::int64_t realization, int slot) {
        return realization / column_bits * slots + slot;
    };
    const auto lane_of = [](std::int64_t realization) { return static_cast<int>(realization % column_bits); };
    const double* const fourier = fourier_.data();
    if (n_pairs > 0)
        view_.lattices->count_differences(
            compared, replicon_, [&](auto r, int slot, auto pair, auto& counts) {
                const std::size_t at = stack(r, slot) * n_pairs + pair;
                set_lane(overlaps[at], lane_of(r), shape_, fourier, counts);
                if (replicon_) set_modes(modes.data() + at * pair_modes, lane_of(r), shape_, fourier, counts);
            });
    if (replicas > 0)
        view_.lattices->count_differences(with_up, false, [&](auto r, int slot, auto pair, auto& counts) {
            set_lane(magnetisations[stack(r, slot) * replicas + pair], lane_of(r), shape_, fourier, counts);
        });
    for (std::size_t i = 0; i < stacks; ++i) {
        const auto lanes = [&](int components, std::size_t component) {
            return lanes_of(static_cast<std::int64_t>(i / slots), static_cast<int>(i % slots), bin,
                            components, static_cast<int>(component));
        };
        for (std::size_t pair = 0; pair < n_pairs; ++pair) {
            const LaneCounts& of_pair = overlaps[i * n_pairs + pair];
            add_overlap(lanes(shape_.pairs_of_replicas(), pair), static_cast<int>(pair), of_pair.moments,
                        of_pair.links);
        }
        if (replicon_) add_replicon_of(lanes(1, 0), modes.data() + i * n_pairs * pair_modes);
        for (std::size_t replica = 0; replica < replicas; ++replica)
            add_magnetisation(lanes(shape_.replicas, replica), static_cast<int>(replica),
                              magnetisations[i * replicas + replica].moments);
    }
}

}  // namespace psflip
