#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/device_buffer.cuh"
#include "slab/agreement.hpp"
#include "slab/halo_cuda.cuh"
#include "sweep/cuda/exchange_args_cuda.cuh"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/stream_part.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// What the plan of a kernel depends on beside SweepArgs.
struct PlannedBatch {
    int share;
    std::int64_t columns;
    int device;
    int sweeps_per_swap = 0;  ///< 0: no exchanges
    SweepRule rule{};
    bool exchanges_by_table = true;  ///< see there
    Halo* halo = nullptr;            ///< of slabs; null: whole lattices
    SiteOrder order = SiteOrder::standard;
    int parts = 1;  ///< in which kernels will be asked to sweep, if they can
};

/// For cost models: the arguments, of slabs with the planes of the largest one.
inline SweepArgs planned_args(const SweepArgs& args, const PlannedBatch& batch) {
    SweepArgs planned = args;
    if (batch.halo) planned.geometry = make_slab(static_cast<int>(args.geometry.L), batch.halo->max_planes());
    return planned;
}
/// A plan, of slabs that of rank 0 on all. Collective there.
template <class Plan>
Plan agreed_plan(const PlannedBatch& batch, const Plan& plan) {
    return batch.halo ? of_first(batch.halo->ranks(), plan) : plan;
}

/// Microseconds of an exchange period, the unit in which plans are compared, from those of a sweep: launches,
/// and spins, energies and decisions through device memory. Within 15% of L = 8 and 10, one column and full
/// batches on one H200. Without exchanges a period is a sweep.
inline double period_microseconds(const SweepArgs& args, const PlannedBatch& batch, double sweep) {
    if (batch.sweeps_per_swap == 0) return sweep;
    const double words = (args.geometry.sites + 100.0) * args.temperatures * args.replicas *
                         static_cast<double>(batch.columns);
    return batch.sweeps_per_swap * sweep + 5 + 16e-6 * words;
}

/// What an update of 128 lanes takes, in those of the plain rule in three dimensions with shared numbers, on
/// one H200: by the operations of the rule, and of what turns a random number into its offset.
inline double update_units(const SweepRule& rule, int share) {
    if (rule.plain) return rule.degree == 6 ? 1.0 : 0.8;
    if (share == 1) return rule.degree == 6 ? 19 : 11;
    const int operations = (rule.degree == 6 ? 16 : 10) + (rule.absent ? 10 : 0) + (rule.field ? 3 : 0);
    return 0.29 + 0.055 * operations;
}

/// A kernel that sweeps, with its plan for one batch. Each kernel's room has one function plan_... that makes
/// it, or nothing where the kernel does not suit the batch or the request.
class SweepKernel {
  public:
    virtual ~SweepKernel() = default;
    /// "resident kernel (24 temperatures and 416 threads per block)"
    virtual std::string description() const = 0;
    /// See period_microseconds; a prediction, for the choice between kernels.
    virtual double microseconds() const = 0;
    /// Called once before sweeps; what it does goes into the stream.
    virtual void prepare(const SweepArgs&, cudaStream_t) {}
    /// Whether it can sweep one part of the batch after the other; else the part is always the whole batch.
    virtual bool takes_parts() const { return false; }
    /// Sweeps of the part's lattices in `spins`, which may become another array of the same size.
    virtual void sweep(SweepArgs& args, DeviceBuffer<uint4>& spins, const SweepBurst& burst,
                       const StreamPart& part) = 0;
    /// Slots that a block holds: it carries out a pending exchange between them before its sweeps, and leaves
    /// energies. None: it does neither.
    virtual std::optional<SlotGroups> slot_groups(const StreamPart&) const { return {}; }
    /// It sweeps spins in the gauge, with couplings of LatticeGauge.
    virtual bool is_gauged() const { return false; }
};

/// A kernel that sweeps and exchanges.
class PeriodKernel {
  public:
    virtual ~PeriodKernel() = default;
    virtual std::string description() const = 0;
    virtual double microseconds() const = 0;
    /// Called once before periods, after the prepare of the sweeps' kernel: where that one is gauged, with
    /// couplings and, in run, spins of LatticeGauge.
    virtual void prepare(const SweepArgs&, cudaStream_t) {}
    /// `periods` times: the sweeps of a period, from number `first` on, and the exchange. Leaves spins,
    /// energies, walkers and counts as so many sweeps and exchanges one by one would.
    virtual void run(const SweepArgs& args, const ExchangeArgs& exchange, std::int64_t first, int periods,
                     cudaStream_t stream) = 0;
};

}  // namespace psflip
