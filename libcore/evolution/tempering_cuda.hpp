#pragma once

#include "evolution/tempering.hpp"
#include "sweep/ensemble_cuda.hpp"

namespace psflip {

/// Tempering on the GPU, in the ensemble's streams; nothing comes to the host before state().
class CudaTempering final : public Tempering {
  public:
    /// With the sweeps_per_swap of the ensemble.
    explicit CudaTempering(std::unique_ptr<CudaEnsemble> ensemble);
    ~CudaTempering() override;

    Ensemble& ensemble() override { return *ensemble_; }
    TemperingState state() const override;
    void set_state(const TemperingState& state) override;
    std::variant<CpuView, CudaView> view() override;
    std::variant<CpuView, CudaView> view_of_parts(bool alike) override;

  private:
    struct Memory;
    void make_tables();  ///< of exchange by tables
    void make_rule();    ///< of exchange by the rule
    void exchange(std::int64_t completed) override;
    void sweep_and_exchange(std::int64_t first, int periods) override;
    void count_attempts(std::int64_t completed);

    std::unique_ptr<CudaEnsemble> ensemble_;
    std::vector<std::int64_t> attempted_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace psflip
