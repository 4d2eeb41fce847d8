// Measurements of lattices that count by themselves (sweep/lattice_counts.hpp): the same sums from the same
// integers, a lattice at a time.

#include <iterator>
#include <span>

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
    const std::size_t slots = shape_.temperatures, stacks = shape_.columns() * slots,
                      compared = compared_.size(), pairs = pairs_,
                      pair_modes = has_replicon_ ? mode_doubles(shape_.dimension) : 0;
    std::vector<LaneCounts> counts(stacks * compared);
    AlignedVector<double> modes(stacks * pairs * pair_modes);
    const auto count = [&](std::size_t first, std::size_t end, bool diagonals) {
        if (first == end) return;
        view_.lattices->count_differences(
            std::span(compared_).subspan(first, end - first), diagonals,
            [&](std::int64_t r, int slot, std::size_t number, const DifferenceCounts& found) {
                const std::size_t stack = r / column_bits * slots + slot;
                const int lane = static_cast<int>(r % column_bits);
                set_lane(counts[stack * compared + first + number], lane, shape_, fourier_.data(), found);
                if (diagonals)
                    set_modes(modes.data() + (stack * pairs + number) * pair_modes, lane, shape_,
                              fourier_.data(), found);
            });
    };
    count(0, pairs, has_replicon_);
    count(pairs, compared, false);
    for (std::size_t i = 0; i < stacks; ++i) {
        const auto column = static_cast<std::int64_t>(i / slots);
        const auto slot = static_cast<int>(i % slots);
        for (int number = 0; number < std::ssize(compared_); ++number) {
            const LaneCounts& found = counts[i * compared + number];
            add_compared(lanes_of(column, number, slot, bin), number, found.moments, found.links);
        }
        if (has_replicon_)
            add_replicon_of(lanes_of(column, slot, bin, 1, 0), modes.data() + i * pairs * pair_modes);
    }
}

}  // namespace psflip
