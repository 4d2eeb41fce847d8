#pragma once

#include "base/aligned.hpp"
#include "measure/measurement.hpp"
#include "measure/overlap_kernels.hpp"

namespace psflip {

/// Measurement in host memory: tasks are (column, replica pair, temperature group), and (column, replica) for
/// energies.
class CpuMeasurement : public Measurement {
  public:
    CpuMeasurement(Evolution& evolution, int bins, int histogram_bins);

    void measure(int bin) override;
    Accumulators accumulators() const override { return sums_; }
    void set_accumulators(const Accumulators& accumulators) override { sums_ = accumulators; }

  private:
    /// Buffers of one thread.
    struct Scratch {
        AlignedVector<std::uint64_t> difference;
        AlignedVector<std::int32_t> planes, links;
        AlignedVector<LaneMoments> moments;
        explicit Scratch(const SpinLayout& layout);
    };
    void add_energies(std::int64_t column, int replica, int bin);
    void add_overlaps(std::int64_t column, int pair, int group, int bin, Scratch& scratch);
    void add_slot(std::int64_t column, int pair, int slot, int bin, Scratch& scratch);
    /// Sums that are later than the first versions (Accumulators::has_later): of the coldest energies, and of
    /// `used` lanes with so many unequal links, whose sums begin at `at` and counts at `first_count`.
    void note_lowest(std::int64_t column, int replica, int bin);
    void add_links(const std::int32_t* unequal, int used, std::int64_t at, std::int64_t first_count,
                   const LaneMoments& m);
    /// Index of (bin, component, temperature, first realization of the column) in an array with `components`
    /// components.
    std::int64_t index(int bin, int components, int component, int slot, std::int64_t column) const {
        return ((static_cast<std::int64_t>(bin) * components + component) * shape_.temperatures + slot) *
                   shape_.realizations +
               column * column_bits;
    }
    /// Realizations in the column.
    int used_lanes(std::int64_t column) const {
        const std::int64_t rest = shape_.realizations - column * column_bits;
        return static_cast<int>(rest < column_bits ? rest : column_bits);
    }

    Evolution& evolution_;
    CpuView view_;
    Shape shape_;
    std::vector<double> fourier_;
    std::vector<std::pair<int, int>> replica_pairs_;
    std::vector<Scratch> scratch_;
    Accumulators sums_;
};

}  // namespace psflip
