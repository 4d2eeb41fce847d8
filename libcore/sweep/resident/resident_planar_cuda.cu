// Carries out bursts of sweeps by the plain rule in two dimensions (resident_strips_cuda.cuh), and periods of
// sweeps with their exchanges.
//
//   device memory --> shared memory: temperatures of a stack
//     bursts:  sweeps, energies
//     periods: sweeps, energies, decisions of the exchange, exchange of spins in shared memory; repeated
//   device memory <-- shared memory

#include "sweep/cuda/exchange_step_cuda.cuh"
#include "sweep/resident/resident_strips_cuda.cuh"

namespace psflip {

namespace {

/// Adds the counts of a block to the energies. A warp takes the bonds of some red sites in two slots.
template <bool Clustered>
struct StripEnergy {
    using Block = BlockLattices<Clustered, 4>;
    static constexpr std::uint32_t together = 2, max_sites = 7;  ///< slots; red sites of a thread
    static constexpr int up = 1, down = 3;                       ///< directions

    const SweepArgs& a;
    const Layers& slab;
    const ResidentBlock& held;
    typename Block::Type& lattices;
    const uint4* bonds;  ///< (direction, site) of the column, in the gauge

    /// Adds the counts to energy (stack, slot, lane). All threads of the block must call it.
    __device__ __forceinline__ void add(std::int32_t* energy) const {
        const std::uint32_t pieces = (slab.colour_sites + 32 * max_sites - 1) / (32 * max_sites),
                            piece = (slab.colour_sites + pieces - 1) / pieces,
                            groups = (held.slots() + together - 1) / together;
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32; task < groups * pieces; task += blockDim.x / 32) {
            const std::uint32_t begin = task / groups * piece, slot = together * (task % groups);
            BitCounter<DeviceWord, planes_for(4 * max_sites)> counter[together][4];
#pragma unroll
            for (auto& of_slot : counter)
#pragma unroll
                for (auto& of_word : of_slot) of_word.clear();
#pragma unroll 1
            for (std::uint32_t i = begin + threadIdx.x % 32; i < min(begin + piece, slab.colour_sites);
                 i += 32)
                add_site(i, slot, counter);
#pragma unroll
            for (std::uint32_t k = 0; k < together; ++k) {
                const int4 n = warp_lane_counts(counter[k]);
                if (slot + k < held.slots())
                    add_counts(energy + (held.first_lattice(a) + slot + k) * 128 + threadIdx.x % 32 * 4, n,
                               2);
            }
        }
    }

  private:
    template <class Counters>
    __device__ __forceinline__ void add_site(std::uint32_t i, std::uint32_t slot, Counters& counter) const {
        const Geometry& g = a.geometry;
        const std::uint32_t row = quotient(i, g.half_reciprocal), h = i - row * g.half,
                            y = held.first_plane + row, parity = y & 1u, right = h + 1 == g.half ? 0u : h + 1,
                            left = h == 0 ? g.half - 1 : h - 1, beside = i - h + (parity ? right : left),
                            black = slab.colour_sites, in_lattice = held.first_plane * g.half;
        const bool first = row == 0, last = row + 1 == slab.depth;
        const uint4* const red_bonds = bonds + in_lattice;
        const uint4* const black_bonds = red_bonds + g.colour_sites;
        const uint4 bond[2] = {__ldg(parity ? red_bonds + i : black_bonds + beside),
                               __ldg((parity ? black_bonds : red_bonds) + i)};
        uint4 over{}, under{};
        if (y == 0) under = __ldg(bonds + g.sites + g.colour_sites + g.last_row + h);
        if (y + 1 == g.L) over = __ldg(red_bonds + g.sites + i);
        Block::at_layer(lattices, first, last);
        const auto at = static_cast<std::int32_t>(slot);
        const std::uint32_t own = lattices.address(i, at), side = lattices.address(black + beside, at),
                            same = lattices.address(black + i, at),
                            above = lattices.near_address(up, black + (last ? h : i + g.half), at),
                            below = lattices.near_address(
                                down, black + (first ? slab.colour_sites - g.half + h : i - g.half), at);
#pragma unroll
        for (std::uint32_t k = 0; k < together; ++k) {
            const std::uint32_t n = slot + k < held.slots() ? k : 0u;
            const uint4 spins = lattices.load(own, n),
                        near[4] = {lattices.load(side, n), lattices.load(same, n),
                                   lattices.load_near(up, above, n), lattices.load_near(down, below, n)};
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                const DeviceWord s = word_of(spins, w);
                counter[k][w].add({xor3(s, word_of(near[0], w), word_of(bond[0], w)),
                                   xor3(s, word_of(near[1], w), word_of(bond[1], w)),
                                   xor3(s, word_of(near[2], w), word_of(over, w)),
                                   xor3(s, word_of(near[3], w), word_of(under, w))});
            }
        }
    }
};

/// Holds the strips of a block, and sweeps them.
template <int Share, bool Clustered, bool Ahead>
struct StripBlock {
    using Block = BlockLattices<Clustered, 4>;

    const SweepArgs& a;
    const Layers& slab;
    ResidentBlock held;
    SharedLattices lattices;
    typename Block::Type block;
    Strip strip;
    const uint4* bonds;

    __device__ __forceinline__ StripBlock(const SweepArgs& args, const ResidentPlan& plan,
                                          const Layers& of_block, uint4* memory)
        : a(args),
          slab(of_block),
          held(args, plan, of_block),
          lattices(SharedLattices::at(memory, held.slots())),
          block(Block::make(lattices, plan, held)),
          strip(args.geometry, of_block, plan, held),
          bonds(kept(args.couplings + static_cast<std::size_t>(held.column) * 2 * args.geometry.sites)) {}

    /// Sweeps `count` times. Block::arrive() must come before, and Block::wait() after it.
    __device__ __forceinline__ void sweep(std::int64_t first, int count) {
        const StripUpdate<Share, Clustered, Ahead> update{a, slab, held, block, bonds, strip};
        SiteInputs<Share> next = update.inputs(strip.begin, 0, static_cast<std::uint64_t>(first));
#pragma unroll 1
        for (int half = 0; half < 2 * count; ++half) {
            const bool waits = Clustered && __any_sync(~0u, strip.boundary);
            if (waits) Block::wait();
            if (strip.active) update.run(half % 2u, static_cast<std::uint64_t>(first + half / 2), next);
            if (!waits) Block::wait();
            Block::arrive();
        }
    }
    __device__ __forceinline__ void add_energies(std::int32_t* energy) {
        StripEnergy<Clustered>{a, slab, held, block, bonds}.add(energy);
    }
};

/// Grid: x = (stack * groups + slot group) * blocks of a cluster + slab.
template <int Share, bool Clustered>
__global__ void __launch_bounds__(resident_threads, 1)
    resident_strips(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                    const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                    const __grid_constant__ SweepBurst burst) {
    using Block = BlockLattices<Clustered, 4>;
    extern __shared__ uint4 memory[];
    constexpr bool ahead = Share > 32;  // with share 32, a thread has too few registers
    StripBlock<Share, Clustered, ahead> strips(a, plan, slab, memory);
    load_block(a, slab, strips.held, burst.pending, strips.lattices);
    if (burst.energy) start_counts(a, table, strips.held, burst);
    Block::arrive();
    strips.sweep(burst.first, burst.count);
    Block::wait();
    store_block(a, slab, strips.held, strips.lattices);
    if (!burst.energy) return;
    strips.add_energies(burst.energy);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

constexpr int pairs_of_slots = max_temperatures / 2,
              fixed_bytes = pairs_of_slots * sizeof(uint4);  ///< static shared memory of strip_periods

/// Exchanges the spins of the pairs of slots from `parity` on, in a block that holds all slots. All threads
/// of the block must call it.
__device__ __forceinline__ void exchange_in_block(const ExchangeArgs& e, const Layers& slab,
                                                  const ResidentBlock& held, const SharedLattices& lattices,
                                                  std::int32_t parity) {
    __shared__ uint4 masks[pairs_of_slots];
    const std::uint32_t pairs = (e.temperatures - parity) / 2, pieces = (slab.sites + 31) / 32;
    const std::size_t first = static_cast<std::size_t>(held.stack) * exchange_steps(e.temperatures) + parity;
    if (threadIdx.x < pairs)
        masks[threadIdx.x] = __ldcg(reinterpret_cast<const uint4*>(e.mask) + first + threadIdx.x);
    __syncthreads();
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x / 32; task < pairs * pieces; task += blockDim.x / 32) {
        const std::uint32_t pair = task / pieces, i = (task - pair * pieces) * 32 + threadIdx.x % 32;
        if (i >= slab.sites) continue;
        const std::uint32_t at = lattices.address(i, static_cast<std::int32_t>(2 * pair) + parity);
        uint4 cold = lattices.load(at, 0), hot = lattices.load(at, 1);
        exchange_words(cold, hot, masks[pair]);
        lattices.store(at, 0, cold);
        lattices.store(at, 1, hot);
    }
}

/// Does `periods` periods: burst.count sweeps and an exchange. A block, or a cluster, has all slots of a
/// stack. Grid: x = stack * blocks of a cluster + slab.
template <int Share, bool Clustered>
__global__ void __launch_bounds__(resident_threads, 1)
    strip_periods(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                  const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                  const __grid_constant__ SweepBurst burst, const __grid_constant__ ExchangeArgs exchange,
                  const int periods) {
    using Block = BlockLattices<Clustered, 4>;
    extern __shared__ uint4 memory[];
    StripBlock<Share, Clustered, false> strips(a, plan, slab, memory);
    const ResidentBlock& held = strips.held;
    load_block(a, slab, held, {}, strips.lattices);
    const std::uint32_t warps = blockDim.x / 32, ranks = static_cast<std::uint32_t>(plan.cluster),
                        steps = 4 * exchange_steps(exchange.temperatures);
#pragma unroll 1
    for (int period = 0; period < periods; ++period) {
        start_counts(a, table, held, burst);
        Block::arrive();
        const std::int64_t first = burst.first + static_cast<std::int64_t>(period) * burst.count;
        strips.sweep(first, burst.count);
        Block::wait();
        strips.add_energies(burst.energy);
        Block::barrier();
        const std::int64_t completed = first + burst.count;
        const auto parity = static_cast<std::int32_t>(completed / burst.count % 2);
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x / 32 * ranks + held.rank; task < steps; task += warps * ranks)
            decide_step<false>(exchange, held.stack, task / 4, task % 4 * 32 + threadIdx.x % 32,
                               static_cast<std::uint64_t>(completed), parity);
        Block::barrier();
        exchange_in_block(exchange, slab, held, strips.lattices, parity);
    }
    __syncthreads();
    store_block(a, slab, held, strips.lattices);
    if (Clustered) Block::barrier();  // other blocks may still read this one's lattices
}

}  // namespace

ResidentForms resident_planar_forms(int share) {
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    return with_share(share, [of](auto n) -> ResidentForms {
        return {of(resident_strips<n.value, false>), of(resident_strips<n.value, true>), fixed_bytes};
    });
}

ResidentForms resident_period_forms(int share) {
    const auto of = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
    return with_share(share, [of](auto n) -> ResidentForms {
        return {of(strip_periods<n.value, false>), of(strip_periods<n.value, true>), fixed_bytes};
    });
}

}  // namespace psflip
