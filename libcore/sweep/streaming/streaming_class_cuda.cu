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

constexpr int threads = 256;

/// What a launch does beside its arguments.
struct Launch {
    std::uint32_t first_column, slots, colour;  ///< slots of a thread
    std::uint64_t sweep;
};

/// Grid: x = sites of a colour / threads, y = group (`slots` slots of one replica), z = column -
/// first_column.
template <class Update>
__global__ void __launch_bounds__(threads)
    streaming_class(const __grid_constant__ SweepArgs a,
                    const __grid_constant__ typename Update::Rule::Args table, const Launch l) {
    using Rule = typename Update::Rule;
    __shared__ typename Rule::Shared shared;
    Rule::fill(shared, table);
    __syncthreads();
    const Geometry& g = a.geometry;
    const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
    if (i >= g.colour_sites) return;
    const std::uint32_t column = l.first_column + blockIdx.z;
    const Place place = place_of(g, l.colour, i);
    const NearSites<Rule::degree> at(neighbours_of(g, l.colour, place));
    const typename Rule::Site site = Rule::site(a, table, column, at);

    const bool whole = l.slots >= a.temperatures;
    const std::uint32_t groups = (a.temperatures + l.slots - 1) / l.slots;
    const std::uint32_t end = whole ? a.replicas : blockIdx.y / groups + 1;
    const std::uint32_t first_slot = whole ? 0 : blockIdx.y % groups * l.slots;
    for (std::uint32_t replica = whole ? blockIdx.y : blockIdx.y / groups; replica < end;
         replica += gridDim.y) {
        const SiteDraw d{standard_site(g, place), replica, a.first_realization + column * 128, l.sweep,
                         a.seed};
        uint4* const lattices =
            a.spins + ((static_cast<std::size_t>(column) * a.replicas + replica) * a.temperatures +
                       first_slot / 4 * 4) *
                          g.sites;
        Update::update(a, table, shared, GlobalSite<Rule::degree>{lattices, g.sites, at},
                       SlotRange{first_slot, min(first_slot + l.slots, a.temperatures)}, site, d);
    }
}

using SweepFunction = void (*)(const SweepArgs&, const ClassArgs&, const Launch&, dim3, cudaStream_t);

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

/// The kernel with its plan.
class StreamingClassKernel final : public SweepKernel {
  public:
    StreamingClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch)
        : table_(table),
          columns_(batch.columns),
          plan_(streaming_plan(args, batch.columns, batch.device)),
          microseconds_(period_microseconds(args, batch, streaming_microseconds(args, plan_, batch))),
          function_(function_of(batch.rule, batch.share)) {}

    std::string description() const override { return "streaming kernel"; }
    double microseconds() const override { return microseconds_; }

    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst, cudaStream_t stream) override {
        for_each_colour(
            plan_, columns_, burst,
            [&](std::uint32_t begin, unsigned here, std::uint64_t sweep, std::uint32_t colour) {
                function_(args, table_, {begin, plan_.slots, colour, sweep},
                          dim3(blocks_for(args.geometry.colour_sites, threads), plan_.grid_y, here), stream);
            });
    }

  private:
    ClassArgs table_;
    std::int64_t columns_;
    StreamingPlan plan_;
    double microseconds_;
    SweepFunction function_;
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
