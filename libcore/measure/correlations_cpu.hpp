#pragma once

#include <optional>

#include "base/aligned.hpp"
#include "measure/correlations.hpp"
#include "measure/slab_lines.hpp"

namespace psflip {

/// Where spins lie in host memory, or come to.
class HostSpins {
  public:
    virtual ~HostSpins() = default;
    /// Returns the present spins, valid until the next call or sweep; of a slab the nearest halo plane above
    /// is fresh. Collective.
    virtual CpuView look() = 0;
};

/// The spins of a sampler on the CPU, which must outlive this.
class SpinsInPlace final : public HostSpins {
  public:
    explicit SpinsInPlace(Sampler& sampler) : sampler_(sampler) {}
    CpuView look() override { return std::get<CpuView>(sampler_.view_of_spins()); }

  private:
    Sampler& sampler_;
};

/// Correlations counted on the CPU: tasks are (column, temperature group). Of slabs, in the standard order,
/// the axes x and y and all bonds are counted where they are (InputError for the sliced order). Along z the
/// differences are transposed first (slab_lines.hpp): a rank sends and receives, for every group and each of
/// the p pairs of replicas (p = 3 for the six of four), 64 bytes for every own site, less its own part, and
/// holds twice as much for each of its threads.
class CpuCorrelations final : public Correlations {
  public:
    /// spins: the spins of the ensemble, which must outlive this. Collective.
    CpuCorrelations(const Ensemble& ensemble, std::unique_ptr<HostSpins> spins, const Measured& measured,
                    int bins);

    void remember(const std::vector<std::uint64_t>& spins) override;
    void remember_present() override;
    int remembered() const override { return static_cast<int>(earlier_.size()); }

  private:
    /// Buffers of one thread.
    struct Scratch {
        AlignedVector<std::uint64_t> difference, lines;  ///< see DistanceTask and LineTask
        AlignedVector<std::int32_t> counts;
    };
    void look() override { view_ = spins_->look(); }
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    /// Of the words of replica a and of the replicas in `others`, which are of `words`; one of spins all up
    /// where that is nullptr.
    void count(int a, const std::uint64_t* words, std::initializer_list<int> others, int distances,
               bool bonds, std::int64_t* counts);
    void transpose(Scratch& scratch, int others);
    /// Of the distances from `least` on.
    void add_counts(const Scratch& scratch, std::int64_t column, int group, int least,
                    std::int64_t* counts) const;
    /// Of so many rows (temperature; realization).
    void sum_of_ranks(std::int64_t* counts, int rows);
    std::vector<std::int64_t> bonds() override;

    Ranks& ranks_;
    std::unique_ptr<HostSpins> spins_;
    CpuView view_;                                       ///< of the last look
    std::vector<AlignedVector<std::uint64_t>> earlier_;  ///< words of SpinLayout
    std::vector<Scratch> scratch_;
    std::optional<SlabLines> lines_;  ///< of slabs
};

}  // namespace psflip
