#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sweep/ensemble.hpp"
#include "sweep/stream_part.hpp"
#include "sweep/sweep_rule.hpp"

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

struct ExchangeArgs;

/// Ensemble whose energies lie in the memory of one GPU, which exchanges and measures them for every lane
/// coding of the swept words. All work goes in order into one stream, or into one stream
/// for each part of a large batch; sweep() returns at once.
class DeviceEnsemble : public IsingEnsemble {
  public:
    ~DeviceEnsemble() override;

    Backend backend() const final { return Backend::cuda; }
    std::vector<std::int32_t> energies() const final;
    std::vector<std::int32_t> magnetisations() const final;
    void synchronize() const override;

    const SweepRule& rule() const { return rule_; }
    int device() const { return device_; }
    int sweeps_per_swap() const { return sweeps_per_swap_; }

    /// Energies of the bonds in device memory, in units of Shape::energy_unit: int32 (column, replica, slot,
    /// lane).
    std::int32_t* device_energies() const;
    /// Magnetisations in the same order; null without a field.
    std::int32_t* device_magnetisations() const;

    /// Returns absent bonds in device memory, 32-bit words of CouplingLayout. device_bonds returns the number
    /// of present bonds, int32 (column, lane). Both are nullptr if no bond is absent.
    const std::uint32_t* device_absent() const;
    const std::int32_t* device_bonds() const;

    /// Returns the accepted lanes of an exchange in device memory: 32-bit words (column, replica, step,
    /// lane / 32), the step of the slots (2 step - parity, + 1). Ask for it before every exchange:
    /// exchange_spins carries it out on the spins, or leaves that to the next sweep.
    virtual std::uint32_t* device_exchange_mask() const;
    virtual void exchange_spins(int parity) = 0;

    /// Runs `periods` exchange periods from sweep `first` on, if a kernel was planned that also exchanges.
    /// Energies then belong to the spins afterwards. Returns whether it ran them.
    virtual bool sweep_and_exchange(const ExchangeArgs& /*exchange*/, std::int64_t /*first*/,
                                    int /*periods*/) {
        return false;
    }

    /// Returns the spins in device memory: 32-bit words of SpinLayout with group 1, 16-byte aligned. Carries
    /// out what is pending.
    virtual std::uint32_t* device_spins() const = 0;
    /// Returns the spins as the kernel sweeps them, which may be turned over at each site in all lattices of
    /// a column alike.
    virtual std::uint32_t* device_spins_alike() const { return device_spins(); }
    /// Returns the stream for work on the whole batch; it waits for the work that its parts have been given.
    virtual CUstream_st* stream() const = 0;
    /// Returns the parts, for work on one part after the other; each waits for the work that stream() has
    /// been given before. Valid until the next sweep, exchange or stream().
    virtual const std::vector<StreamPart>& parts() const = 0;

  protected:
    /// The arrays that exchange and measurement read (sweep/cuda/device_arrays_cuda.cuh).
    struct Arrays;

    /// The setup has been checked (check_batch), and its shape is in the order of the kernel. Allocates the
    /// arrays; the bonds of the setup are on the device afterwards. Errors: EnvironmentError if the device or
    /// its memory does not suffice; InputError for lattices that are too large for the kernels.
    explicit DeviceEnsemble(const BatchSetup& setup);

    Arrays& arrays() const { return *arrays_; }

  private:
    void upload_bonds(std::span<const std::int8_t> couplings);

    int device_, sweeps_per_swap_;
    SweepRule rule_;
    std::unique_ptr<Arrays> arrays_;
};

/// Makes the ensemble of the lane coding of the shape. Errors: as make_ising_ensemble.
std::unique_ptr<DeviceEnsemble> make_device_ensemble(const BatchSetup& setup);

}  // namespace psflip
