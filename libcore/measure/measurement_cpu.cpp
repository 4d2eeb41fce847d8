#include "measure/measurement_cpu.hpp"

#include <cstdlib>

#include "measure/moments.hpp"

namespace psflip {

CpuMeasurement::Scratch::Scratch(const CpuEnsemble& ensemble)
    : difference(ensemble.layout().group_words()),
      planes(3 * ensemble.shape().L * slots_per_word * column_bits),
      links(slots_per_word * column_bits) {}

CpuMeasurement::CpuMeasurement(CpuEnsemble& ensemble, const CpuExchange& exchange, int bins,
                               int histogram_bins)
    : ensemble_(ensemble),
      exchange_(exchange),
      shape_(ensemble.shape()),
      fourier_(fourier_table(shape_.L)),
      scratch_(shape_.replicas > 1 ? ensemble.threads() : 0, Scratch(ensemble)),
      sums_(empty_accumulators(shape_, bins, histogram_bins)) {
    for (int a = 0; a < shape_.replicas; ++a)
        for (int b = a + 1; b < shape_.replicas; ++b) replica_pairs_.emplace_back(a, b);
}

void CpuMeasurement::measure(int bin_a, int bin_b) {
    const int bins[2] = {bin_a, bin_b};
    const int groups = ensemble_.layout().groups(), pairs = shape_.pairs_of_replicas();
    const std::int64_t stacks = shape_.columns() * shape_.replicas, tasks = shape_.columns() * groups;
    ThreadPool& pool = ensemble_.pool();
    pool.for_each(stacks, [&](std::int64_t i, int) {
        add_energies(i / shape_.replicas, static_cast<int>(i % shape_.replicas), bins);
    });
    pool.for_each(tasks, [&](std::int64_t i, int thread) {
        for (int pair = 0; pair < pairs; ++pair)
            add_overlaps(i / groups, pair, static_cast<int>(i % groups), bins, scratch_[thread]);
    });
    for (int bin : bins) ++sums_.count[bin];
}

void CpuMeasurement::add_energies(std::int64_t column, int replica, const int (&bins)[2]) {
    auto& energy = sums_.integers[int(IntegerSum::energy)];
    auto& energy2 = sums_.reals[int(RealSum::energy2)];
    for (int slot = 0; slot < shape_.temperatures; ++slot) {
        const std::int32_t* E = exchange_.energy(column, replica, slot);
        for (int bin : bins) {
            const std::int64_t at = index(bin, shape_.replicas, replica, slot, column);
            for (int lane = 0; lane < used_lanes(column); ++lane) {
                energy[at + lane] += E[lane];
                energy2[at + lane] += static_cast<double>(E[lane]) * static_cast<double>(E[lane]);
            }
        }
    }
}

void CpuMeasurement::add_overlaps(std::int64_t column, int pair, int group, const int (&bins)[2],
                                  Scratch& scratch) {
    const auto [a, b] = replica_pairs_[pair];
    const SpinLayout& layout = ensemble_.layout();
    overlap_kernel(ensemble_.level())({.L = shape_.L,
                                       .a = ensemble_.words() + layout.group_offset(column, a, group),
                                       .b = ensemble_.words() + layout.group_offset(column, b, group),
                                       .difference = scratch.difference.data(),
                                       .planes = scratch.planes.data(),
                                       .links = scratch.links.data()});
    for (int i = 0; i < slots_per_word && group * slots_per_word + i < shape_.temperatures; ++i)
        add_slot(column, pair, group * slots_per_word + i, bins, scratch.planes.data() + i * column_bits,
                 scratch.links.data() + i * column_bits);
}

void CpuMeasurement::add_slot(std::int64_t column, int pair, int slot, const int (&bins)[2],
                              const std::int32_t* planes, const std::int32_t* links) {
    const std::int64_t N = shape_.sites(), plane_sites = std::int64_t{shape_.L} * shape_.L;
    const int pairs = shape_.pairs_of_replicas(), nbins = sums_.histogram_bins;
    for (int lane = 0; lane < used_lanes(column); ++lane) {
        const OverlapMoments m = overlap_moments(shape_.L, fourier_.data(), [&](int axis, int x) {
            return plane_sites - 2 * planes[(axis * shape_.L + x) * slots_per_word * column_bits + lane];
        });
        for (int bin : bins) {
            const std::int64_t at = index(bin, pairs, pair, slot, column) + lane;
            sums_.integers[int(IntegerSum::overlap)][at] += m.overlap;
            sums_.integers[int(IntegerSum::overlap_abs)][at] += std::abs(m.overlap);
            sums_.integers[int(IntegerSum::link)][at] += 3 * N - 2 * std::int64_t{links[lane]};
            sums_.reals[int(RealSum::overlap2)][at] += m.overlap2;
            sums_.reals[int(RealSum::overlap4)][at] += m.overlap4;
            for (int axis = 0; axis < 3; ++axis) sums_.reals[int(RealSum::kmin_x) + axis][at] += m.kmin[axis];
        }
        const std::int64_t at =
            (std::int64_t{slot} * nbins + histogram_bin(m.overlap, N, nbins)) * shape_.realizations +
            column * column_bits + lane;
        ++sums_.histogram[at];
    }
}

}  // namespace psflip
