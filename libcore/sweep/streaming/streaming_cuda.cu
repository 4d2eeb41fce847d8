// Sweeps lattices that do not fit into shared memory, with one launch per colour.
//
// A thread takes one site of one column and a range of (replica, slot). It reads the six couplings once and
// keeps them in registers while it walks over its lattices. Neighbours come through L1/L2, so that every
// 16-byte word of the other colour is read once from device memory. If possible, the spins of the columns of
// a launch fit into L2, and these columns make all sweeps of a call.
//
// An update of 128 lanes reads 16 B own + 16 B other colour from device memory and writes 16 B. Couplings add
// 96 B / lattices per thread. The sum is 0.375 + 0.75 / lattices bytes per flip, i.e. 0.1 ps at 4 TB/s if L2
// does not help. The logic equals the logic of the resident kernel. Registers: 24 for couplings, 28 for
// spins, 4 to 16 for random numbers.

#include <algorithm>
#include <cmath>

#include "base/cuda_check.cuh"
#include "sweep/cuda/site_update_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"

namespace psflip {

namespace {

/// Updates a thread's site. Grid: x = sites of a colour / slab_threads, y = group (`slots` slots of one
/// replica), z = column - first_column; for slabs see SlabColour.
template <int Share, class Work>
__device__ __forceinline__ void update_colour(const SweepArgs& a, const std::uint32_t first_column,
                                              const std::uint32_t slots, const std::uint64_t sweep,
                                              const std::uint32_t colour, const Work& work) {
    const Geometry& g = a.geometry;
    const std::uint32_t i = work.i();
    if (i >= work.end()) return;
    const std::uint32_t column = first_column + work.column();
    const Place place = work.place(g, colour, i);
    const Neighbours n = work.neighbours(g, colour, place);
    uint4 bond[6];
    load_couplings(a.couplings + static_cast<std::size_t>(column) * 3 * g.sites, g.sites, n, bond);

    const std::uint32_t groups = (a.temperatures + slots - 1) / slots;
    const std::uint32_t end = slots >= a.temperatures ? a.replicas : work.group() / groups + 1;
    const std::uint32_t first_slot = slots >= a.temperatures ? 0 : work.group() % groups * slots;
    for (std::uint32_t replica = slots >= a.temperatures ? work.group() : work.group() / groups;
         replica < end; replica += work.groups()) {
        const SiteDraw d{work.number(place), replica, a.first_realization + column * 128, sweep, a.seed};
        uint4* const lattices =
            a.spins +
            ((static_cast<std::size_t>(column) * a.replicas + replica) * a.temperatures + first_slot) *
                g.sites;
        update_slots<Share>(a, GlobalLattices{lattices, g.sites}, first_slot,
                            min(first_slot + slots, a.temperatures), n, bond, d);
        if constexpr (Work::sends)
            work.send(a, colour, (column * a.replicas + replica) * a.temperatures + first_slot,
                      min(slots, a.temperatures - first_slot), i);
    }
    work.done();
}

template <int Share, class Order>
__global__ void __launch_bounds__(slab_threads, 2)
    streaming_colour(const __grid_constant__ SweepArgs a, const std::uint32_t first_column,
                     const std::uint32_t slots, const std::uint64_t sweep, const std::uint32_t colour) {
    update_colour<Share>(a, first_column, slots, sweep, colour, WholeColour<Order>(a.geometry));
}
template <int Share, class Order>
__global__ void __launch_bounds__(slab_threads, 2)
    streaming_slab(const __grid_constant__ SweepArgs a, const std::uint32_t first_column,
                   const std::uint32_t slots, const std::uint64_t sweep, const std::uint32_t colour,
                   const __grid_constant__ SlabLaunch slab) {
    update_colour<Share>(a, first_column, slots, sweep, colour, SlabColour<Order>(a.geometry, slab));
}

/// Returns the launches of the plain rule with an order of whole lattices and an order of slabs.
template <int Share, class Order, class OrderOfSlabs>
StreamingForms plain_forms_of() {
    return {[](const SweepArgs& args, const ClassArgs&, const StreamingColour& what, dim3 grid,
               cudaStream_t stream) {
                launch(streaming_colour<Share, Order>, grid, dim3(slab_threads), 0, stream, args,
                       what.first_column, what.slots, what.sweep, what.colour);
            },
            [](const Halo& halo, const SweepArgs& args, const ClassArgs&, const StreamingColour& what,
               const SlabLaunch& slab, unsigned blocks, cudaStream_t stream) {
                halo.launch_kernel(streaming_slab<Share, OrderOfSlabs>, dim3(blocks), dim3(slab_threads), 0,
                                   stream, args, what.first_column, what.slots, what.sweep, what.colour,
                                   slab);
            }};
}

StreamingForms plain_forms(int share, SiteOrder order, const Geometry& g) {
    return with_share(share, [&](auto n) {
        if (order == SiteOrder::sliced) return plain_forms_of<n.value, SlicedOrder, SlicedOrder>();
        if (order == SiteOrder::bitwise) return plain_forms_of<n.value, BitwiseOrder, ExactOrder>();
        return has_exact_places(g) ? plain_forms_of<n.value, StandardOrder, ExactOrder>()
                                   : plain_forms_of<n.value, ExactOrder, ExactOrder>();
    });
}

/// How a batch is cut for one launch per colour.
struct StreamingPlan {
    std::int64_t columns_at_once = 0;
    std::uint32_t slots = 0, grid_y = 0;  ///< temperatures of a thread; number of groups of temperatures
};

/// Returns the microseconds of a sweep on one H200. The model is fitted to 144 timings of L = 34 to 128 with
/// 2 to 48 lattices of a column and shares 32 to 128. The standard deviation is 9%, the largest deviation
/// 31%. A launch takes 1.5 and, with two blocks on each multiprocessor, the steps of their threads:
/// - 1.06 for couplings;
/// - for a lattice 0.78, or 1.0 if its spins do not stay in L2, or 1.12 if rows of a colour then have an odd
///   number of words (19 timings of L = 38 to 62);
/// - 0.137 for the random numbers of a share group and slot quad.
/// The missing part of a last wave of blocks counts a quarter. Memory hides about half of the difference
/// between the updates of other rules and of the plain rule.
double streaming_microseconds(const SweepArgs& args, const StreamingPlan& plan, const PlannedBatch& batch) {
    int l2 = 0, multiprocessors = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, batch.device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, batch.device));
    const double all = args.replicas * args.temperatures, lattices = all / plan.grid_y,
                 slots = std::min(plan.slots, args.temperatures),
                 columns = static_cast<double>(plan.columns_at_once),
                 bytes = 16.0 * args.geometry.sites * (all + 3) * columns,
                 blocks = blocks_for(args.geometry.colour_sites, slab_threads) * plan.grid_y * columns,
                 fours = std::ceil(slots / 4) * lattices / slots;
    const double word = bytes <= l2                ? 0.78
                        : args.geometry.L % 4 == 0 ? 1.0
                                                   : 1.12,
                 update = word * (0.55 + 0.45 * update_units(batch.rule)),
                 step = 1.06 + lattices * update + 0.137 * fours * (128.0 / batch.share),
                 waves = blocks / (2 * multiprocessors),
                 launches = 2 * std::ceil(static_cast<double>(batch.columns) / columns);
    return launches * (1.5 + (0.725 * waves + 0.275 * std::ceil(waves)) * step);
}

/// Returns the predicted period_microseconds of a plan, which all slabs take from rank 0.
double streaming_period(const SweepArgs& args, const StreamingPlan& plan, const PlannedBatch& batch) {
    const SweepArgs planned = planned_args(args, batch);
    return agreed_plan(batch,
                       period_microseconds(planned, batch, streaming_microseconds(planned, plan, batch), 2));
}

/// Returns the best plan. Columns at once are as many as fit into two thirds of L2, or all if not even one
/// fits. A thread has all slots and replicas if the sites fill the device, else some slot quads.
StreamingPlan best_plan(const SweepArgs& args, std::int64_t columns, int device) {
    int l2 = 0, multiprocessors = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::int64_t wanted = std::int64_t{multiprocessors} * 2048;
    const std::int64_t lattices = std::int64_t{args.replicas} * args.temperatures;
    const std::int64_t column_bytes = 16 * std::int64_t{args.geometry.sites} * (lattices + 3);
    const std::int64_t fill = (wanted + args.geometry.colour_sites - 1) / args.geometry.colour_sites;
    StreamingPlan plan;
    plan.columns_at_once = std::min<std::int64_t>(columns, 65535);
    if (column_bytes <= l2 * 2 / 3)
        plan.columns_at_once = std::min(columns, std::max<std::int64_t>(1, l2 * 2 / 3 / column_bytes));
    const std::int64_t groups_wanted = std::max<std::int64_t>(1, fill / plan.columns_at_once);
    if (groups_wanted <= args.replicas) {
        plan.slots = args.temperatures;
        plan.grid_y = static_cast<std::uint32_t>(groups_wanted);
    } else {
        const std::int64_t per_replica = (groups_wanted + args.replicas - 1) / args.replicas;
        const std::int64_t quads = (args.temperatures + 3) / 4;
        plan.slots = static_cast<std::uint32_t>(4 * ((quads + per_replica - 1) / per_replica));
        const std::uint32_t groups = (args.temperatures + plan.slots - 1) / plan.slots;
        plan.grid_y = args.replicas * groups;
    }
    return plan;
}

/// Returns the best plan of rank 0. Collective if there are slabs.
StreamingPlan best_streaming_plan(const SweepArgs& args, const PlannedBatch& batch) {
    return agreed_plan(batch, best_plan(planned_args(args, batch), batch.columns, batch.device));
}

/// A streaming kernel with its plan.
class StreamingKernel final : public SweepKernel {
  public:
    StreamingKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                    const StreamingPlan& plan, const StreamingForms& forms)
        : SweepKernel("streaming", streaming_period(args, plan, batch)),
          table_(table),
          columns_(batch.columns),
          halo_(batch.halo),
          forms_(forms),
          plan_(plan) {}

    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        if (halo_) return sweep_slab(args, burst, part.stream);
        for (std::int64_t begin = 0; begin < columns_; begin += plan_.columns_at_once) {
            const dim3 grid(blocks_for(args.geometry.colour_sites, slab_threads), plan_.grid_y,
                            static_cast<unsigned>(std::min(plan_.columns_at_once, columns_ - begin)));
            for (int i = 0; i < burst.count; ++i)
                for (std::uint32_t colour = 0; colour < 2; ++colour)
                    forms_.whole(args, table_,
                                 {static_cast<std::uint32_t>(begin), plan_.slots, colour,
                                  static_cast<std::uint64_t>(burst.first + i)},
                                 grid, part.stream);
        }
    }

  private:
    void sweep_slab(const SweepArgs& args, const SweepBurst& burst, cudaStream_t stream) const {
        SlabSweep(*halo_, args, stream)
            .run(columns_, plan_.columns_at_once, plan_.grid_y, burst,
                 [&](const SlabLaunch& slab, unsigned blocks, std::uint32_t first, std::uint64_t sweep,
                     std::uint32_t colour, cudaStream_t of_part) {
                     forms_.slab(*halo_, args, table_, {first, plan_.slots, colour, sweep}, slab, blocks,
                                 of_part);
                 });
    }

    ClassArgs table_;
    std::int64_t columns_;
    Halo* halo_;
    StreamingForms forms_;
    StreamingPlan plan_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_streaming(const SweepArgs& args, const PlannedBatch& batch,
                                            const KernelRequest& request) {
    if (!batch.rule.cubic_plain() || batch.share == 1 || !request.takes("streaming")) return nullptr;
    return std::make_unique<StreamingKernel>(args, ClassArgs{}, batch, best_streaming_plan(args, batch),
                                             plain_forms(batch.share, batch.order, args.geometry));
}

std::unique_ptr<SweepKernel> plan_streaming_class(const SweepArgs& args, const ClassArgs& table,
                                                  const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.cubic_plain() || batch.share == 1 || !request.takes("streaming")) return nullptr;
    return std::make_unique<StreamingKernel>(args, table, batch, best_streaming_plan(args, batch),
                                             streaming_class_forms(batch.rule, batch.share));
}

}  // namespace psflip
