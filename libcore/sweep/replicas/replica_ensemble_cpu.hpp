#pragma once

#include <optional>

#include "sweep/host_ensemble.hpp"
#include "sweep/replicas/replica_kernels.hpp"

namespace psflip {

/// Holds words of the (replica, slot) pairs of one realization in host memory (Lanes::replicas). Every spin
/// has its own random number (purpose replica_bits). Threads share realizations, or rows if there are fewer
/// realizations than threads.
///
/// Random numbers and thresholds belong to lanes. So an exchange of slots moves spins: it exchanges
/// neighbouring bits of all words, also of halos.
class ReplicaEnsemble final : public HostEnsemble {
  public:
    /// Errors: as make_ising_ensemble.
    explicit ReplicaEnsemble(const BatchSetup& setup);

    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    void swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) override;
    void end_swaps() override;
    void make_houdayer_move(const HoudayerMove& move) override;
    HoudayerCounts houdayer_counts() const override { return houdayer_counts_; }
    std::string description() const override;

  private:
    void count_lattices() override;
    void fill_columns(std::uint64_t* columns) override;
    const ReplicaKernels& replica_kernels() const { return kernels_of<ReplicaKernels>(level()); }
    std::uint32_t* spins_of(std::int64_t realization) {
        return words_.data() + realization * replicas_.lattice_words();
    }
    const std::uint16_t* bonds_of(std::int64_t realization) const {
        return bonds_.data() + realization * replicas_.bond_units();
    }
    /// Returns nullptr if no bond is absent.
    const std::uint16_t* absences_of(std::int64_t realization) const {
        return absences_.empty() ? nullptr : absences_.data() + realization * replicas_.bond_units();
    }
    void sweep_planes(int begin, int end, std::int64_t half_sweep);
    /// Returns the number of rows in planes begin, ..., end - 1. With demons, returns the number of bundles
    /// (DemonChains).
    int rows_of(int begin, int end) const;
    void sweep_rows(std::int64_t realization, int begin, int end, std::int64_t first_half_sweep,
                    std::int64_t half_sweeps);

    ReplicaLayout replicas_;
    AcceptanceTable acceptance_;  ///< for all slots
    ReplicaTables tables_;
    AlignedVector<std::uint32_t> words_;
    AlignedVector<std::uint16_t> bonds_, absences_;
    std::optional<CpuHalo> halo_;  ///< of a slab
    std::vector<HoudayerMemory> houdayer_memory_;
    HoudayerCounts houdayer_counts_{shape_.realizations, shape_.temperatures};
    std::vector<std::uint8_t> swaps_;  ///< (realization, lane): 1 if the lane is exchanged with the next
                                       ///< lane
};

}  // namespace psflip
