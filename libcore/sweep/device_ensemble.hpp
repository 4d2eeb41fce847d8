// Declares the common part of the ensembles of Ising spins on a GPU, for the lane codings `realizations` and
// `replicas`. The ensemble of `sites` is a HostEnsemble, also on a GPU. Device pointers belong to the
// ensemble; the caller must order its own work after the work in stream() or in the streams of parts().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sweep/clusters/cluster_sums.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/stream_part.hpp"
#include "sweep/sweep_rule.hpp"

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

struct ExchangeArgs;

/// Holds energies in the memory of one GPU. The GPU exchanges and measures these energies. All work goes in
/// order into one stream, or into one stream for each slice of a large batch. sweep() does not wait for the
/// sweeps, but a slab waits for messages of other ranks. synchronize() waits for all work.
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

    /// Returns the energies of the bonds in device memory, in units of Shape::energy_unit: int32 (column,
    /// replica, slot, lane). They belong to the present spins after compute_energies.
    std::int32_t* device_energies() const;
    /// Returns the magnetisations in device memory: int32 (column, replica, slot, lane), or null without a
    /// field.
    std::int32_t* device_magnetisations() const;

    /// Returns absent bonds in device memory: 32-bit words of CouplingLayout, 16-byte aligned. device_bonds
    /// returns the number of present bonds, int32 (column, lane). Both are nullptr if no bond is absent.
    const std::uint32_t* device_absent() const;
    const std::int32_t* device_bonds() const;

    /// Returns the mask of an exchange, in device memory: 32-bit words (column, replica, step, lane / 32).
    /// The caller sets the bits of the accepted lanes. There are exchange_steps(temperatures) steps. A step
    /// is the pair of slots (2 step - parity, 2 step - parity + 1); the words of a step are ignored if one of
    /// its slots does not exist. Call device_exchange_mask before every exchange. exchange_spins carries out
    /// the exchange on the spins, or leaves it to the next sweep.
    virtual std::uint32_t* device_exchange_mask() const;
    virtual void exchange_spins(int parity) = 0;

    /// Runs `periods` exchange periods from sweep `first` on, if the plan has a kernel that also exchanges.
    /// Returns whether such a kernel ran; energies are then up to date. exchange: arguments with arrays in
    /// device memory.
    virtual bool sweep_and_exchange(const ExchangeArgs& /*exchange*/, std::int64_t /*first*/,
                                    int /*periods*/) {
        return false;
    }

    /// Returns the spins in device memory, for reading: 32-bit words of SpinLayout with group 1, 16-byte
    /// aligned. Carries out a pending exchange and undoes the gauge first, which is a pass over all spins.
    /// Valid until the next sweep or compute_energies.
    virtual std::uint32_t* device_spins() const = 0;
    /// Returns the spins in device memory in the gauge of the kernel. Signs of spins may be reversed, at the
    /// same sites in all lattices of a column.
    virtual std::uint32_t* device_spins_alike() const { return device_spins(); }
    /// Returns the sums of the clusters of the last sweep that summed them, in device memory: (column,
    /// replica, slot, lane), or null before such a sweep.
    virtual const ClusterSums* device_cluster_sums() const { return nullptr; }
    /// Returns the stream for work on the whole batch. Work in it waits for earlier work on the slices.
    virtual CUstream_st* stream() const = 0;
    /// Returns the slices of the batch, for work on one slice after the other. Each slice waits for earlier
    /// work in stream(). The reference is valid until the next sweep, exchange or stream().
    virtual const std::vector<StreamPart>& parts() const = 0;

  protected:
    /// Holds the arrays that exchange and measurement read (sweep/cuda/device_arrays_cuda.cuh).
    struct Arrays;

    /// Allocates the arrays and copies the bonds of the setup to the device. The caller has checked the setup
    /// (check_batch), and Shape::order is the site order of the kernel. Errors: EnvironmentError if the
    /// device or its memory does not suffice; InputError for lattices that are too large for the kernels.
    explicit DeviceEnsemble(const BatchSetup& setup);

    Arrays& arrays() const { return *arrays_; }

  private:
    void upload_bonds(std::span<const std::int8_t> couplings);

    int device_, sweeps_per_swap_;
    SweepRule rule_;
    std::unique_ptr<Arrays> arrays_;
};

/// Makes the ensemble on the GPU for words of realizations or, with Lanes::replicas, of replicas. Do not call
/// it for Lanes::sites. Errors: as make_ising_ensemble.
std::unique_ptr<DeviceEnsemble> make_device_ensemble(const BatchSetup& setup);

}  // namespace psflip
