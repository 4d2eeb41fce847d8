// Declares cluster updates of one lattice on a CPU.
#pragma once

#include "base/thread_pool.hpp"
#include "sweep/clusters/cluster_kernels.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// Names the lattice and the sweeps of sweep_clusters. Arrays are as in ClusterTask.
struct ClusterSweeps {
    const ClusterLattice& lattice;
    SweepRule rule;    ///< with clusters
    ClusterStep step;  ///< `step` is not read
    std::uint32_t threshold;
    std::uint64_t* spins;
    const std::uint64_t* const* present;
    std::int64_t first, count;    ///< numbers of the sweeps
    ClusterSums* sums = nullptr;  ///< takes the sums of the last sweep of Swendsen-Wang; null: not summed
};

/// Does cluster sweeps of one lattice. The threads of the pool share it if its layers are whole words.
void sweep_clusters(const ClusterKernels& kernels, const ClusterSweeps& sweeps, ClusterMemory& memory,
                    ThreadPool& pool);

}  // namespace psflip
