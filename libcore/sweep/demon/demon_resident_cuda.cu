// Sweeps by demons in the shared memory of blocks:
//
//   device memory --pending exchange--> shared memory: bonds, and lattices of neighbouring slots
//   all sweeps of a burst; energies --> device memory
//
// Threads of a block share the chains of its lattices.

#include "config/limits.hpp"
#include "sweep/demon/demon_block_cuda.cuh"
#include "sweep/demon/demon_chain_cuda.cuh"

namespace psflip {

namespace {

/// Reads the bonds of a block's words.
template <int Degree, int Words>
__device__ __forceinline__ void load_bonds(const Geometry& g, const ChainSizes& s,
                                           const std::uint32_t* couplings, std::uint32_t* shared,
                                           std::uint32_t* seams) {
    using Vector = SiteVector<Words>;
    for (std::uint32_t i = threadIdx.x; Degree == 6 && i < 2 * g.plane; i += blockDim.x) {
        const std::uint32_t colour = i >= g.plane, in_plane = i - colour * g.plane, y = in_plane / g.half,
                            h = in_plane - y * g.half;
        // The bond joins a site of the last plane and the site of the first plane with equal x and y.
        const Vector z = __ldg(reinterpret_cast<const Vector*>(
            couplings + 4 * (2 * std::size_t{g.sites} + colour * g.colour_sites + g.last_plane + in_plane)));
#pragma unroll
        for (int w = 0; w < Words; ++w)
            seams[SharedBonds<Words>::seam_word(s, colour, true, h, y, w)] =
                seams[SharedBonds<Words>::seam_word(s, 1 - colour, false, h, y, w)] = word_of(z, w).bits;
    }
    for_each_site<2, Words>(g, s, [&](std::uint32_t site, std::uint32_t place, bool) {
        const Vector x = __ldg(reinterpret_cast<const Vector*>(couplings + 4 * site)),
                     y = __ldg(reinterpret_cast<const Vector*>(couplings + 4 * (g.sites + site)));
#pragma unroll
        for (int i = 0; i < Words; ++i) {
            shared[place + 2 * i] = word_of(x, i).bits;
            shared[place + 2 * i + 1] = word_of(y, i).bits;
        }
    });
}

/// Sets the energies of a block's lanes: -(bonds) + 2 (unsatisfied bonds), which red sites have all. The
/// threads of a warp that have equal words and slots add their counts.
template <int Degree, int Slots, int Words>
__device__ __forceinline__ void count_energies(const SweepArgs& a, const DemonLaunch& l,
                                               const DemonStack& stack, std::uint32_t slots,
                                               std::int32_t* energy, const SharedBonds<Words>& bonds,
                                               std::uint32_t first_address) {
    const Geometry& g = a.geometry;
    energy += 32 * stack.first_word;
    for (std::uint32_t i = threadIdx.x; i < slots * 32 * Words; i += blockDim.x)
        energy[i / (32 * Words) * 128 + i % (32 * Words)] = -static_cast<std::int32_t>(Degree / 2 * g.sites);
    __syncthreads();
    constexpr int planes = planes_for(Degree * limits::max_demon_sites);
    const std::uint32_t groups = (slots + Slots - 1) / Slots, numbers = (l.sizes.number + 31) / 32 * 32;
#pragma unroll 1
    for (std::uint32_t task = threadIdx.x; task < groups * numbers; task += blockDim.x) {
        const std::uint32_t group = task / numbers, number = task - group * numbers;
        BitCounter<DeviceWord, planes> counter[Slots];
#pragma unroll
        for (int k = 0; k < Slots; ++k) counter[k].clear();
        if (number < l.sizes.number)
            visit_chain<Degree, Slots, false>(
                g, l.sizes, Chain(g, l.sizes, stack.first_word, number), 0,
                SharedSlots<Slots, Words>{first_address + group * Slots * 8 * l.sizes.colour}, bonds, [] {},
                [&](int k, DeviceWord spin, const DeviceWord(&e)[Degree]) {
                    counter[k].add(e);
                    return spin;
                });
#pragma unroll
        for (int k = 0; k < Slots; ++k)
            add_lanes<Words>(counter[k], group * Slots + k < slots, energy + (group * Slots + k) * 128);
    }
}

template <int Degree, int Slots, int Words>
__global__ void __launch_bounds__(max_resident_demon_threads(Slots))
    demon_resident(const __grid_constant__ SweepArgs a, const __grid_constant__ DemonLaunch l) {
    extern __shared__ uint4 memory_words[];
    const Geometry& g = a.geometry;
    const DemonBlock<Slots, Words> block(a, l);
    const DemonStack& stack = block.stack;
    auto* const tables = reinterpret_cast<DemonTable*>(memory_words);
    auto* const bond_words = reinterpret_cast<std::uint32_t*>(tables + (l.slots + Slots - 1) / Slots * Slots);
    auto* const seam_words = bond_words + 4 * l.sizes.colour;
    auto* const shared = seam_words + seam_space(l.sizes);
    const SharedBonds<Words> bonds{{shared_address(bond_words)}, {shared_address(seam_words)}};
    const std::uint32_t first_address = shared_address(shared);
    fill_tables(a, stack.first_slot, block.groups * Slots, tables);
    load_bonds<Degree, Words>(
        g, l.sizes,
        reinterpret_cast<const std::uint32_t*>(column_couplings<Degree>(a, stack.column)) + stack.first_word,
        bond_words, seam_words);
    load_lattices(a, l, block, shared);
    __syncthreads();
    block.sweep(l, first_address,
                [&](unsigned number, unsigned colour, std::uint64_t sweep, const DemonStack& of_chain,
                    std::uint32_t slot, const SharedSlots<Slots, Words>& lattices) {
                    serve_chain<Degree, Slots>(a, l, number, colour, sweep, of_chain, tables + slot, lattices,
                                               bonds);
                });
    if (l.energy)
        count_energies<Degree, Slots, Words>(a, l, stack, block.slots, l.energy + block.lattice * 128, bonds,
                                             first_address);
    store_lattices(g, l, block, shared);
}

template <int Degree, int Slots>
DemonKernelFunction kernel_of(int words) {
    return words == 1   ? demon_resident<Degree, Slots, 1>
           : words == 2 ? demon_resident<Degree, Slots, 2>
                        : demon_resident<Degree, Slots, 4>;
}
template <int Degree>
DemonKernelFunction kernel_of(int slots, int words) {
    return slots == 1   ? kernel_of<Degree, 1>(words)
           : slots == 2 ? kernel_of<Degree, 2>(words)
                        : kernel_of<Degree, 4>(words);
}

}  // namespace

DemonKernelFunction resident_demons(int degree, int slots, int words) {
    return degree == 6 ? kernel_of<6>(slots, words) : kernel_of<4>(slots, words);
}

}  // namespace psflip
