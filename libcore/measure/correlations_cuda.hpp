#pragma once

#include <memory>

#include "measure/correlations.hpp"

namespace psflip {

/// Correlations counted on the GPU, in the ensemble's stream; counts are added up on the host.
class CudaCorrelations final : public Correlations {
  public:
    CudaCorrelations(Evolution& evolution, const Measured& measured, int bins);
    ~CudaCorrelations() override;

    void remember(const std::vector<std::uint64_t>& spins) override;
    int remembered() const override;

  private:
    struct Memory;
    CudaView view() const;
    void count(const SpinComparison& compared, int distances, bool bonds, std::int64_t* counts) override;
    std::vector<std::int64_t> bonds() override;

    Evolution& evolution_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace psflip
