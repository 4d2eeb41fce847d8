#pragma once

#include "evolution/tempering.hpp"
#include "sweep/host_ensemble.hpp"

namespace psflip {

/// Tempering in host memory. Internal arrays run over lanes (realizations padded to columns of 128) last, see
/// HostEnsemble::lane_offset.
class HostTempering final : public IsingTempering {
  public:
    HostTempering(std::unique_ptr<HostEnsemble> ensemble, int sweeps_per_swap);

    IsingEnsemble& ensemble() override { return *ensemble_; }
    SamplerState state() const override { return {{group_of(tempering(), shape_)}}; }
    TemperingState tempering() const override;
    void set_tempering(const TemperingState& state) override;
    View view() override;
    View view_of_spins() override;

  private:
    CpuView view_with(const std::uint64_t* spins, LatticeCounts* counts);
    void exchange(std::int64_t completed) override;
    void exchange_column(std::int64_t completed, std::int64_t column, int replica);
    /// 1 or 0 for each of 128 realizations.
    typedef std::uint8_t Accepted[column_bits];
    void decide_by_table(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                         Accepted& accept);
    void decide_by_rule(std::int64_t column, int replica, int pair, const std::uint32_t* numbers,
                        Accepted& accept);
    void exchange_pair(std::int64_t column, int replica, int pair, const Accepted& accept);
    void note_ends(std::int64_t column, int replica);

    std::unique_ptr<HostEnsemble> ensemble_;
    Shape shape_;
    bool by_table_;  ///< energies of the first model are multiples of 4, so that a table decides
    std::vector<std::vector<std::uint32_t>> thresholds_;  ///< per pair; where by_table_
    std::vector<std::uint8_t> walker_, last_end_;  ///< (column, replica, slot, lane); last_end by walker
    std::vector<std::int64_t> accepted_;           ///< likewise; by pair instead of slot
    std::vector<std::int64_t> attempted_;          ///< (pair)
    std::vector<std::int64_t> round_trips_;        ///< (column, replica, lane)
};

}  // namespace psflip
