#include "sweep/clusters/cluster_cpu.hpp"

#include <algorithm>
#include <vector>

namespace psflip {

ClusterMemory::ClusterMemory(const ClusterLattice& lattice)
    : starts(lattice.words()),
      base(std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(lattice.words()))),
      parent(std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(lattice.sites() + 1))),
      up(std::make_unique_for_overwrite<std::uint8_t[]>(static_cast<std::size_t>(lattice.sites()))) {
    for (int d = 0; d < lattice.dimension(); ++d) bonds[d] = SiteBits(lattice.words());
}

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
        for (ClusterTask& strip : strips) strip.step.step = static_cast<std::uint64_t>(sweep);
        pool.for_each(count, [&](std::int64_t i, int) { kernels.label(strips[i]); });
        if (count > 1) kernels.connect(strips.data(), count);
        pool.for_each(count, [&](std::int64_t i, int) { kernels.assign(strips[i]); });
    }
}

}  // namespace psflip
