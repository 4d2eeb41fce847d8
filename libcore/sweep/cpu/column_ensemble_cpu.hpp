#pragma once

#include <optional>

#include "sweep/clusters/cluster_kernels.hpp"
#include "sweep/host_ensemble.hpp"

namespace psflip {

/// Holds words of 4 temperatures x 128 realizations in host memory (Lanes::realizations). Threads divide
/// columns, replicas and slot quads among themselves. The planes next to the own planes of a slab are always
/// up to date.
class ColumnEnsemble final : public HostEnsemble {
  public:
    explicit ColumnEnsemble(const BatchSetup& setup);

    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    void swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) override;
    void make_houdayer_move(const HoudayerMove& move) override;
    HoudayerCounts houdayer_counts() const override;
    const std::uint64_t* column_spins() override { return words_.data(); }

  private:
    const std::uint64_t* column_couplings(std::int64_t column) const {
        return couplings_.data() + column * coupling_words();
    }
    void count_lattices() override;
    /// Sweeps one colour of planes begin, ..., end - 1, or both colours of whole lattices several times.
    void sweep_planes(int begin, int end, std::int64_t first_half_sweep, std::int64_t half_sweeps);
    /// Does cluster sweeps. Converts the spins of 64 lattices at a time to bits of sites and back.
    void sweep_by_clusters(std::int64_t first, int count);

    AcceptanceTable acceptance_;  ///< for slots_per_word temperatures at a time
    AlignedVector<std::uint64_t> words_, couplings_;
    std::vector<HoudayerMemory> houdayer_memory_;
    /// Counts of Houdayer moves, (column, pair of the move, slot, lane). Empty before the first move.
    std::vector<std::int64_t> moved_clusters_, moved_sites_;
    /// Returns where the lanes of a slot begin in these counts.
    std::int64_t count_offset(std::int64_t column, std::int64_t pair, int slot) const {
        const int padded = layout().groups() * layout().group;
        return ((column * (shape_.replicas / 2) + pair) * padded + slot) * column_bits;
    }
    std::unique_ptr<CpuHalo> halo_;  ///< of a slab; otherwise null
    /// Holds the memory of a thread for cluster sweeps.
    struct ClusterSpins {
        ClusterSpins(const ClusterLattice& lattice, std::int64_t realizations);
        std::vector<SiteBits> lattices;
        ClusterMemory memory;
    };
    std::optional<ClusterLattice> cluster_lattice_;  ///< with cluster updates
    std::vector<std::optional<ClusterSpins>> cluster_spins_;
    std::vector<SiteBits> present_;  ///< (realization, direction): present bonds, with cluster updates
};

}  // namespace psflip
