#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sweep/device_ensemble.hpp"
#include "sweep/kernel_request.hpp"

namespace psflip {

struct BondCountArgs;
struct ModelCountArgs;

/// Holds words of realizations (Lanes::realizations) in the memory of one GPU. Lattices that fit into shared
/// memory are swept there (resident and fused kernels), larger lattices from device memory (tiled and
/// streaming kernels). BackendChoice::kernel overrides the choice of plan_cuda.cu.
class ColumnCudaEnsemble final : public DeviceEnsemble {
  public:
    /// The caller has checked the setup (check_batch). Errors: as DeviceEnsemble.
    explicit ColumnCudaEnsemble(const BatchSetup& setup);
    ~ColumnCudaEnsemble() override;

    void set_spins(const std::vector<std::uint64_t>& canonical) override;
    std::vector<std::uint64_t> spins() const override;
    void sweep(std::int64_t first, int count) override;
    void put_betas(const std::vector<double>& betas) override;
    void make_houdayer_move(const HoudayerMove& move) override;
    HoudayerCounts houdayer_counts() const override;
    /// Computes the energies. After the first call, resident kernels also compute the energies at the end of
    /// every sweep().
    void compute_energies() override;
    void synchronize() const override;
    std::string description() const override;
    std::uint32_t* device_exchange_mask() const override;
    void exchange_spins(int parity) override;
    bool sweep_and_exchange(const ExchangeArgs& exchange, std::int64_t first, int periods) override;
    std::uint32_t* device_spins() const override;
    std::uint32_t* device_spins_alike() const override;
    const ClusterSums* device_cluster_sums() const override;
    CUstream_st* stream() const override;
    const std::vector<StreamPart>& parts() const override;

    /// Returns the predicted microseconds of the chosen plan. This number is its key in predicted_plans().
    double predicted_microseconds() const;
    /// Returns the best plans of each kernel for whole lattices.
    PredictedPlans predicted_plans() const;

  private:
    struct Memory;
    void plan();
    void carry_out_exchange() const;
    void count_own(const BondCountArgs& bonds, const ModelCountArgs& model);

    KernelRequest request_;
    std::string plan_source_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace psflip
