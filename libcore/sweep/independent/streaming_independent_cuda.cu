// Sweeps lattices in device memory with a random number for every spin (share 1), with one launch per colour.
//
//   device memory --couplings--> registers: once per site for all lattices of a thread
//   device memory --spins of lattice k + 1--> shared memory of the thread, during the update of lattice k
//   two digits --undecided words--> queue in shared memory --flips--> device memory
//
// The two halves of the columns go to two streams. The blocks of one half fill the multiprocessors that the
// last blocks of the other half leave free.
//
// A thread takes one site and up to 16 consecutive lattices (replica, slot) of the column. An update of 128
// lanes takes some 470 logic operations and wide multiplications by the plain rule, as in the resident
// kernel. This is 0.23 ps per flip; memory needs 0.1 ps (see streaming_cuda.cu). docs/notes/sweep_cuda.md has
// the operations of the class rule.
//
// By the plain rule, shared memory takes 112 bytes of spins and 36 bytes of the queue per thread, and 512
// bytes for the table of each lattice per block.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/stream.cuh"
#include "sweep/cuda/slab_colour_cuda.cuh"
#include "sweep/independent/independent_update_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"

namespace psflip {

namespace {

constexpr unsigned threads = SlotLattices<GlobalLattices, 6>::threads, blocks_together = 2;
static_assert(threads == slab_threads);

/// Vectors of shared memory for the spins of a site and its neighbours.
template <class Rule>
constexpr unsigned spin_vectors = SlotLattices<GlobalLattices, Rule::degree>::words;

/// One colour of one sweep.
struct IndependentColour {
    std::uint32_t first_column, lattices, colour;  ///< lattices: per thread
    std::uint64_t sweep;
};

/// Updates a thread's site. Grid: x = sites of a colour / threads, y = group of lattices, z = column -
/// first_column; for slabs see SlabColour. Threads without a site take part with another thread's site.
template <class Rule, class Work>
__device__ __forceinline__ void update_colour(const SweepArgs& a, const typename Rule::Args& args,
                                              const IndependentColour& launch, const Work& work) {
    extern __shared__ uint4 stage[];
    const IndependentMemory<Rule> memory(stage + threads * spin_vectors<Rule>);
    const Geometry& g = a.geometry;
    const std::uint32_t i = work.i(), column = launch.first_column + work.column();
    const bool valid = i < work.end();
    const Place place = work.place(g, launch.colour, valid ? i : 0);
    const NearSites<Rule::degree> n(neighbours_of(g, launch.colour, place));
    const typename Rule::Site site = Rule::site(a, args, column, n, memory.kept);

    const std::uint32_t all = a.replicas * a.temperatures, first = work.group() * launch.lattices;
    const std::uint32_t count = min(launch.lattices, all - first);
    set_thresholds(a, args, memory.tables, first, count);
    set_rounds(a, memory.tables, launch.sweep, first, count);
    __syncthreads();
    if (!__any_sync(~0u, valid)) return;
    const GlobalLattices spins{a.spins + (static_cast<std::size_t>(column) * all + first) * g.sites, g.sites};
    const SlotLattices<GlobalLattices, Rule::degree> lattices{spins, stage};
    const SiteDraw draw{work.number(place), 0, a.first_realization + column * 128, launch.sweep, a.seed};
    UndecidedLanes<Rule> undecided(memory.queue);
    update_independent<Rule>(args, memory.tables, undecided, lattices, count, n, site, draw, valid);
    undecided.finish(memory.tables, lattices, {a.seed}, draw);
    if constexpr (Work::sends) {
        __syncwarp();  // other threads have flipped undecided lanes
        if (valid) work.send(a, launch.colour, column * all + first, count, i);
        work.done();
    }
}

template <class Rule>
__global__ void __launch_bounds__(threads, blocks_together)
    streaming_independent(const __grid_constant__ SweepArgs a,
                          const __grid_constant__ typename Rule::Args args, const IndependentColour launch) {
    update_colour<Rule>(a, args, launch, WholeColour<>(a.geometry));
}
template <class Rule>
__global__ void __launch_bounds__(threads, blocks_together)
    independent_slab(const __grid_constant__ SweepArgs a, const __grid_constant__ typename Rule::Args args,
                     const IndependentColour launch, const __grid_constant__ SlabLaunch slab) {
    update_colour<Rule>(a, args, launch, SlabColour<>(a.geometry, slab));
}

/// The launches of a colour by one rule, for whole lattices and, in three dimensions, for slabs.
struct IndependentForms {
    void (*whole)(dim3 grid, std::size_t shared, cudaStream_t, const SweepArgs&, const ClassArgs&,
                  const IndependentColour&);
    void (*slab)(const Halo&, unsigned blocks, std::size_t shared, cudaStream_t, const SweepArgs&,
                 const ClassArgs&, const IndependentColour&, const SlabLaunch&);
};

/// Lets a kernel use half of the shared memory of a multiprocessor, for blocks_together blocks.
template <class Kernel>
void allow_shared(Kernel* kernel) {
    int device = 0, shared = 0, reserved = 0;
    PSFLIP_CUDA(cudaGetDevice(&device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
    PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     shared / blocks_together - reserved));
}

IndependentForms forms_of(const SweepRule& rule) {
    return with_independent(rule, [](auto of_sites) {
        using Rule = typename decltype(of_sites)::type;
        using Args = typename Rule::Args;
        IndependentForms forms{};
        allow_shared(streaming_independent<Rule>);
        if constexpr (Rule::degree == 6) allow_shared(independent_slab<Rule>);
        forms.whole = [](dim3 grid, std::size_t shared, cudaStream_t stream, const SweepArgs& args,
                         const ClassArgs& table, const IndependentColour& what) {
            launch(streaming_independent<Rule>, grid, dim3(threads), shared, stream, args, Args(table), what);
        };
        if constexpr (Rule::degree == 6)
            forms.slab = [](const Halo& halo, unsigned blocks, std::size_t shared, cudaStream_t stream,
                            const SweepArgs& args, const ClassArgs& table, const IndependentColour& what,
                            const SlabLaunch& slab) {
                halo.launch_kernel(independent_slab<Rule>, dim3(blocks), dim3(threads), shared, stream, args,
                                   Args(table), what, slab);
            };
        return forms;
    });
}

std::size_t shared_bytes(const SweepRule& rule, std::uint32_t lattices) {
    const IndependentBytes of = independent_bytes(rule);
    return threads * (16 * (rule.degree + 1) + of.per_thread) + std::size_t{lattices} * of.per_slot;
}

/// How a colour of `columns` columns is cut into blocks.
struct IndependentStreamingPlan {
    std::uint32_t lattices = 0;  ///< per thread
    std::uint32_t groups = 0;    ///< groups of neighbouring lattices, per column
    double updates = 0;          ///< time in successive updates with 16 warps on a multiprocessor
};

/// Returns the best plan: as many lattices per thread as leave the device full. The start of a block takes as
/// long as one update. At the end of a column's only launch half a wave of blocks is missing. Threads without
/// a site make the other threads faster.
IndependentStreamingPlan best_plan(const SweepArgs& args, std::int64_t columns, int device) {
    constexpr std::uint32_t max_lattices = 16;
    int multiprocessors = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const double together = static_cast<double>(multiprocessors) * blocks_together;
    const std::uint32_t all = args.replicas * args.temperatures;
    const std::int64_t blocks = blocks_for(args.geometry.colour_sites, threads);
    const double filled =
        static_cast<double>(args.geometry.colour_sites) / static_cast<double>(blocks * threads);
    IndependentStreamingPlan best;
    for (std::uint32_t n = 1; n <= std::min(all, max_lattices); ++n) {
        IndependentStreamingPlan plan{n, (all + n - 1) / n, 0};
        const double waves =
            static_cast<double>(blocks * plan.groups * columns) / together + (columns > 1 ? 0.0 : 0.5);
        plan.updates = std::max(1.0, waves) * (n + 1.0) * (16 * filled + 7) / 23;
        if (best.lattices == 0 || plan.updates <= best.updates) best = plan;
    }
    return best;
}

/// Returns the microseconds of a sweep: 6% more for memory, and for separate energies and exchanges, and 26
/// units for a launch. Timings of L = 8 to 16 lie within 2%. From L = 12 on this kernel is faster than the
/// resident kernel.
double sweep_microseconds(const IndependentStreamingPlan& plan, const SweepRule& rule) {
    return independent_unit * (23 * 1.06 * independent_units(rule) * plan.updates + 26);
}

/// The kernel with its plan.
class IndependentStreamingKernel final : public SweepKernel {
  public:
    IndependentStreamingKernel(const ClassArgs& table, const PlannedBatch& batch,
                               const IndependentStreamingPlan& plan, double microseconds)
        : SweepKernel("streaming", microseconds),
          table_(table),
          forms_(forms_of(batch.rule)),
          shared_(shared_bytes(batch.rule, plan.lattices)),
          columns_(batch.columns),
          halo_(batch.halo),
          plan_(plan) {}

    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        if (halo_)
            sweep_slab(args, burst, part.stream);
        else
            sweep_whole(args, burst, part.stream);
    }

  private:
    void sweep_whole(const SweepArgs& args, const SweepBurst& burst, cudaStream_t stream) const {
        const auto colour = [&](std::int64_t begin, std::int64_t end, std::int64_t sweep,
                                std::uint32_t colour, cudaStream_t on) {
            forms_.whole(dim3(blocks_for(args.geometry.colour_sites, threads), plan_.groups,
                              static_cast<unsigned>(end - begin)),
                         shared_, on, args, table_,
                         {static_cast<std::uint32_t>(begin), plan_.lattices, colour,
                          static_cast<std::uint64_t>(sweep)});
        };
        constexpr std::int64_t max_columns = 2 * 65535;
        for (std::int64_t begin = 0; begin < columns_; begin += max_columns) {
            const std::int64_t end = std::min(columns_, begin + max_columns), middle = (begin + end + 1) / 2;
            side_.fork(stream);
            for (std::int64_t sweep = burst.first; sweep < burst.first + burst.count; ++sweep)
                for (std::uint32_t c = 0; c < 2; ++c) {
                    colour(begin, middle, sweep, c, stream);
                    if (middle < end) colour(middle, end, sweep, c, side_.handle());
                }
            side_.join(stream);
        }
    }
    void sweep_slab(const SweepArgs& args, const SweepBurst& burst, cudaStream_t stream) const {
        constexpr std::int64_t max_columns = 65535;
        SlabSweep(*halo_, args, stream)
            .run(columns_, max_columns, plan_.groups, burst,
                 [&](const SlabLaunch& slab, unsigned blocks, std::uint32_t first, std::uint64_t sweep,
                     std::uint32_t colour, cudaStream_t of_part) {
                     forms_.slab(*halo_, blocks, shared_, of_part, args, table_,
                                 {first, plan_.lattices, colour, sweep}, slab);
                 });
    }

    ClassArgs table_;
    IndependentForms forms_;
    std::size_t shared_;  ///< bytes of shared memory of a block
    std::int64_t columns_;
    Halo* halo_;
    IndependentStreamingPlan plan_;
    SideStream side_;
};

}  // namespace

IndependentBytes independent_bytes(const SweepRule& rule) {
    return with_independent(rule, [](auto of_sites) {
        using Rule = typename decltype(of_sites)::type;
        return IndependentBytes{IndependentMemory<Rule>::bytes_per_thread, sizeof(typename Rule::Table)};
    });
}

double independent_units(const SweepRule& rule) {
    return rule.plain ? 1 : 1.3 + (rule.absent ? 0.2 : 0) + (rule.field ? 0.1 : 0);
}

std::unique_ptr<SweepKernel> plan_streaming_independent(const SweepArgs& args, const ClassArgs& table,
                                                        const PlannedBatch& batch,
                                                        const KernelRequest& request) {
    if (batch.share != 1 || !request.takes("streaming")) return nullptr;
    const SweepArgs planned = planned_args(args, batch);
    const auto plan = agreed_plan(batch, best_plan(planned, batch.columns, batch.device));
    return std::make_unique<IndependentStreamingKernel>(
        table, batch, plan, period_microseconds(planned, batch, sweep_microseconds(plan, batch.rule), 2));
}

}  // namespace psflip
