#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "evolution/exchange.hpp"
#include "sweep/ensemble_cuda.hpp"

namespace psflip {

/// Replica exchange on the GPU, in the ensemble's stream; nothing comes to the host before energies() or
/// state().
class CudaExchange final : public Exchange {
  public:
    CudaExchange(CudaEnsemble& ensemble, int sweeps_per_swap);
    ~CudaExchange() override;

    void compute_energies() override;
    void exchange(std::int64_t completed) override;
    void sweep_and_exchange(std::int64_t first, int bursts) override;
    std::vector<std::int32_t> energies() const override;
    TemperingState state() const override;
    void set_state(const TemperingState& state) override;

    /// Device memory: energies (column, replica, slot, lane), 128 lanes.
    const std::int32_t* device_energies() const;
    /// Device memory: the walker at each slot (column, replica, slot, lane).
    const std::uint8_t* device_walkers() const;

  private:
    struct Memory;
    void count_attempts(std::int64_t completed);
    CudaEnsemble& ensemble_;
    std::vector<std::int64_t> attempted_;
    std::unique_ptr<Memory> memory_;
};

/// What make_exchange calls for the CUDA backend.
std::unique_ptr<Exchange> make_exchange_cuda(Ensemble& ensemble, int sweeps_per_swap);

}  // namespace psflip
