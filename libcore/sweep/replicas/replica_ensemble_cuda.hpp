#pragma once

#include "sweep/device_ensemble.hpp"

namespace psflip {

struct KernelRequest;

/// Holds words of the (replica, slot) pairs of one realization in the memory of one GPU (Lanes::replicas).
/// One launch does an exchange and all sweeps until the next exchange. Measurements read words of
/// realizations, which are made on request. Slabs take a launch and a halo exchange for each half sweep.
class ReplicaCudaEnsemble final : public DeviceEnsemble {
  public:
    /// Errors: as DeviceEnsemble; of slabs also as halo_way.
    explicit ReplicaCudaEnsemble(const BatchSetup& setup);
    ~ReplicaCudaEnsemble() override;

    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    void compute_energies() override;
    void exchange_spins(int parity) override;
    void make_houdayer_move(const HoudayerMove& move) override;
    HoudayerCounts houdayer_counts() const override;
    std::uint32_t* device_spins() const override;
    CUstream_st* stream() const override;
    const std::vector<StreamPart>& parts() const override { return parts_; }
    std::string description() const override;

  private:
    struct Words;
    void upload_bond_bytes(std::span<const std::int8_t> couplings);
    void set_thresholds();
    /// Sets how a launch shares its work, and for slabs their rows.
    void cut(const KernelRequest& wanted);
    /// Adds up the energies of the own rows of all ranks. Collective.
    void sum_energies() const;
    void launch_words(std::int64_t first, int sweeps) const;
    std::unique_ptr<Words> words_;
    std::vector<StreamPart> parts_;
};

}  // namespace psflip
