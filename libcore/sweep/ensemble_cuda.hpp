#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/ensemble.hpp"
#include "sweep/kernel_request.hpp"

struct CUstream_st;  // *CUstream_st is cudaStream_t

namespace psflip {

struct SweepArgs;

/// An ensemble in the memory of one GPU. Lattices that fit into shared memory are swept there (resident
/// kernel), larger ones from device memory (tiled and streaming kernels). BackendChoice::kernel overrides
/// (see parse_kernel); where that is auto, the environment variable PSFLIP_CUDA_KERNEL does, for tests. All
/// work goes in order into one stream, which exchange and measurement share; sweep() returns at once.
class CudaEnsemble final : public Ensemble {
  public:
    /// See make_ensemble. `shape` has been checked. Throws EnvironmentError where the device or its memory
    /// does not suffice.
    CudaEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                 const std::vector<std::int8_t>& couplings, int device, const std::string& kernel);
    ~CudaEnsemble() override;

    Backend backend() const override { return Backend::cuda; }
    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void synchronize() const override;
    std::string description() const override;

    /// Energies E = -sum J s s of all lattices in device memory: int32 (column, replica, slot, lane).
    /// compute_energies brings them up to date; from its first call on, the resident kernel leaves them after
    /// every sweep(). Who exchanges spins also exchanges energies.
    std::int32_t* device_energies() const;
    void compute_energies();

    /// Accepted lanes of an exchange in device memory: 32-bit words (column, replica, step, lane / 32), the
    /// step of the slots (2 step - parity, + 1); to be asked for before every exchange.
    /// exchange_spins carries it out on the spins, or leaves that to the next sweep.
    std::uint32_t* device_exchange_mask() const;
    void exchange_spins(int parity);

    /// Device memory: 32-bit words of SpinLayout with group 1, and of CouplingLayout; 16-byte aligned. The
    /// first carries out what is pending.
    std::uint32_t* device_spins() const;
    const std::uint32_t* device_couplings() const;
    CUstream_st* stream() const;
    int device() const { return device_; }

    /// For kernels that sweep and exchange: what they need; to be called before their launch, after which the
    /// energies are those of the spins.
    const SweepArgs& sweep_args() const;
    void hand_over();
    /// Kernel that was asked for, and the name of the one that does it.
    const KernelRequest& kernel_request() const;
    /// ResidentPlan::cost of the plan for the resident kernel, 0 if there is none.
    double resident_cost() const;
    void describe_kernel(const std::string& description) { kernel_ = description; }

  private:
    struct Memory;
    void carry_out_exchange() const;

    int device_;
    std::string kernel_;  ///< see description()
    std::unique_ptr<Memory> memory_;
};

/// What make_ensemble calls for the CUDA backend.
std::unique_ptr<Ensemble> make_ensemble_cuda(const Shape& shape, const std::vector<double>& betas,
                                             std::uint64_t seed, const std::vector<std::int8_t>& couplings,
                                             int device, const std::string& kernel);

}  // namespace psflip
