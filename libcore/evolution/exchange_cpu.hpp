#pragma once

#include "evolution/exchange.hpp"
#include "sweep/ensemble_cpu.hpp"

namespace psflip {

/// Exchange in host memory. Internal arrays run over lanes (realizations padded to columns of 128) last.
class CpuExchange : public Exchange {
  public:
    CpuExchange(CpuEnsemble& ensemble, int sweeps_per_swap);

    void compute_energies() override;
    void exchange(std::int64_t completed) override;
    std::vector<std::int32_t> energies() const override;
    TemperingState state() const override;
    void set_state(const TemperingState& state) override;

    /// E of 128 realizations: column, replica, slot.
    const std::int32_t* energy(std::int64_t column, int replica, int slot) const {
        return energy_.data() + offset(column, replica, slot);
    }

    /// Walkers of 128 realizations at a slot.
    const std::uint8_t* walker(std::int64_t column, int replica, int slot) const {
        return walker_.data() + offset(column, replica, slot);
    }

  private:
    /// (column, replica, slot) with `slots` per lattice stack, times 128 lanes.
    std::int64_t offset(std::int64_t column, int replica, int slot) const {
        return ((column * shape_.replicas + replica) * padded_slots_ + slot) * column_bits;
    }
    void exchange_column(std::int64_t completed, std::int64_t column, int replica);
    void decide_pair(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                     std::uint64_t (&mask)[2]);
    void swap_spins(std::int64_t column, int replica, int pair, const std::uint64_t (&mask)[2]);
    void note_ends(std::int64_t column, int replica);

    CpuEnsemble& ensemble_;
    Shape shape_;
    int padded_slots_;
    std::vector<std::vector<std::uint32_t>> thresholds_;  ///< per pair
    std::vector<std::int32_t> energy_;                    ///< (column, replica, slot, lane)
    std::vector<std::uint8_t> walker_, last_end_;         ///< likewise; last_end by walker instead of slot
    std::vector<std::int64_t> accepted_;                  ///< likewise; by pair instead of slot
    std::vector<std::int64_t> attempted_;                 ///< (pair)
    std::vector<std::int64_t> round_trips_;               ///< (column, replica, lane)
};

}  // namespace psflip
