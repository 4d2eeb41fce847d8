// Sweeps by all rules but the plain one in three dimensions: one launch per colour, as streaming_cuda.cu
// does for that one.
//
// Data flow: a thread takes one site of one column and a range of (replica, slot); bonds and absent bonds
// stay in registers while it walks over its lattices. A block keeps the table that turns random numbers into
// planes of the bond count in shared memory.
//
// Per update of 128 lanes, operations of three operands: class rule 4 x 10 to 27 (see class_rule.hpp), for
// each pack 2 per threshold and one read of the table for each spin value. Memory as the plain rule: 16 B own
// + 16 B other colour read, 16 B written.

#include "base/cuda_check.cuh"
#include "sweep/cuda/class_numbers_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"

namespace psflip {

namespace {

constexpr int threads = slab_threads;

/// What a launch does beside its arguments.
struct Launch {
    std::uint32_t first_column, slots, colour;  ///< slots of a thread
    std::uint64_t sweep;
};

/// Grid: x = sites of a colour / threads, y = group (`slots` slots of one replica), z = column -
/// first_column; of slabs see SlabColour.
template <class Update, class Work>
__device__ __forceinline__ void update_class(const SweepArgs& a, const typename Update::Rule::Args& table,
                                             const typename Update::Rule::Shared& shared, const Launch& l,
                                             const Work& work) {
    using Rule = typename Update::Rule;
    const Geometry& g = a.geometry;
    const std::uint32_t i = work.i();
    if (i >= work.end()) return;
    const std::uint32_t column = l.first_column + work.column();
    const Place place = work.place(g, l.colour, i);
    const NearSites<Rule::degree> at(neighbours_of(g, l.colour, place));
    const typename Rule::Site site = Rule::site(a, table, column, at);

    const bool whole = l.slots >= a.temperatures;
    const std::uint32_t groups = (a.temperatures + l.slots - 1) / l.slots;
    const std::uint32_t end = whole ? a.replicas : work.group() / groups + 1;
    const std::uint32_t first_slot = whole ? 0 : work.group() % groups * l.slots;
    for (std::uint32_t replica = whole ? work.group() : work.group() / groups; replica < end;
         replica += work.groups()) {
        const SiteDraw d{work.number(place), replica, a.first_realization + column * 128, l.sweep, a.seed};
        uint4* const lattices =
            a.spins + ((static_cast<std::size_t>(column) * a.replicas + replica) * a.temperatures +
                       first_slot / 4 * 4) *
                          g.sites;
        Update::update(a, table, shared, GlobalSite<Rule::degree>{lattices, g.sites, at},
                       SlotRange{first_slot, min(first_slot + l.slots, a.temperatures)}, site, d);
        if constexpr (Work::sends)
            work.send(a, l.colour, (column * a.replicas + replica) * a.temperatures + first_slot,
                      min(l.slots, a.temperatures - first_slot), i);
    }
    work.done();
}

template <class Update>
__global__ void __launch_bounds__(threads)
    streaming_class(const __grid_constant__ SweepArgs a,
                    const __grid_constant__ typename Update::Rule::Args table, const Launch l) {
    __shared__ typename Update::Rule::Shared shared;
    Update::Rule::fill(shared, table);
    __syncthreads();
    update_class<Update>(a, table, shared, l, WholeColour<>(a.geometry));
}
template <class Update>
__global__ void __launch_bounds__(threads)
    streaming_class_slab(const __grid_constant__ SweepArgs a,
                         const __grid_constant__ typename Update::Rule::Args table, const Launch l,
                         const __grid_constant__ SlabLaunch slab) {
    __shared__ typename Update::Rule::Shared shared;
    Update::Rule::fill(shared, table);
    __syncthreads();
    update_class<Update>(a, table, shared, l, SlabColour<>(a.geometry, slab));
}

using SweepFunction = void (*)(const SweepArgs&, const ClassArgs&, const Launch&, dim3, cudaStream_t);
using SlabFunction = void (*)(const Halo&, const SweepArgs&, const ClassArgs&, const SlabLaunch&,
                              const Launch&, unsigned, cudaStream_t);

SweepFunction function_of(const SweepRule& rule, int share) {
    return with_update(rule, share, [](auto chosen) -> SweepFunction {
        using Update = typename decltype(chosen)::Update;
        return [](const SweepArgs& args, const ClassArgs& table, const Launch& what, dim3 grid,
                  cudaStream_t stream) {
            launch(streaming_class<Update>, grid, dim3(threads), 0, stream, args,
                   typename Update::Rule::Args(table), what);
        };
    });
}

/// In three dimensions.
SlabFunction slab_function_of(const SweepRule& rule, int share) {
    return with_class_rule<6>(rule, share, [](auto chosen) -> SlabFunction {
        using Update = typename decltype(chosen)::Update;
        return [](const Halo& halo, const SweepArgs& args, const ClassArgs& table, const SlabLaunch& slab,
                  const Launch& what, unsigned blocks, cudaStream_t stream) {
            halo.launch_kernel(streaming_class_slab<Update>, dim3(blocks), dim3(threads), 0, stream, args,
                               table, what, slab);
        };
    });
}

/// The kernel with its plan.
class StreamingClassKernel final : public SweepKernel {
  public:
    StreamingClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch)
        : table_(table),
          columns_(batch.columns),
          halo_(batch.halo),
          plan_(streaming_plan(args, batch)),
          microseconds_(streaming_period(args, plan_, batch)),
          function_(function_of(batch.rule, batch.share)),
          slab_function_(halo_ ? slab_function_of(batch.rule, batch.share) : nullptr) {}

    std::string description() const override { return "streaming kernel"; }
    double microseconds() const override { return microseconds_; }

    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        if (halo_) return sweep_slab(args, burst, part.stream);
        for_each_colour(plan_, columns_, burst,
                        [&](std::uint32_t begin, unsigned here, std::uint64_t sweep, std::uint32_t colour) {
                            function_(
                                args, table_, {begin, plan_.slots, colour, sweep},
                                dim3(blocks_for(args.geometry.colour_sites, threads), plan_.grid_y, here),
                                part.stream);
                        });
    }

  private:
    void sweep_slab(const SweepArgs& args, const SweepBurst& burst, cudaStream_t stream) const {
        SlabSweep(*halo_, args, stream)
            .run(columns_, plan_.columns_at_once, plan_.grid_y, burst,
                 [&](const SlabLaunch& slab, unsigned blocks, std::uint32_t first, std::uint64_t sweep,
                     std::uint32_t colour) {
                     slab_function_(*halo_, args, table_, slab, {first, plan_.slots, colour, sweep}, blocks,
                                    stream);
                 });
    }

    ClassArgs table_;
    std::int64_t columns_;
    Halo* halo_;
    StreamingPlan plan_;
    double microseconds_;
    SweepFunction function_;
    SlabFunction slab_function_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_streaming_class(const SweepArgs& args, const ClassArgs& table,
                                                  const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.cubic_plain() || (batch.rule.plain && batch.share == 1) ||
        (request.form != "auto" && request.form != "streaming"))
        return nullptr;
    return std::make_unique<StreamingClassKernel>(args, table, batch);
}

}  // namespace psflip
