#pragma once

#include <memory>

#include "measure/correlations.hpp"

namespace psflip {

/// Correlations counted on the GPU, in the ensemble's stream; counts are added up on the host.
class CudaCorrelations final : public Correlations {
  public:
    CudaCorrelations(Sampler& sampler, const Measured& measured, int bins);
    ~CudaCorrelations() override;

    void remember(const std::vector<std::uint64_t>& spins) override;
    void remember_present() override;
    int remembered() const override;

  private:
    struct Memory;
    CudaView view() const;
    void count_distances(int distances, std::int64_t* counts) override;
    void count_times(int replica, int earlier, std::int64_t* counts) override;
    void add_counts(const CudaView& found, int rows, std::int64_t* to);
    std::vector<std::int64_t> bonds() override;

    Sampler& sampler_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace psflip
