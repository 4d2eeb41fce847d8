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
#include "sweep/independent/class_comparison_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"

namespace psflip {

namespace {

constexpr int threads = 256;

/// What a launch does beside its arguments.
struct Launch {
    std::uint32_t first_column, slots, colour;  ///< slots of a thread
    std::uint64_t sweep;
};

/// Updates a site in the slots [first, end) of `lattice`, which is that of slot `first`, a multiple of four.
template <class Rule, int Share>
__device__ __forceinline__ void update_lattices(const SweepArgs& a, const typename Rule::Args& table,
                                                const typename Rule::Shared& shared, uint4* lattice,
                                                std::uint32_t first, std::uint32_t end,
                                                const NearSites<Rule::degree>& at,
                                                const typename Rule::Site& site, const SiteDraw& d) {
    QuadRandom<Share> random;
#pragma unroll 1
    for (std::uint32_t quad = first / 4; quad * 4 < end; ++quad) {
        random.draw(d, quad);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const std::uint32_t slot = quad * 4 + k;
            if (slot >= end) break;
            const NearSpins<Rule::degree> spins(lattice, at);
            uint4 result;
            typename Rule::Offset offset;
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                if (w * 32 % Share == 0)
                    offset = Rule::offset(a, table, shared, slot, random.word[w * 32 / Share][k]);
                word_ref(result, w) = Rule::updated(spins, site, w, offset).bits;
            }
            lattice[at.own] = result;
            lattice += a.geometry.sites;
        }
    }
}

/// Likewise with a number for every spin.
template <int Degree, bool Field, bool Absent>
__device__ __forceinline__ void update_lattices_independently(
    const SweepArgs& a, const ClassArgs& table,
    const typename ClassUpdate<Degree, Field, Absent>::Shared& shared, uint4* lattice, std::uint32_t first,
    std::uint32_t end, const NearSites<Degree>& at,
    const typename ClassUpdate<Degree, Field, Absent>::Site& site, const SiteDraw& d) {
#pragma unroll 1
    for (std::uint32_t slot = first; slot < end; ++slot, lattice += a.geometry.sites) {
        const NearSpins<Degree> spins(lattice, at);
        lattice[at.own] = updated_independent<Degree, Field, Absent>(table, shared, spins, site, d, slot);
    }
}

/// A rule with its share.
template <class RuleOfSites, int Share>
struct SharedNumbers {
    using Rule = RuleOfSites;
    template <class... Arguments>
    __device__ __forceinline__ static void update(const Arguments&... arguments) {
        update_lattices<Rule, Share>(arguments...);
    }
};
template <int Degree, bool Field, bool Absent>
struct OwnNumbers {
    using Rule = ClassUpdate<Degree, Field, Absent>;
    template <class... Arguments>
    __device__ __forceinline__ static void update(const Arguments&... arguments) {
        update_lattices_independently<Degree, Field, Absent>(arguments...);
    }
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
        uint4* const lattice =
            a.spins +
            ((static_cast<std::size_t>(column) * a.replicas + replica) * a.temperatures + first_slot) *
                g.sites;
        Update::update(a, table, shared, lattice, first_slot, min(first_slot + l.slots, a.temperatures), at,
                       site, d);
    }
}

using SweepFunction = void (*)(const SweepArgs&, const ClassArgs&, const Launch&, dim3, cudaStream_t);

template <class Update>
void launch_colour(const SweepArgs& args, const ClassArgs& table, const Launch& what, dim3 grid,
                   cudaStream_t stream) {
    using Args = typename Update::Rule::Args;
    if constexpr (std::is_same_v<Args, ClassArgs>)
        launch(streaming_class<Update>, grid, dim3(threads), 0, stream, args, table, what);
    else
        launch(streaming_class<Update>, grid, dim3(threads), 0, stream, args, Args{}, what);
}

template <class Rule>
SweepFunction shared_numbers(int share) {
    switch (share) {
        case 32:
            return launch_colour<SharedNumbers<Rule, 32>>;
        case 64:
            return launch_colour<SharedNumbers<Rule, 64>>;
        default:
            return launch_colour<SharedNumbers<Rule, 128>>;
    }
}

template <int Degree, bool Field, bool Absent>
SweepFunction class_function(int share) {
    return share == 1 ? launch_colour<OwnNumbers<Degree, Field, Absent>>
                      : shared_numbers<ClassUpdate<Degree, Field, Absent>>(share);
}

template <int Degree>
SweepFunction class_function(const SweepRule& rule, int share) {
    if (rule.field)
        return rule.absent ? class_function<Degree, true, true>(share)
                           : class_function<Degree, true, false>(share);
    return rule.absent ? class_function<Degree, false, true>(share)
                       : class_function<Degree, false, false>(share);
}

SweepFunction function_of(const SweepRule& rule, int share) {
    if (rule.plain && share > 1) return shared_numbers<PlanarRule>(share);
    return rule.degree == 6 ? class_function<6>(rule, share) : class_function<4>(rule, share);
}

/// The kernel with its plan.
class StreamingClassKernel final : public SweepKernel {
  public:
    StreamingClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch)
        : table_(table),
          columns_(batch.columns),
          plan_(streaming_plan(args, batch.columns, batch.device)),
          function_(function_of(batch.rule, batch.share)) {}

    std::string description() const override { return "streaming kernel"; }
    double microseconds() const override { return 0; }  // the only one for these rules

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
    SweepFunction function_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_streaming_class(const SweepArgs& args, const ClassArgs& table,
                                                  const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.cubic_plain() || (request.form != "auto" && request.form != "streaming")) return nullptr;
    return std::make_unique<StreamingClassKernel>(args, table, batch);
}

}  // namespace psflip
