#pragma once

#include <utility>

#include "base/aligned.hpp"
#include "measure/measurement.hpp"
#include "measure/overlap_kernels.hpp"
#include "sweep/lattice_counts.hpp"

namespace psflip {

/// Measures in host memory. A task of a thread is a lattice group (column, four temperatures), or (column,
/// replica) for energies. All functions are collective if lattices are cut into slabs.
class CpuMeasurement : public Measurement {
  public:
    CpuMeasurement(Sampler& sampler, const Measured& measured, int bins, int histogram_bins);

    void measure(int bin) override;
    Accumulators accumulators() const override { return sums_; }
    Accumulators take(ThreadPool&) override { return std::move(sums_); }
    void set_accumulators(const Accumulators& accumulators) override;

  private:
    /// Holds the buffers of one thread, or of one lattice group of slabs.
    struct Scratch {
        AlignedVector<std::int32_t> planes, links;
        AlignedVector<LaneMoments> moments;
        AlignedVector<double> modes;  ///< (slot 4; as RepliconTask), empty without replicon
        Scratch(const SpinLayout& layout, int dimension, int replicon_pairs);
    };
    /// Names the realizations of a column at one slot, and the index of their sums.
    struct Lanes {
        std::int64_t column;
        int slot, used;
        std::int64_t at;
    };
    Lanes lanes_of(std::int64_t column, int slot, int bin, int components, int component) const;
    void add_energies(std::int64_t column, int replica, int bin);
    void add_clusters(std::int64_t column, int replica, int bin);
    void note_lowest(std::int64_t column, int replica, int bin);
    /// Runs task(number, column, group, thread) for every lattice group, on all threads.
    template <class Task>
    void for_each_group(const Task& task);
    void add_counts_of_slabs(int bin);
    /// Counts the differences of compared_[number] in a lattice group.
    void count_differences(std::int64_t column, int number, int group, int thread, Scratch& scratch);
    /// Adds the moments and links of the counts in `scratch`.
    void add_counts(std::int64_t column, int number, int group, int bin, Scratch& scratch);
    Lanes lanes_of(std::int64_t column, int number, int slot, int bin) const;
    /// Adds the moments m of compared_[number]. unequal: for each lane, the number of bonds whose ends
    /// differ.
    void add_compared(const Lanes& lanes, int number, const LaneMoments& m, const std::int64_t* unequal);
    void add_links(const Lanes& lanes, const std::int64_t* unequal, const LaneMoments& m);
    /// Returns the moments of the counts of a slot. The reference is valid until the next call with
    /// `scratch`.
    const LaneMoments& moments_of(int slot, Scratch& scratch);
    void add_moments(const Lanes& lanes, const MomentSums& sums, const LaneMoments& m);
    /// Adds chi_R from the modes of all pairs of a lattice group.
    void add_replicon(std::int64_t column, int group, int bin, Scratch& scratch);
    /// Adds chi_R of a slot. modes: (pair; as RepliconTask).
    void add_replicon_of(const Lanes& lanes, const double* modes);
    void add_counts_of_lattices(int bin);
    void add_energy_magnetisation(const Lanes& lanes, int replica, const LaneMoments& m);
    /// Returns the energy of the bonds of a lane in units of J. Call it only if energies are integers.
    std::int64_t integer_energy(std::int64_t column, int replica, int slot, int lane) const {
        const std::int64_t at = view_.offset(column, replica, slot) + lane;
        if (view_.wide_energies) return view_.wide_energies[at];
        return std::int64_t{shape_.energy_unit()} * view_.energies[at];
    }
    double energy(const Lanes& lanes, int replica, int lane) const;
    /// Adds energies and their squares if they are real numbers.
    void add_real_energies(const Lanes& lanes, int replica);
    /// Adds products of moments with the energies of replicas a and b, or of a alone if b is negative. Does
    /// nothing if the run does not measure them.
    void add_products(const Lanes& lanes, const MomentSums& sums, int a, int b, const LaneMoments& m);
    /// Adds 1 to a bin of a histogram (temperature, bin, realization) for every lane.
    template <class Value>
    void count(std::vector<std::uint32_t>& histogram, const Lanes& lanes, std::int64_t limit, Value value);
    /// Returns the index of (bin, component, temperature, first realization of the column) in an array with
    /// `components` components.
    std::int64_t index(int bin, int components, int component, int slot, std::int64_t column) const {
        return ((static_cast<std::int64_t>(bin) * components + component) * shape_.temperatures + slot) *
                   shape_.realizations +
               column * column_bits;
    }
    /// Returns the number of realizations in the column.
    int used_lanes(std::int64_t column) const {
        const std::int64_t rest = shape_.realizations - column * column_bits;
        return static_cast<int>(rest < column_bits ? rest : column_bits);
    }

    Sampler& sampler_;
    CpuView view_;
    Shape shape_;
    HeldLattice lattice_;
    std::vector<double> fourier_;
    AlignedVector<std::uint64_t> up_;  ///< a lattice group whose spins are all +1
    int pairs_ = 0;
    std::vector<ReplicaPair> compared_;  ///< measured pairs, then replicas with `up_`
    bool has_replicon_;                  ///< the run measures the replicon susceptibility
    /// (thread): differences of two lattice groups
    std::vector<AlignedVector<std::uint64_t>> differences_;
    std::vector<Scratch> scratch_;
    Accumulators sums_;
};

}  // namespace psflip
