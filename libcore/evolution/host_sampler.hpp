#pragma once

#include <memory>
#include <vector>

#include "evolution/move_sampler.hpp"
#include "sweep/host_ensemble.hpp"

namespace psflip {

/// Exchange with energies in host memory. Arrays run over lanes (realizations padded to columns of 128) last,
/// see HostEnsemble::lane_offset.
class HostExchange final : public Exchange {
  public:
    /// The ensemble must outlive the exchange.
    HostExchange(HostEnsemble& ensemble, int sweeps_per_swap);

    void apply(std::int64_t completed) override;
    TemperingState tempering() const override;
    void set_tempering(const TemperingState& state) override;
    const std::uint8_t* walkers() const { return walker_.data(); }

  private:
    void exchange_column(std::int64_t completed, std::int64_t column, int replica);
    /// 1 or 0 for each of 128 realizations.
    typedef std::uint8_t Accepted[column_bits];
    void decide_by_table(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                         Accepted& accept);
    void decide_by_rule(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                        Accepted& accept);
    void exchange_pair(std::int64_t column, int replica, int pair, const Accepted& accept);
    void note_ends(std::int64_t column, int replica);

    HostEnsemble& ensemble_;
    bool by_table_;  ///< energies of the first model are multiples of 4, so that a table decides
    std::vector<std::vector<std::uint32_t>> thresholds_;  ///< per pair, if by_table_
    std::vector<std::uint8_t> walker_, last_end_;  ///< (column, replica, slot, lane); last_end by walker
    std::vector<std::int64_t> accepted_;           ///< (column, replica, pair, lane)
    std::vector<std::int64_t> attempted_;          ///< (pair)
    std::vector<std::int64_t> round_trips_;        ///< (column, replica, lane)
};

/// Sampler of an ensemble whose energies lie in host memory.
class HostSampler final : public IsingSampler {
  public:
    HostSampler(std::unique_ptr<HostEnsemble> ensemble, int sweeps_per_swap);

    IsingEnsemble& ensemble() override { return *ensemble_; }
    View view() override;
    View view_of_spins() override { return view_with(ensemble_->column_spins(), nullptr); }

  private:
    CpuView view_with(const std::uint64_t* spins, LatticeCounts* counts);

    std::unique_ptr<HostEnsemble> ensemble_;
    const std::uint8_t* walkers_;
};

}  // namespace psflip
