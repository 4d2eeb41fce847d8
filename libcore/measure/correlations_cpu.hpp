#pragma once

#include "base/aligned.hpp"
#include "measure/correlations.hpp"

namespace psflip {

/// Correlations counted on the CPU: tasks are (column, temperature group).
class CpuCorrelations final : public Correlations {
  public:
    CpuCorrelations(Evolution& evolution, const Measured& measured, int bins);

    void remember(const std::vector<std::uint64_t>& spins) override;
    void remember_present() override;
    int remembered() const override { return static_cast<int>(earlier_.size()); }

  private:
    /// Buffers of one thread.
    struct Scratch {
        AlignedVector<std::uint64_t> difference;
        AlignedVector<std::int32_t> counts;
    };
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    /// Of the words of replica a and of the replicas in `others`, which are of `words`; one of spins all up
    /// where that is nullptr.
    void count(int a, const std::uint64_t* words, std::initializer_list<int> others, int distances,
               bool bonds, std::int64_t* counts);
    std::vector<std::int64_t> bonds() override;

    Evolution& evolution_;
    std::vector<AlignedVector<std::uint64_t>> earlier_;  ///< words of SpinLayout
    std::vector<Scratch> scratch_;
};

}  // namespace psflip
