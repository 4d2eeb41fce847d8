#pragma once

#include "base/aligned.hpp"
#include "base/thread_pool.hpp"
#include "lattice/layout.hpp"
#include "slab/halo_cpu.hpp"
#include "sweep/cpu/simd_kernels.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// Ensemble in host memory: words of 4 temperatures x 128 realizations, threads over columns, replicas and
/// temperature groups. Of a slab, the planes next to the own ones are kept fresh.
class CpuEnsemble : public Ensemble {
  public:
    CpuEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                const std::vector<std::int8_t>& couplings, int threads, const Model& model = {},
                Ranks& ranks = single_rank());

    Backend backend() const override { return Backend::cpu; }
    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    bool limit_sweeps(SweepPart part) override {
        part_ = part;
        return false;
    }
    void compute_energies() override;
    std::vector<std::int32_t> energies() const override { return of_realizations(energies_); }
    std::vector<std::int32_t> magnetisations() const override { return of_realizations(magnetisations_); }
    std::string description() const override;
    int threads() const override { return pool_.threads(); }

    /// Eb of 128 realizations in units of Shape::energy_unit, those of the spins after compute_energies.
    std::int32_t* energy(std::int64_t column, int replica, int slot) {
        return energies_.data() + lane_offset(column, replica, slot);
    }
    /// M likewise, in a field only.
    std::int32_t* magnetisation(std::int64_t column, int replica, int slot) {
        return magnetisations_.data() + lane_offset(column, replica, slot);
    }
    const SweepRule& rule() const { return rule_; }
    /// Where the 128 lanes of a lattice begin in an array (column, replica, slot rounded up to whole groups,
    /// lane), and the size of such an array.
    std::int64_t lane_offset(std::int64_t column, int replica, int slot) const {
        return ((column * shape_.replicas + replica) * layout_.groups() * slots_per_word + slot) *
               column_bits;
    }
    std::int64_t lanes() const { return lane_offset(shape_.columns(), 0, 0); }
    ThreadPool& pool() { return pool_; }
    SimdLevel level() const { return level_; }
    const SimdKernels& kernels() const { return simd_kernels(level_); }
    const HeldLattice& lattice() const { return lattice_; }
    const SpinLayout& layout() const { return layout_; }
    std::uint64_t* words() { return words_.data(); }
    const std::uint64_t* words() const { return words_.data(); }
    const std::uint64_t* column_couplings(std::int64_t column) const {
        return couplings_.data() + column * coupling_words();
    }
    /// Absent bonds; nullptr where every bond is there.
    const std::uint64_t* column_absent(std::int64_t column) const {
        return rule_.absent ? absent_.data() + column * coupling_words() : nullptr;
    }
    /// Bonds that are there in whole lattices, in the unit of energies: (column, lane).
    const std::int32_t* bonds() const { return bonds_.data(); }
    /// Global number of the first realization of a column.
    std::uint32_t first_realization(std::int64_t column) const {
        return static_cast<std::uint32_t>(shape_.first_realization + column * column_bits);
    }

  private:
    /// Runs task(column, replica, group) for every lattice group, on all threads.
    template <class Task>
    void for_each_group(const Task& task);
    std::int64_t coupling_words() const { return CouplingLayout::of(shape_).column_words(); }
    /// Planes begin, ..., end - 1 of a colour in one sweep, or of both in several.
    void sweep_planes(int begin, int end, std::int64_t first_half_sweep, std::int64_t half_sweeps);
    /// Of a slab.
    void sweep_colour(std::int64_t half_sweep);
    /// From lanes to (replica, temperature, realization); empty where there are none.
    std::vector<std::int32_t> of_realizations(const std::vector<std::int32_t>& lanes) const;

    ThreadPool pool_;
    SimdLevel level_;
    HeldLattice lattice_;
    SpinLayout layout_;
    SweepRule rule_;
    AcceptanceTable acceptance_;  ///< for slots_per_word temperatures at a time
    AlignedVector<std::uint64_t> words_, couplings_, absent_;
    std::unique_ptr<CpuHalo> halo_;  ///< of a slab
    SweepPart part_ = SweepPart::all;
    std::vector<std::int32_t> bonds_;                      ///< that are there: (realization, padded)
    std::vector<std::int32_t> energies_, magnetisations_;  ///< see lane_offset
    bool energies_ready_ = false;                          ///< they are those of the spins
};

}  // namespace psflip
