#include "sweep/clusters/cluster_cpu.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

namespace psflip {

ClusterMemory::ClusterMemory(const ClusterLattice& lattice)
    : starts(lattice.words()),
      base(std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(lattice.words()))),
      parent(std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(lattice.sites() + 1))),
      up(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(lattice.sites()))) {
    for (int d = 0; d < lattice.dimension(); ++d) bonds[d] = SiteBits(lattice.words());
}

namespace {

/// Adds totals of clusters to the totals of the strips before them, if active bonds connect both. Then sums
/// the squares of all totals.
ClusterSums sums_of(std::vector<ClusterTask>& strips, ClusterMemory& memory) {
    constexpr int numbers = ClusterTask::numbers;
    const auto total_of = [&](std::uint32_t run) {
        const auto after = std::ranges::upper_bound(strips, std::int64_t{run / 64}, {}, &ClusterTask::begin);
        return std::prev(after)->totals->data() + std::int64_t{numbers} * memory.parent[run];
    };
    std::ranges::sort(memory.joined, std::greater{});
    for (const auto& [run, other] : memory.joined) {
        std::int64_t *const from = total_of(run), *const to = total_of(other);
        for (int i = 0; i < numbers; ++i) to[i] += std::exchange(from[i], 0);
    }
    memory.joined.clear();
    unsigned __int128 size = 0, modes = 0;
    for (const ClusterTask& strip : strips)
        for (std::size_t i = 0; i < strip.totals->size(); i += numbers) {
            const auto square = [&](int k) {
                const __int128 total = (*strip.totals)[i + k];
                return static_cast<unsigned __int128>(total * total);
            };
            size += square(0);
            for (int k = 1; k < numbers; ++k) modes += square(k);
        }
    const auto parts = [](unsigned __int128 sum) {
        return SquareSum{static_cast<std::uint64_t>(sum) & 0xFFFFFFFFu,
                         static_cast<std::uint64_t>(sum >> 32)};
    };
    return {parts(size), parts(modes)};
}

}  // namespace

void sweep_clusters(const ClusterKernels& kernels, const ClusterSweeps& sweeps, ClusterMemory& memory,
                    ThreadPool& pool) {
    const ClusterLattice& lattice = sweeps.lattice;
    const std::int64_t layer = lattice.stride(lattice.dimension() - 1),
                       count = layer % 64 == 0 ? std::min<std::int64_t>(pool.threads(), lattice.L()) : 1;
    ClusterTask whole{.lattice = &lattice,
                      .step = sweeps.step,
                      .threshold = sweeps.threshold,
                      .spins = sweeps.spins,
                      .present = sweeps.present,
                      .memory = &memory,
                      .begin = 0,
                      .end = lattice.words()};
    std::vector<ClusterTask> strips(static_cast<std::size_t>(count), whole);
    for (std::int64_t i = 0; count > 1 && i < count; ++i) {
        strips[i].begin = i * lattice.L() / count * (layer / 64);
        strips[i].end = (i + 1) * lattice.L() / count * (layer / 64);
    }
    for (std::int64_t sweep = sweeps.first; sweep < sweeps.first + sweeps.count; ++sweep) {
        for (int c = 0; c < sweeps.rule.wolff_clusters; ++c) {
            whole.step.step = wolff_step(sweep, sweeps.rule.wolff_clusters, c);
            kernels.wolff(whole);
        }
        if (!sweeps.rule.swendsen_wang) continue;
        const bool summed = sweeps.sums && sweep + 1 == sweeps.first + sweeps.count;
        if (summed) memory.totals.resize(std::max(memory.totals.size(), strips.size()));
        for (std::size_t i = 0; i < strips.size(); ++i) {
            strips[i].step.step = static_cast<std::uint64_t>(sweep);
            if (summed) strips[i].totals = &memory.totals[i];
        }
        pool.for_each(count, [&](std::int64_t i, int) { kernels.label(strips[i]); });
        if (count > 1) kernels.connect(strips.data(), count);
        pool.for_each(count, [&](std::int64_t i, int) { kernels.assign(strips[i]); });
        if (summed) *sweeps.sums = sums_of(strips, memory);
    }
}

}  // namespace psflip
