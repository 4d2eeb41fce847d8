#pragma once

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "lattice/layout.hpp"
#include "slab/halo_cpu.hpp"
#include "sweep/clusters/cluster_sums.hpp"
#include "sweep/cpu/simd_kernels.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/lattice_counts.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// Holds energies in host memory. For every lane coding, the host exchanges and measures these energies, even
/// if the spins are on a GPU. The last axis of energies and similar arrays runs over lanes of realizations
/// (columns of 128). Pointers belong to the ensemble and stay valid. Their contents change with sweeps and
/// exchanges.
class HostEnsemble : public IsingEnsemble {
  public:
    Backend backend() const override { return Backend::cpu; }
    void compute_energies() final;
    std::vector<std::int32_t> energies() const final { return of_realizations(energies_); }
    std::vector<std::int32_t> magnetisations() const final { return of_realizations(magnetisations_); }
    std::string description() const override;
    int threads() const final { return pool_.threads(); }

    /// Exchanges the lattices of the slots pair and pair + 1 in the realizations of a column whose mask bit
    /// is 1. The caller exchanges the energies. end_swaps completes the exchanges. Several threads may call
    /// swap_spins at a time for different columns or replicas.
    virtual void swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]) = 0;
    virtual void end_swaps() {}

    /// Returns the spins as words of layout(), for measurements. Valid until spins change.
    virtual const std::uint64_t* column_spins();
    /// Returns an object that counts the spins for measurements if column_spins would be much slower,
    /// otherwise nullptr.
    virtual LatticeCounts* lattice_counts() { return nullptr; }

    /// Returns the energies Eb of 128 realizations in units of Shape::energy_unit, after compute_energies.
    std::int32_t* energy(std::int64_t column, int replica, int slot) {
        return energies_.data() + lane_offset(column, replica, slot);
    }
    /// Returns the energies in units of J that replace energy() if has_wide_energies (lattice/site_bits.hpp),
    /// otherwise nullptr.
    virtual const std::int64_t* wide_energies() const { return nullptr; }
    /// Returns the magnetisations of 128 realizations. Call it only with a field.
    std::int32_t* magnetisation(std::int64_t column, int replica, int slot) {
        return magnetisations_.data() + lane_offset(column, replica, slot);
    }
    /// Returns the sums of the clusters of each lattice and slot in the last sweep that summed them, with the
    /// axes of lane_offset. Null before such a sweep.
    const ClusterSums* cluster_sums() const { return cluster_sums_.empty() ? nullptr : cluster_sums_.data(); }
    const SweepRule& rule() const { return rule_; }
    /// Return the first index of the 128 lanes of a lattice in an array (column, replica, slot, lane), and
    /// the size of such an array. The number of slots is rounded up to a multiple of slots_per_word.
    std::int64_t lane_offset(std::int64_t column, int replica, int slot) const {
        return ((column * shape_.replicas + replica) * layout_.groups() * slots_per_word + slot) *
               column_bits;
    }
    std::int64_t lanes() const { return lane_offset(shape_.columns(), 0, 0); }
    ThreadPool& pool() const { return pool_; }
    SimdLevel level() const { return level_; }
    const SimdKernels& kernels() const { return kernels_of<SimdKernels>(level_); }
    const HeldLattice& lattice() const { return lattice_; }
    const SpinLayout& layout() const { return layout_; }
    /// Returns the absent bonds of a column as words of CouplingLayout, or nullptr if no bond is absent.
    const std::uint64_t* column_absent(std::int64_t column) const {
        return rule_.absent ? absent_.data() + column * coupling_words() : nullptr;
    }
    /// Returns the number of present bonds of whole lattices, (column, lane), in the unit of energies.
    const std::int32_t* bonds() const { return bonds_.data(); }
    /// Returns the number of the first realization of a column in the study.
    std::uint32_t first_realization(std::int64_t column) const {
        return static_cast<std::uint32_t>(shape_.first_realization + column * column_bits);
    }

  protected:
    /// Holds the memory of a thread for Houdayer moves.
    struct HoudayerMemory {
        AlignedVector<std::uint64_t> words;
        std::vector<std::uint8_t> open;
    };

    explicit HostEnsemble(const BatchSetup& setup);

    /// Writes the number of unsatisfied bonds (modulo 2^32) of own red sites to the energies. In a field,
    /// also writes the number of own spins +1 to the magnetisations.
    virtual void count_lattices() = 0;
    /// Writes the spins as words of layout(). Lanes without a lattice keep their bits. Lane codings that hold
    /// words of this layout override column_spins instead.
    virtual void fill_columns(std::uint64_t*) {}
    /// Marks energies and column_spins as stale. Call it if spins changed.
    void spins_changed() { energies_ready_ = columns_ready_ = false; }
    /// Marks column_spins as stale. Call it if spins were exchanged together with their energies.
    void spins_exchanged() { columns_ready_ = false; }

    /// Sweeps one colour of a slab. sweep_planes(begin, end) must update planes begin to end - 1. The first
    /// and the last own plane are updated first. They are sent to the neighbours while the planes between
    /// them are updated.
    template <class SweepPlanes>
    void sweep_slab(CpuHalo& halo, std::int64_t half_sweep, const SweepPlanes& sweep_planes) const {
        const auto colour = static_cast<int>(half_sweep % 2);
        const int begin = lattice_.begin, last = lattice_.end - 1;
        sweep_planes(begin, begin + 1);
        sweep_planes(last, last + 1);
        halo.start(colour);
        sweep_planes(begin + 1, last);
        halo.finish(colour);
    }

    /// Runs task(column, replica, group) for every group of slots_per_word slots, on all threads.
    template <class Task>
    void for_each_group(const Task& task) {
        const int groups = layout_.groups();
        pool_.for_each(shape_.columns() * shape_.replicas * groups, [&](std::int64_t i, int) {
            task(i / groups / shape_.replicas, static_cast<int>(i / groups % shape_.replicas),
                 static_cast<int>(i % groups));
        });
    }
    /// Returns whether sweep() sums clusters now, and makes memory for the sums.
    bool sums_clusters_now();
    ClusterSums& cluster_sums_of(std::int64_t column, int replica, int slot, std::int64_t lane) {
        return cluster_sums_[lane_offset(column, replica, slot) + lane];
    }
    std::int64_t coupling_words() const { return CouplingLayout::of(shape_).column_words(); }

  private:
    /// Reorders (column, replica, slot, lane) to (replica, temperature, realization).
    std::vector<std::int32_t> of_realizations(const std::vector<std::int32_t>& lanes) const;

    mutable ThreadPool pool_;
    SimdLevel level_;
    HeldLattice lattice_;
    SpinLayout layout_;
    SweepRule rule_;
    AlignedVector<std::uint64_t> absent_;
    std::vector<std::int32_t> bonds_;                      ///< number of present bonds, (column, lane)
    std::vector<std::int32_t> energies_, magnetisations_;  ///< see lane_offset
    std::vector<ClusterSums> cluster_sums_;                ///< see cluster_sums
    AlignedVector<std::uint64_t> columns_;                 ///< for column_spins; empty before its first call
    /// True if energies and columns_ belong to the present spins.
    bool energies_ready_ = false, columns_ready_ = false;
};

/// Makes the ensemble in host memory for the lane coding of the shape. Errors: as make_ising_ensemble.
std::unique_ptr<HostEnsemble> make_host_ensemble(const BatchSetup& setup);

}  // namespace psflip
