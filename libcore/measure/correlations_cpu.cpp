#include "measure/correlations_cpu.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "lattice/packing.hpp"
#include "measure/distance_kernels.hpp"

namespace psflip {

CpuCorrelations::CpuCorrelations(Evolution& evolution, const Measured& measured, int bins)
    : Correlations(evolution.ensemble().shape(), measured, bins), evolution_(evolution) {
    scratch_.resize(std::get<CpuView>(evolution.view()).pool->threads());
}

void CpuCorrelations::remember(const std::vector<std::uint64_t>& spins) {
    const auto packed = pack_spins(shape_, std::get<CpuView>(evolution_.view()).layout, spins);
    earlier_.emplace_back(packed.begin(), packed.end());
}

void CpuCorrelations::remember_present() {
    const auto view = std::get<CpuView>(evolution_.view());
    earlier_.emplace_back(view.spins, view.spins + shape_.columns() * view.layout.column_words());
}

std::vector<std::int64_t> CpuCorrelations::bonds() {
    const std::int32_t* there = std::get<CpuView>(evolution_.view()).bonds;
    std::vector<std::int64_t> bonds(there, there + shape_.realizations);
    for (std::int64_t& number : bonds) number *= shape_.energy_unit();
    return bonds;
}

void CpuCorrelations::count_distances(int distances, std::int64_t* counts) {
    const std::uint64_t* spins = std::get<CpuView>(evolution_.view()).spins;
    if (overlaps() && shape_.replicas == 4) return count(0, spins, {1, 2, 3}, distances, false, counts);
    for (int a = 0; a < shape_.replicas; ++a) {
        if (!overlaps()) count(a, nullptr, {a}, distances, false, counts);
        for (int b = a + 1; overlaps() && b < shape_.replicas; ++b)
            count(a, spins, {b}, distances, false, counts);
    }
}

void CpuCorrelations::count_times(int replica, int earlier, std::int64_t* counts) {
    count(replica, earlier_[earlier].data(), {replica}, 1, true, counts);
}

void CpuCorrelations::count(int a, const std::uint64_t* words, std::initializer_list<int> others,
                            int distances, bool bonds, std::int64_t* counts) {
    const auto view = std::get<CpuView>(evolution_.view());
    const SpinLayout& layout = view.layout;
    const std::int64_t column_bonds = CouplingLayout::of(shape_).column_words();
    const std::int64_t row = shape_.temperatures * shape_.realizations;
    const int groups = layout.groups();
    view.pool->for_each(shape_.columns() * groups, [&](std::int64_t i, int thread) {
        const std::int64_t column = i / groups;
        const int group = static_cast<int>(i % groups);
        Scratch& scratch = scratch_[thread];
        scratch.difference.resize(std::max(scratch.difference.size(), others.size() * layout.group_words()));
        scratch.counts.resize((distances + 1) * slots_per_word * column_bits);
        DistanceTask task{.lattice = HeldLattice::of(shape_),
                          .a = view.spins + layout.group_offset(column, a, group),
                          .others = static_cast<int>(others.size()),
                          .b = {},
                          .difference = scratch.difference.data(),
                          .distances = distances,
                          .counts = scratch.counts.data(),
                          .dimension = shape_.dimension,
                          .absent = bonds && view.absent ? view.absent + column * column_bonds : nullptr};
        std::ranges::transform(others, task.b, [&](int b) {
            return words ? words + layout.group_offset(column, b, group) : nullptr;
        });
        distance_kernels(view.level).count(task);
        const std::int64_t used =
            std::min<std::int64_t>(column_bits, shape_.realizations - column * column_bits);
        for (int k = others.size() == 1 ? 0 : 1; k <= distances; ++k)
            for (int slot = group * slots_per_word;
                 slot < std::min((group + 1) * slots_per_word, shape_.temperatures); ++slot) {
                const std::int32_t* from =
                    scratch.counts.data() + (k * slots_per_word + slot % slots_per_word) * column_bits;
                std::int64_t* to = counts + k * row + slot * shape_.realizations + column * column_bits;
                for (std::int64_t lane = 0; lane < used; ++lane)
                    to[lane] += static_cast<std::uint32_t>(from[lane]);
            }
    });
}

}  // namespace psflip
