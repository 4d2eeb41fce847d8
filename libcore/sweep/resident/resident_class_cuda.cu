// Bursts of sweeps by all rules but the plain one in three dimensions, with whole lattices in shared memory:
// spins leave and enter device memory once per burst.
//
//   device memory --pending exchange--> shared memory: lattices of neighbouring slots of one stack
//   per sweep and colour: bonds of a site -> registers -> the site in some fours of slots
//   after the last sweep: --> device memory; energies and magnetisations by bit-sliced counters
//
// Threads of a block are (part of the fours, site of a colour): small lattices have several parts.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/cuda/class_numbers_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"

namespace psflip {

namespace {

/// How a batch is cut: slots of a block, groups of them in a stack, parts of their fours.
struct ClassBlocks {
    std::uint32_t slots = 0, groups = 0, parts = 1;
    int threads = 0, shared_bytes = 0;
};

/// What a block holds: slots [first, end) of one stack.
struct HeldSlots {
    std::uint32_t stack, column, replica, first, end;

    __device__ __forceinline__ HeldSlots(const SweepArgs& a, const ClassBlocks& blocks)
        : stack(blockIdx.x / blocks.groups),
          column(stack / a.replicas),
          replica(stack - column * a.replicas),
          first((blockIdx.x - stack * blocks.groups) * blocks.slots),
          end(min(first + blocks.slots, a.temperatures)) {}
    __device__ __forceinline__ std::size_t lattice(const SweepArgs& a, std::uint32_t slot) const {
        return static_cast<std::size_t>(stack) * a.temperatures + slot;
    }
};

/// Spins to shared memory, exchanged between slots of the block where that is pending.
__device__ __forceinline__ void load_slots(const SweepArgs& a, const HeldSlots& held,
                                           const PendingExchange& pending, const SharedLattices& shared) {
    const std::uint32_t N = a.geometry.sites;
    for (std::uint32_t slot = held.first; slot < held.end; ++slot) {
        const uint4* const own = a.spins + held.lattice(a, slot) * N;
        const bool colder = slot % 2 == static_cast<std::uint32_t>(pending.parity);
        const std::uint32_t partner = colder ? slot + 1 : slot - 1;  // beyond all slots where there is none
        uint4 mask{};
        if (pending.mask && partner >= held.first && partner < held.end)
            mask = pending.mask[static_cast<std::size_t>(held.stack) * pending.steps +
                                (min(slot, partner) + pending.parity) / 2];
        const bool exchanged = (mask.x | mask.y | mask.z | mask.w) != 0;
        const uint4* const other = exchanged ? a.spins + held.lattice(a, partner) * N : own;
        for (std::uint32_t i = threadIdx.x; i < N; i += blockDim.x) {
            uint4 p = own[i], q = exchanged ? other[i] : p;
            exchange_words(p, q, mask);
            shared.store(shared.address(i, 0), slot - held.first, p);
        }
    }
}

__device__ __forceinline__ void store_slots(const SweepArgs& a, const HeldSlots& held,
                                            const SharedLattices& shared) {
    const std::uint32_t N = a.geometry.sites;
    for (std::uint32_t slot = held.first; slot < held.end; ++slot) {
        uint4* const own = a.spins + held.lattice(a, slot) * N;
        for (std::uint32_t i = threadIdx.x; i < N; i += blockDim.x)
            own[i] = shared.load(shared.address(i, 0), slot - held.first);
    }
}

/// Energies and magnetisations of the slots of a block, by all its threads.
template <class Rule>
__device__ __forceinline__ void count_slots(const SweepArgs& a, const ClassArgs& table, const HeldSlots& held,
                                            const SweepBurst& burst, const SharedLattices& shared) {
    const Geometry& g = a.geometry;
    const std::uint32_t slots = held.end - held.first;
    const std::size_t first = held.lattice(a, held.first) * 128;
    for (std::uint32_t i = threadIdx.x; i < slots * 128; i += blockDim.x) {
        burst.energy[first + i] = -table.bonds[held.column * 128 + i % 128];
        if (burst.magnetisation) burst.magnetisation[first + i] = -static_cast<std::int32_t>(g.sites);
    }
    __syncthreads();
    constexpr std::uint32_t piece = 32 * model_count_sites;
    const std::uint32_t pieces = (g.colour_sites + piece - 1) / piece;
    const std::size_t column = static_cast<std::size_t>(held.column) * (Rule::degree / 2) * g.sites;
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x / 32; task < slots * pieces; task += blockDim.x / 32) {
        const std::uint32_t slot = task / pieces, begin = (task - slot * pieces) * piece;
        ModelCounter<Rule::degree, Rule::absent_bonds> counter;
        counter.clear();
#pragma unroll 1
        for (std::uint32_t i = begin + threadIdx.x % 32; i < min(begin + piece, g.colour_sites); i += 32) {
            const NearSites<Rule::degree> at(neighbours_of(g, 0, place_of(g, 0, i)));
            counter.add(g, SharedSite<Rule::degree>(shared, at, 0).load(slot),
                        shared.load(shared.address(g.colour_sites + i, 0), slot), at, a.couplings + column,
                        table.absent + column);
        }
        counter.finish(first + slot * 128, burst.energy, burst.magnetisation);
    }
}

/// Grid: x = stack * groups + group of slots.
template <class Update>
__global__ void __launch_bounds__(resident_threads)
    resident_class(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                   const __grid_constant__ ClassBlocks blocks, const __grid_constant__ SweepBurst burst) {
    using Rule = typename Update::Rule;
    extern __shared__ uint4 memory[];
    __shared__ typename Rule::Shared shared;
    const typename Rule::Args rule(table);
    Rule::fill(shared, rule);
    const Geometry& g = a.geometry;
    const HeldSlots held(a, blocks);
    const SharedLattices lattices = SharedLattices::at(memory, blocks.slots);
    load_slots(a, held, burst.pending, lattices);
    __syncthreads();
    const std::uint32_t row = (g.colour_sites + 31) / 32 * 32;  // threads of a part
    for (int s = 0; s < burst.count; ++s)
        for (std::uint32_t colour = 0; colour < 2; ++colour) {
#pragma unroll 1
            for (std::uint32_t task = threadIdx.x; task < row * blocks.parts; task += blockDim.x) {
                const std::uint32_t part = task / row, i = task - part * row;
                if (i >= g.colour_sites) continue;
                const Place place = place_of(g, colour, i);
                const NearSites<Rule::degree> at(neighbours_of(g, colour, place));
                const SiteDraw d{standard_site(g, place), held.replica,
                                 a.first_realization + held.column * 128,
                                 static_cast<std::uint64_t>(burst.first + s), a.seed};
                Update::update(a, rule, shared, SharedSite<Rule::degree>(lattices, at, held.first),
                               SlotRange{held.first, held.end, part, blocks.parts},
                               Rule::site(a, rule, held.column, at), d);
            }
            __syncthreads();
        }
    store_slots(a, held, lattices);
    if (burst.energy) count_slots<Rule>(a, table, held, burst, lattices);
}

using ResidentFunction = void (*)(SweepArgs, ClassArgs, ClassBlocks, SweepBurst);

ResidentFunction function_of(const SweepRule& rule, int share) {
    return with_update(rule, share, [](auto chosen) -> ResidentFunction {
        return resident_class<typename decltype(chosen)::Update>;
    });
}

/// Two blocks on a multiprocessor where each has at least a four of slots, else one; fewer slots where the
/// device would not be full. None where a block does not hold two slots, or all.
ClassBlocks best_blocks(const SweepArgs& args, const PlannedBatch& batch) {
    int shared_block = 0, multiprocessors = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, batch.device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, batch.device));
    const std::uint32_t T = args.temperatures, colour = args.geometry.colour_sites;
    const int slot_bytes = static_cast<int>((args.geometry.sites + 7) / 8 * 128), most = shared_block - 1024;
    const std::int64_t stacks = batch.columns * args.replicas;
    ClassBlocks blocks;
    const auto fits = [&](std::uint32_t slots, int bytes) {
        return static_cast<std::int64_t>(slots) * slot_bytes <= bytes;
    };
    for (std::uint32_t slots = (T + 3) / 4 * 4; slots >= 4; slots -= 4) {
        if (!fits(slots, most / 2) && !(slots == 4 && fits(slots, most))) continue;
        blocks.slots = slots;
        if (stacks * ((T + slots - 1) / slots) >= 2 * multiprocessors) break;
    }
    if (blocks.slots == 0 && fits(std::min(2u, T), most)) blocks.slots = std::min(2u, T);
    if (blocks.slots == 0) return blocks;
    blocks.groups = (T + blocks.slots - 1) / blocks.slots;
    const std::uint32_t row = (colour + 31) / 32 * 32, fours = (blocks.slots + 3) / 4;
    blocks.parts = std::clamp(static_cast<std::uint32_t>(resident_threads) / row, 1u, fours);
    const std::uint32_t tasks = row * blocks.parts,
                        rounds = (tasks + resident_threads - 1) / resident_threads;
    blocks.threads = static_cast<int>(((tasks + rounds - 1) / rounds + 31) / 32 * 32);
    blocks.shared_bytes = static_cast<int>(blocks.slots) * slot_bytes;
    return blocks;
}

/// The kernel with its plan.
class ResidentClassKernel final : public SweepKernel {
  public:
    ResidentClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                        const ClassBlocks& blocks)
        : table_(table),
          blocks_(blocks),
          grid_(static_cast<unsigned>(batch.columns * args.replicas * blocks.groups)),
          function_(function_of(batch.rule, batch.share)) {
        PSFLIP_CUDA(cudaFuncSetAttribute(function_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         blocks.shared_bytes));
    }

    std::string description() const override {
        return "resident kernel (" + std::to_string(blocks_.slots) + " temperatures and " +
               std::to_string(blocks_.threads) + " threads per block)";
    }
    double microseconds() const override { return 0; }  // taken wherever it suits
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst, cudaStream_t stream) override {
        launch(function_, dim3(grid_), dim3(blocks_.threads), blocks_.shared_bytes, stream, args, table_,
               blocks_, burst);
    }
    int slots_per_block() const override { return static_cast<int>(blocks_.slots); }

  private:
    ClassArgs table_;
    ClassBlocks blocks_;
    unsigned grid_;
    ResidentFunction function_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_resident_class(const SweepArgs& args, const ClassArgs& table,
                                                 const PlannedBatch& batch, const KernelRequest& request) {
    const bool any_plan = request.number == std::array<int, 3>{};
    if (batch.rule.cubic_plain() || !any_plan || (request.form != "auto" && request.form != "resident"))
        return nullptr;
    const ClassBlocks blocks = best_blocks(args, batch);
    if (blocks.slots == 0) return nullptr;
    return std::make_unique<ResidentClassKernel>(args, table, batch, blocks);
}

}  // namespace psflip
