#include "measure/measurement_cpu.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/thread_pool.hpp"
#include "measure/moments.hpp"

namespace psflip {

CpuMeasurement::Scratch::Scratch(const SpinLayout& layout)
    : difference(layout.group_words()),
      planes(3 * layout.L * slots_per_word * column_bits),
      links(slots_per_word * column_bits),
      moments(1) {}

CpuMeasurement::CpuMeasurement(Evolution& evolution, int bins, int histogram_bins)
    : evolution_(evolution),
      view_(std::get<CpuView>(evolution.view())),
      shape_(evolution.ensemble().shape()),
      fourier_(fourier_table(shape_.L)),
      scratch_(shape_.replicas > 1 ? view_.pool->threads() : 0, Scratch(view_.layout)),
      sums_(empty_accumulators(shape_, bins, histogram_bins)) {
    for (int a = 0; a < shape_.replicas; ++a)
        for (int b = a + 1; b < shape_.replicas; ++b) replica_pairs_.emplace_back(a, b);
}

void CpuMeasurement::measure(int bin) {
    evolution_.ensemble().compute_energies();
    view_ = std::get<CpuView>(evolution_.view());
    const int groups = view_.layout.groups(), pairs = shape_.pairs_of_replicas();
    const std::int64_t stacks = shape_.columns() * shape_.replicas, tasks = shape_.columns() * groups;
    ThreadPool& pool = *view_.pool;
    pool.for_each(stacks, [&](std::int64_t i, int) {
        add_energies(i / shape_.replicas, static_cast<int>(i % shape_.replicas), bin);
    });
    pool.for_each(tasks, [&](std::int64_t i, int thread) {
        for (int pair = 0; pair < pairs; ++pair)
            add_overlaps(i / groups, pair, static_cast<int>(i % groups), bin, scratch_[thread]);
    });
    ++sums_.count[bin];
}

void CpuMeasurement::add_energies(std::int64_t column, int replica, int bin) {
    auto& energy = sums_.integers[int(Sum::energy)];
    auto& energy2 = sums_.reals[int(Sum::energy2)];
    std::int64_t* walker_slot =
        sums_.integers[int(Sum::walker_slot)].data() + index(bin, shape_.replicas, replica, 0, column);
    for (int slot = 0; slot < shape_.temperatures; ++slot) {
        const std::int32_t* E = view_.energies + view_.offset(column, replica, slot);
        const std::uint8_t* walker = view_.walkers + view_.offset(column, replica, slot);
        const std::int64_t at = index(bin, shape_.replicas, replica, slot, column);
        for (int lane = 0; lane < used_lanes(column); ++lane) {
            energy[at + lane] += E[lane];
            energy2[at + lane] += static_cast<double>(E[lane]) * static_cast<double>(E[lane]);
            walker_slot[walker[lane] * shape_.realizations + lane] += slot;
        }
    }
    if (sums_.has_later()) note_lowest(column, replica, bin);
}

void CpuMeasurement::note_lowest(std::int64_t column, int replica, int bin) {
    const std::int32_t* E = view_.energies + view_.offset(column, replica, 0);
    const std::int64_t at =
        (std::int64_t{bin} * shape_.replicas + replica) * shape_.realizations + column * column_bits;
    for (int lane = 0; lane < used_lanes(column); ++lane) {
        std::int64_t& lowest = sums_.lowest_energy[at + lane];
        std::int64_t& count = sums_.lowest_count[at + lane];
        count = E[lane] < lowest ? 1 : count + (E[lane] == lowest);
        lowest = std::min<std::int64_t>(lowest, E[lane]);
    }
}

void CpuMeasurement::add_overlaps(std::int64_t column, int pair, int group, int bin, Scratch& scratch) {
    const auto [a, b] = replica_pairs_[pair];
    const SpinLayout& layout = view_.layout;
    overlap_kernels(view_.level)
        .count({.L = shape_.L,
                .a = view_.spins + layout.group_offset(column, a, group),
                .b = view_.spins + layout.group_offset(column, b, group),
                .difference = scratch.difference.data(),
                .planes = scratch.planes.data(),
                .links = scratch.links.data()});
    for (int i = 0; i < slots_per_word && group * slots_per_word + i < shape_.temperatures; ++i)
        add_slot(column, pair, group * slots_per_word + i, bin, scratch);
}

void CpuMeasurement::add_slot(std::int64_t column, int pair, int slot, int bin, Scratch& scratch) {
    const std::int64_t N = shape_.sites();
    const int pairs = shape_.pairs_of_replicas(), nbins = sums_.histogram_bins, used = used_lanes(column);
    const int first = slot % slots_per_word * column_bits;
    LaneMoments& m = scratch.moments[0];
    const std::int32_t* links = scratch.links.data() + first;
    overlap_kernels(view_.level).moments({shape_.L, fourier_.data(), scratch.planes.data() + first, &m});
    const std::int64_t at = index(bin, pairs, pair, slot, column);
    const auto integers = [&](Sum sum) { return sums_.integers[int(sum)].data() + at; };
    std::int64_t* overlap = integers(Sum::overlap);
    std::int64_t* overlap_abs = integers(Sum::overlap_abs);
    std::int64_t* link = integers(Sum::link);
    for (int lane = 0; lane < used; ++lane) overlap[lane] += m.overlap[lane];
    for (int lane = 0; lane < used; ++lane) overlap_abs[lane] += std::abs(m.overlap[lane]);
    for (int lane = 0; lane < used; ++lane) link[lane] += 3 * N - 2 * std::int64_t{links[lane]};
    const auto add = [&](Sum sum, int axis, const double* from) {
        double* to = sums_.reals[int(sum) + axis].data() + at;
        for (int lane = 0; lane < used; ++lane) to[lane] += from[lane];
    };
    add(Sum::overlap2, 0, m.overlap2);
    add(Sum::overlap4, 0, m.overlap4);
    for (int axis = 0; axis < 3; ++axis) add(Sum::kmin_x, axis, m.kmin[axis]);
    const std::int64_t first_count = std::int64_t{slot} * nbins * shape_.realizations + column * column_bits;
    std::uint32_t* histogram = sums_.histogram.data() + first_count;
    for (int lane = 0; lane < used; ++lane)
        ++histogram[histogram_bin(m.overlap[lane], N, nbins) * shape_.realizations + lane];
    if (sums_.has_later()) add_links(links, used, at, first_count, m);
}

void CpuMeasurement::add_links(const std::int32_t* unequal, int used, std::int64_t at,
                               std::int64_t first_count, const LaneMoments& m) {
    const std::int64_t bonds = 3 * shape_.sites();
    double* link2 = sums_.reals[int(Sum::link2)].data() + at;
    double* overlap2_link = sums_.reals[int(Sum::overlap2_link)].data() + at;
    std::uint32_t* histogram = sums_.link_histogram.data() + first_count;
    for (int lane = 0; lane < used; ++lane) {
        const std::int64_t sum = bonds - 2 * std::int64_t{unequal[lane]};
        const auto link = static_cast<double>(sum);
        link2[lane] += link * link;
        overlap2_link[lane] += m.overlap2[lane] * link;
        ++histogram[histogram_bin(sum, bonds, sums_.histogram_bins) * shape_.realizations + lane];
    }
}

}  // namespace psflip
