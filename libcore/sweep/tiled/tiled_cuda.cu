// Sweeps lattices that do not fit into shared memory, with one launch per sweep, red and black in one pass.
//
//   old spins --read black z+2, red z+1--> rings of planes in shared memory --own words--> new spins
//
//     plane            z+2   z+1    z    z-1   z-2   z-3
//     black ring      read    |     |     |   update
//     red ring              read update   |     |     |        a step; then z + 1
//
// A block has a tile of the x-y planes of up to four lattices of a column and marches along z. A thread has
// one site of the red or black checkerboard, and holds its four couplings in registers for the four lattices.
// Lattices and slabs are in the gauge (sweep/gauge.hpp), so bonds along z are +1. Red is two planes ahead, so
// that all updates of a step are independent. Blocks do not wait for one another. A tile makes the new red
// words around it (o) from old words (.), with the same random numbers as its neighbours. Hence the new spins
// go to a second array.
//
//        . . . . . . . .      . read, both colours
//        . o o o o o o .      o red updated too
//        . o +-------+ o .    tile: half x rows sites of each colour
//        . o +-------+ o .
//        . o o o o o o .
//        . . . . . . . .
//
// With tiles of 16 x 13, 11% of the updates are made twice. An update of 128 lanes moves 32 bytes of spins
// through device memory and, with one group of lattices, 8 bytes of couplings. The streaming kernel moves 48
// and 24. From L2 come 24 bytes to shared memory, and 18 to registers. Shared memory is used as by the
// resident kernel.

#include <type_traits>

#include "base/cuda_check.cuh"
#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/tiled/tiled_block_cuda.cuh"

namespace psflip {

namespace {

__device__ __forceinline__ void exchange(std::uint32_t& a, std::uint32_t& b) {
    const std::uint32_t c = a;
    a = b;
    b = c;
}

/// Sweeps the tiles of a block. Grid: ((column * chunks + chunk) * tiles + tile) * groups + group. If
/// SlotQuads, the lattices of a block are a slot quad and share Philox calls. For slabs see SlabChunks.
template <int Share, bool SlotQuads, class Chunks>
__device__ __forceinline__ void sweep_tile(const SweepArgs& a, const TiledPlan& plan,
                                           uint4* const swept_spins, const std::uint64_t sweep,
                                           Chunks chunks) {
    extern __shared__ uint4 ring_words[];
    const Geometry& g = a.geometry;
    const TiledBlock held(a, plan, chunks);
    const SharedLattices shared = SharedLattices::at(ring_words, tiled_members);
    const uint4* const old = kept(a.spins + held.first_word(a));
    uint4* const result = kept(swept_spins + held.first_word(a));
    const uint4* const couplings = kept(a.couplings + static_cast<std::size_t>(held.column) * 3 * g.sites);
    const Frame frame(held);
    const TiledSite site(g, held);
    TiledRings rings(frame, site, shared.base);

    // Planes count from the second one below the chunk. Step u updates red in plane u + 1, black in u - 1
    // (MarchSteps).
    const FrameReader reader(g, held, shared.base);
    const auto read = [&](std::uint32_t colour, std::uint32_t above) {
        reader.read(old, colour * g.colour_sites + chunks.plane(g, held, above) * g.plane, g.sites,
                    held.count, colour * rings.ring_bytes + above % tiled_ring * rings.plane_bytes);
    };
    if constexpr (!Chunks::sends) {
        read(1, 0), read(1, 1), read(1, 2), read(0, 1);
        end_of_copies();
    }

    TiledUpdate<Share> update;
    bool active = false, right = false;
    const auto prepare = [&](std::uint32_t u) {
        active = site.there && chunks.is_active(u, site.colour, held.planes);
        if (!active) return;
        const std::uint32_t z = chunks.plane(g, held, chunks.plane_in(u, site.colour)),
                            colour = chunks.colour_in(u, site.colour);
        right = (colour + site.y + z) & 1u;
        update.template prepare<SlotQuads>(a, held, couplings, colour,
                                           {site.h_in(g, held, right), site.y, z, right}, sweep, chunks);
    };
    chunks.start(site.colour);
    prepare(Chunks::first_step);
    if constexpr (Chunks::sends) {
        if (site.colour) exchange(rings.own, rings.other);
        wait_for_launch_before();
        read(1, 2), read(1, 3), read(0, 2);
        chunks.await_start();
        read(1, 0), read(1, 1), read(0, 1);
        end_of_copies();
    }
    copies_done();
    __syncthreads();
#pragma unroll 1
    for (std::uint32_t u = Chunks::first_step; u < held.planes + tiled_last_steps; ++u) {
        if constexpr (Chunks::sends) {
            chunks.await_above(held.planes, u);
            if (site.colour && u == 2) exchange(rings.own, rings.other);
        }
        if (u <= held.planes) read(1, u + 3), read(0, u + 2);
        end_of_copies();
        if (active) {
            SiteAddresses<SharedLattices> to =
                rings.addresses(chunks.ring_in(u, site.colour) % tiled_ring, right);
            bool own = site.own;
            if constexpr (Chunks::sends)
                own = own && chunks.is_own(held.planes);
            else
                own = own && (site.colour || (u > 0 && u <= held.planes));
            const auto update_members = [&](auto at_seam) {
#pragma unroll
                for (int k = 0; k < int(tiled_members); ++k)
                    if (k < static_cast<int>(held.count)) {
                        SiteWords spins;
                        spins.load(shared, to, k);
                        if constexpr (at_seam.value) spins.near[5] = turned(spins.near[5], update.bond[5]);
                        const uint4 now =
                            updated_site<Share, true>(a, spins, update.bond, update.random, k, held.slot(k));
                        shared.store(to.own, k, now);
                        if (own) result[update.n.own + k * g.sites] = now;
                    }
            };
            // A seam is between the site and neighbour 5. In a march downwards, neighbour 2 is below the
            // site.
            if (update.last != chunks.downwards) exchange(to.near[2], to.near[5]);
            if (__any_sync(__activemask(), update.seam))
                update_members(std::true_type{});
            else
                update_members(std::false_type{});
            if constexpr (Chunks::sends)
                if (own && chunks.near_end(held.planes, u))
                    chunks.send(g, held.planes, site.colour, update.n.own, held.first_lattice(a), held.count,
                                [&](std::uint32_t k) { return shared.load(to.own, k); });
        }
        chunks.next(u, site.colour);
        prepare(u + 1);
        copies_done();
        __syncthreads();
        if constexpr (Chunks::sends)
            if (chunks.near_end(held.planes, u)) chunks.publish(held.planes, u);
    }
}

template <int Share, bool SlotQuads>
__global__ void __launch_bounds__(tiled_threads, 1)
    tiled_sweep(const __grid_constant__ SweepArgs a, const __grid_constant__ TiledPlan plan,
                uint4* const swept_spins, const std::uint64_t sweep) {
    sweep_tile<Share, SlotQuads>(a, plan, swept_spins, sweep, WholeChunks{});
}
template <int Share, bool SlotQuads>
__global__ void __launch_bounds__(tiled_threads, 1)
    tiled_slab_sweep(const __grid_constant__ SweepArgs a, const __grid_constant__ TiledPlan plan,
                     uint4* const swept_spins, const std::uint64_t sweep,
                     const __grid_constant__ TiledSlab slab) {
    sweep_tile<Share, SlotQuads>(a, plan, swept_spins, sweep, SlabChunks(slab));
}

using Kernel = void (*)(SweepArgs, TiledPlan, uint4*, std::uint64_t);

using SlabKernel = void (*)(SweepArgs, TiledPlan, uint4*, std::uint64_t, TiledSlab);

Kernel kernel_for(int share, bool has_slot_quads) {
    return with_share(share, [has_slot_quads](auto n) -> Kernel {
        return has_slot_quads ? tiled_sweep<n.value, true> : tiled_sweep<n.value, false>;
    });
}

SlabKernel slab_kernel_for(int share, bool has_slot_quads) {
    return with_share(share, [has_slot_quads](auto n) -> SlabKernel {
        return has_slot_quads ? tiled_slab_sweep<n.value, true> : tiled_slab_sweep<n.value, false>;
    });
}

}  // namespace

void allow_tiled_shared(int share, int bytes) {
    const auto allow = [bytes](auto kernel) {
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    };
    for (const bool has_slot_quads : {false, true})
        allow(kernel_for(share, has_slot_quads)), allow(slab_kernel_for(share, has_slot_quads));
}

int tiled_blocks(int share, const TiledPlan& plan, bool of_slab) {
    const auto blocks = [&plan](auto kernel) {
        int found = 0;
        PSFLIP_CUDA(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, kernel, plan.threads, plan.shared_bytes));
        return found;
    };
    return of_slab ? blocks(slab_kernel_for(share, plan.has_slot_quads))
                   : blocks(kernel_for(share, plan.has_slot_quads));
}

void launch_tiled_slab(const Halo& halo, const SweepArgs& args, int share, const TiledPlan& plan,
                       const TiledSlab& slab, int blocks, std::int64_t sweep, uint4* swept_spins,
                       cudaStream_t stream) {
    halo.launch_kernel(slab_kernel_for(share, plan.has_slot_quads), dim3(static_cast<unsigned>(blocks)),
                       dim3(plan.threads), plan.shared_bytes, stream, args, plan, swept_spins,
                       static_cast<std::uint64_t>(sweep), slab);
}

void launch_tiled(const SweepArgs& args, int share, const TiledPlan& plan, std::int64_t sweep,
                  uint4* swept_spins, cudaStream_t stream) {
    launch(kernel_for(share, plan.has_slot_quads), dim3(static_cast<unsigned>(plan.blocks)),
           dim3(plan.threads), plan.shared_bytes, stream, args, plan, swept_spins,
           static_cast<std::uint64_t>(sweep));
}

}  // namespace psflip
