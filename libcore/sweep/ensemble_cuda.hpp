#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"
#include "sweep/stream_part.hpp"
#include "sweep/sweep_rule.hpp"

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

struct BondCountArgs;
struct ExchangeArgs;
struct ModelCountArgs;

/// An ensemble in the memory of one GPU. Lattices that fit into shared memory are swept there (resident
/// kernel), larger ones from device memory (tiled and streaming kernels); other rules than the plain one in
/// three dimensions from device memory. BackendChoice::kernel overrides
/// (see parse_kernel); where that is auto, the environment variable PSFLIP_CUDA_KERNEL does, for tests. All
/// work goes in order into one stream, or into one for each part of a large batch, which exchange and
/// measurement share; sweep() returns at once.
class CudaEnsemble : public IsingEnsemble {
  public:
    /// The setup has been checked (check_batch). Errors: EnvironmentError if the device or its memory does
    /// not suffice.
    explicit CudaEnsemble(const BatchSetup& setup);
    ~CudaEnsemble() override;

    Backend backend() const override { return Backend::cuda; }
    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    /// From its first call on, the resident kernel leaves energies after every sweep().
    void compute_energies() override;
    std::vector<std::int32_t> energies() const override;
    std::vector<std::int32_t> magnetisations() const override;
    void synchronize() const override;
    std::string description() const override;

    const SweepRule& rule() const { return rule_; }
    /// Energies of the bonds in device memory, in units of Shape::energy_unit: int32 (column, replica, slot,
    /// lane).
    std::int32_t* device_energies() const;
    /// Magnetisations likewise; null without a field.
    std::int32_t* device_magnetisations() const;

    /// Absent bonds in device memory, 32-bit words of CouplingLayout, and the number of those that are there,
    /// int32 (column, lane); both nullptr where every bond is there.
    const std::uint32_t* device_absent() const;
    const std::int32_t* device_bonds() const;

    /// Accepted lanes of an exchange in device memory: 32-bit words (column, replica, step, lane / 32), the
    /// step of the slots (2 step - parity, + 1); to be asked for before every exchange.
    /// exchange_spins carries it out on the spins, or leaves that to the next sweep.
    std::uint32_t* device_exchange_mask() const;
    virtual void exchange_spins(int parity);

    /// Where a kernel was planned that also exchanges: so many exchange periods from sweep `first` on, and
    /// true. Energies are those of the spins afterwards.
    virtual bool sweep_and_exchange(const ExchangeArgs& exchange, std::int64_t first, int periods);

    /// Device memory: 32-bit words of SpinLayout with group 1, 16-byte aligned; carries out what is pending.
    virtual std::uint32_t* device_spins() const;
    /// The same, but as the kernel sweeps them: turned over, perhaps, at each site in all lattices of a
    /// column alike.
    virtual std::uint32_t* device_spins_alike() const;
    /// A stream for work on the whole batch; it waits for what its parts have been given.
    CUstream_st* stream() const;
    /// For work on one part after the other; it waits for what stream() has been given before. Until the next
    /// sweep, exchange or stream().
    const std::vector<StreamPart>& parts() const;
    int device() const { return device_; }
    int sweeps_per_swap() const { return sweeps_per_swap_; }

  private:
    struct Memory;
    void plan();
    void carry_out_exchange() const;
    void upload_bonds(std::span<const std::int8_t> couplings);
    void count_own(const BondCountArgs& bonds, const ModelCountArgs& model);

    int device_, sweeps_per_swap_;
    std::string kernel_;  ///< BackendChoice::kernel
    SweepRule rule_;
    std::unique_ptr<Memory> memory_;
};

/// Makes the ensemble of the lane coding of the shape. Errors: as make_ising_ensemble.
std::unique_ptr<CudaEnsemble> make_cuda_ensemble(const BatchSetup& setup);

}  // namespace psflip
