#pragma once

#include "evolution/tempering.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Tempering of vector spins on either backend: energies are real numbers, decided on by the host
/// (exchange_accepted in model/exchange_rule.hpp), and the spins of states change places in the backend's
/// memory. The same bits on every backend.
class VectorTempering final : public Tempering {
  public:
    VectorTempering(std::unique_ptr<VectorBatch> batch, int sweeps_per_swap);

    VectorBatch& ensemble() override { return *batch_; }
    TemperingState state() const override { return state_; }
    void set_state(const TemperingState& state) override { state_ = state; }
    /// Not of vector spins, whose measurement asks the ensemble: std::logic_error.
    std::variant<CpuView, CudaView> view() override;
    /// As state(), for measurements.
    const TemperingState& tempering() const { return state_; }

  private:
    void exchange(std::int64_t completed) override;
    /// Decides on the pairs of one replica of a realization.
    void exchange_lattices(std::int64_t completed, std::int64_t realization, int replica,
                           std::vector<StatePair>& accepted);
    void note_ends(std::int64_t lattice);

    std::unique_ptr<VectorBatch> batch_;
    TemperingState state_;
};

}  // namespace psflip
