#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "evolution/exchange_cuda.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Measurement on the GPU, in the ensemble's stream. Accumulators stay in device memory until asked for.
class CudaMeasurement final : public Measurement {
  public:
    CudaMeasurement(CudaEnsemble& ensemble, CudaExchange& exchange, int bins, int histogram_bins);
    ~CudaMeasurement() override;

    void measure(int bin) override;
    Accumulators accumulators() const override;
    void set_accumulators(const Accumulators& accumulators) override;

  private:
    struct Memory;
    CudaEnsemble& ensemble_;
    CudaExchange& exchange_;
    int bins_, histogram_bins_;
    std::vector<std::pair<int, int>> replica_pairs_;
    std::vector<std::int64_t> count_;
    std::unique_ptr<Memory> memory_;
};

/// What make_measurement calls for the CUDA backend.
std::unique_ptr<Measurement> make_measurement_cuda(Ensemble& ensemble, Exchange& exchange, int bins,
                                                   int histogram_bins);

}  // namespace psflip
