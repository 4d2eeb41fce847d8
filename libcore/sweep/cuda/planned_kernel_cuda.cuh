// Declares the interface of kernels that are planned for one batch. Predicted times are microseconds on one
// H200. They choose plans, and no plan changes results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/device_buffer.cuh"
#include "slab/agreement.hpp"
#include "slab/halo_cuda.cuh"
#include "sweep/cuda/exchange_args_cuda.cuh"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/stream_part.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

struct ClassArgs;

/// Holds what the plan of a kernel depends on, in addition to SweepArgs.
struct PlannedBatch {
    int share = 128;  ///< realizations with one random number: 1, 32, 64 or 128
    std::int64_t columns = 0;
    int device = 0;
    int sweeps_per_swap = 0;  ///< 0: no exchanges
    SweepRule rule{};
    bool exchanges_by_table = true;  ///< whether tables decide exchanges (sweep/sweep_rule.hpp)
    Halo* halo = nullptr;            ///< halos of slabs, not owned; null: whole lattices
    SiteOrder order = SiteOrder::standard;
    int parts = 1;  ///< number of batch slices, each in its own stream, for kernels with takes_parts()
    std::int64_t realizations = 0;     ///< lanes that have a realization, for kernels that skip the others
    const ClassArgs* table = nullptr;  ///< of the class rule, not owned

    bool has_whole_lattices() const { return !halo && order != SiteOrder::sliced; }
};

/// Returns the arguments for cost models. For slabs, these have the number of planes of the largest slab.
inline SweepArgs planned_args(const SweepArgs& args, const PlannedBatch& batch) {
    SweepArgs planned = args;
    if (batch.halo) planned.geometry = make_slab(static_cast<int>(args.geometry.L), batch.halo->max_planes());
    return planned;
}
/// Returns the plan that all ranks use: the plan of rank 0. Collective if there are slabs.
template <class Plan>
Plan agreed_plan(const PlannedBatch& batch, const Plan& plan) {
    return batch.halo ? of_first(batch.halo->ranks(), plan) : plan;
}

/// Returns the microseconds of an exchange period, by which plans are compared, from the microseconds of a
/// sweep. An exchange takes 5 microseconds of launches, and the time in which spins, energies and decisions
/// pass through device memory. Timings of L = 8 and 10, one column and full batches, on one H200 agree within
/// 15%. Without exchanges a period is a sweep.
///
/// Halos that travel in messages hide behind the updates, or the updates behind them. half_planes: half
/// planes that a slab sends to each neighbour in a sweep. GPUs of one machine send 17 GB/s each through host
/// memory (four H100). With 25 GB/s, the model chose on H200 the kernels that were faster on H100 at L = 128,
/// 256 and 512. It predicts too short sweeps of the streaming kernel, and does not know slower networks
/// between machines.
inline double period_microseconds(const SweepArgs& args, const PlannedBatch& batch, double sweep,
                                  int half_planes = 0) {
    constexpr double bytes_per_microsecond = 25000;
    const double lattices =
        static_cast<double>(args.temperatures * args.replicas) * static_cast<double>(batch.columns);
    if (batch.halo && !batch.halo->by_peers())
        sweep =
            std::max(sweep, 16 * 2.0 * half_planes * args.geometry.plane * lattices / bytes_per_microsecond);
    if (batch.sweeps_per_swap == 0) return sweep;
    return batch.sweeps_per_swap * sweep + 5 + 16e-6 * ((args.geometry.sites + 100.0) * lattices);
}

/// Returns the time of an update of 128 lanes on one H200. It depends on the operations of the rule, and on
/// the operations that turn a random number into masks (ClassPlanes). The unit is the plain rule in three
/// dimensions with shared numbers.
inline double update_units(const SweepRule& rule) {
    if (rule.plain) return rule.degree == 6 ? 1.0 : 0.8;
    const int operations = (rule.degree == 6 ? 16 : 10) + (rule.absent ? 10 : 0) + (rule.field ? 3 : 0);
    return 0.29 + 0.055 * operations;
}

/// Holds a kernel with its plan for one batch. The function plan_... of each kernel makes it, or returns null
/// if the kernel does not suit the batch or the request.
class PlannedKernel {
  public:
    PlannedKernel(std::string name, double microseconds)
        : name_(std::move(name)), microseconds_(microseconds) {}
    virtual ~PlannedKernel() = default;
    /// Returns the kernel and its plan in the form of KernelRequest, such as "resident:24x1x13".
    const std::string& name() const { return name_; }
    /// Returns the predicted period_microseconds.
    double microseconds() const { return microseconds_; }
    /// Queues the work that the kernel needs once. The couplings of the arguments must stay valid as long as
    /// the kernel exists. The SweepKernel of a batch is prepared before its PeriodKernel. If the SweepKernel
    /// is gauged, the couplings get the gauge in place between these two calls.
    virtual void prepare(const SweepArgs&, cudaStream_t) {}

  private:
    std::string name_;
    double microseconds_;
};

class PeriodKernel;

/// A kernel that sweeps. It queues its work into a stream and returns at once.
class SweepKernel : public PlannedKernel {
  public:
    using PlannedKernel::PlannedKernel;
    /// Returns whether the kernel can sweep one slice of the batch. Other kernels get the whole batch.
    virtual bool takes_parts() const { return false; }
    /// Does burst.count sweeps of the columns of `part`, in its stream. All arrays are arrays of the whole
    /// batch. A kernel may swap `spins` with its own array of equal size, and then sets args.spins. A
    /// kernel of slabs also renews the halos after each half sweep (PlannedBatch::halo), so the call is then
    /// collective. Errors: EnvironmentError if a launch fails.
    virtual void sweep(SweepArgs& args, DeviceBuffer<uint4>& spins, const SweepBurst& burst,
                       const StreamPart& part) = 0;
    /// Returns the numbers of slots that a block holds in shared memory, or nothing. A kernel with slot
    /// groups carries out a pending exchange inside each group before its sweeps. After its sweeps it writes
    /// energies, unless SweepBurst::energy is null.
    virtual std::optional<SlotGroups> slot_groups(const StreamPart&) const { return {}; }
    /// Returns a kernel that also exchanges, with the plan of this kernel, or null. The batch must have
    /// exchanges and whole lattices.
    virtual std::unique_ptr<PeriodKernel> with_exchanges(const SweepArgs&, const PlannedBatch&) const;
    /// Returns whether the kernel sweeps spins in the gauge, with couplings of LatticeGauge.
    virtual bool is_gauged() const { return false; }
};

/// A kernel that sweeps and exchanges. If the SweepKernel is gauged, couplings and, in run, spins are in the
/// gauge of LatticeGauge.
class PeriodKernel : public PlannedKernel {
  public:
    using PlannedKernel::PlannedKernel;
    /// Runs `periods` periods from sweep `first` on: the sweeps of a period, then the exchange. Leaves spins,
    /// energies, walkers and counts as separate sweeps and exchanges do. Queues the work into the stream.
    virtual void run(const SweepArgs& args, const ExchangeArgs& exchange, std::int64_t first, int periods,
                     cudaStream_t stream) = 0;
};

inline std::unique_ptr<PeriodKernel> SweepKernel::with_exchanges(const SweepArgs&,
                                                                 const PlannedBatch&) const {
    return nullptr;
}

}  // namespace psflip
