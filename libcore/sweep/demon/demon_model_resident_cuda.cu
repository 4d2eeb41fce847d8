// Sweeps by demons of models with a field or absent bonds in the shared memory of blocks, as
// demon_resident_cuda.cu. The words of bonds of a site are Jx, Jy and, if bonds can be absent, the absent
// bonds along x and y; then, in three dimensions, Jz and the absent bonds along z.

#include "config/limits.hpp"
#include "sweep/demon/demon_block_cuda.cuh"
#include "sweep/demon/demon_model_chain_cuda.cuh"

namespace psflip {

namespace {

constexpr int Slots = resident_model_slots;

/// Reads the bonds of a block's words: `Arrays` arrays of device memory into vectors.
template <int Arrays, int Words>
__device__ __forceinline__ void load_words(const Geometry& g, const ChainSizes& s,
                                           const std::uint32_t* const (&from)[Arrays],
                                           std::uint32_t* shared) {
    using Vector = SiteVector<Words>;
    for_each_site<Arrays, Words>(g, s, [&](std::uint32_t site, std::uint32_t place, bool) {
#pragma unroll
        for (int k = 0; k < Arrays; ++k) {
            const Vector v = __ldg(reinterpret_cast<const Vector*>(from[k] + 4 * site));
#pragma unroll
            for (int i = 0; i < Words; ++i) shared[place + Arrays * i + k] = word_of(v, i).bits;
        }
    });
}

/// Sets energies, -(bonds) + 2 (unsatisfied bonds), and in a field magnetisations of a block's lanes.
template <int Degree, bool Absent, bool Field, int Words, class Flat, class Steep>
__device__ __forceinline__ void count_lattices(const SweepArgs& a, const DemonLaunch& l,
                                               const DemonModel& model, const DemonStack& stack,
                                               std::uint32_t slots, std::size_t first_lane, const Flat& flat,
                                               const Steep& steep, std::uint32_t first_address) {
    const Geometry& g = a.geometry;
    std::int32_t *const energy = l.energy + first_lane, *const magnetisation = l.magnetisation + first_lane;
    const std::int32_t* const bonds = model.bonds + stack.column * 128 + 32 * stack.first_word;
    for (std::uint32_t i = threadIdx.x; i < slots * 32 * Words; i += blockDim.x) {
        const std::uint32_t lane = i % (32 * Words), at = i / (32 * Words) * 128 + lane;
        energy[at] = -bonds[lane];
        if (Field) magnetisation[at] = -static_cast<std::int32_t>(g.sites);
    }
    __syncthreads();
    const std::uint32_t groups = (slots + Slots - 1) / Slots, numbers = (l.sizes.number + 31) / 32 * 32;
#pragma unroll 1
    for (unsigned colour = 0; colour < (Field ? 2 : 1); ++colour)
#pragma unroll 1
        for (std::uint32_t task = threadIdx.x; task < groups * numbers; task += blockDim.x) {
            const std::uint32_t group = task / numbers, number = task - group * numbers;
            BitCounter<DeviceWord, planes_for(Degree * limits::max_demon_sites)> unsatisfied[Slots];
            BitCounter<DeviceWord, planes_for(limits::max_demon_sites)> up[Slots];
#pragma unroll
            for (int k = 0; k < Slots; ++k) unsatisfied[k].clear(), up[k].clear();
            if (number < l.sizes.number)
                visit_model_chain<Degree, Slots, Absent, false>(
                    g, l.sizes, Chain(g, l.sizes, stack.first_word, number), colour,
                    SharedSlots<Slots, Words>{first_address + group * Slots * 8 * l.sizes.colour}, flat,
                    steep, [] {},
                    [&](const ChainSite<Degree, Slots>& at) {
#pragma unroll
                        for (int k = 0; k < Slots; ++k) {
                            const DeviceWord spin{at.spin.of[k]}, one[1] = {spin};
                            DeviceWord e[Degree];
#pragma unroll
                            for (int i = 0; i < Degree; ++i) {
                                e[i] = xor3(spin, {at.near[i].of[k]}, at.bond[i]);
                                if constexpr (Absent) e[i] = e[i] & ~at.absent[i];
                            }
                            if (colour == 0) unsatisfied[k].add(e);
                            if (Field) up[k].add(one);
                        }
                        return at.spin;
                    });
#pragma unroll
            for (int k = 0; k < Slots; ++k) {
                const std::uint32_t slot = group * Slots + k;
                if (colour == 0) add_lanes<Words>(unsatisfied[k], slot < slots, energy + slot * 128);
                if (Field) add_lanes<Words>(up[k], slot < slots, magnetisation + slot * 128);
            }
        }
}

template <int Degree, bool Absent, bool Field, int Words>
__global__ void __launch_bounds__(max_resident_model_threads)
    demon_model_resident(const __grid_constant__ SweepArgs a, const __grid_constant__ DemonLaunch l,
                         const __grid_constant__ DemonModel model) {
    using Rule = DemonRule<Degree, Absent, Field>;
    constexpr int flat_words = Absent ? 4 : 2, steep_words = Absent ? 2 : 1;
    extern __shared__ uint4 memory_words[];
    const Geometry& g = a.geometry;
    const DemonBlock<Slots, Words> block(a, l);
    const DemonStack& stack = block.stack;
    auto* const tables = reinterpret_cast<ModelTables<Rule>*>(memory_words);
    auto* const flat_memory =
        reinterpret_cast<std::uint32_t*>(tables + (l.slots + Slots - 1) / Slots * Slots);
    auto* const steep_memory = flat_memory + flat_words * 2 * l.sizes.colour;
    auto* const shared = steep_memory + (Degree == 6 ? steep_words : 0) * 2 * l.sizes.colour;
    const SharedSlots<flat_words, Words> flat{shared_address(flat_memory)};
    const SharedSlots<steep_words, Words> steep{shared_address(steep_memory)};
    const std::uint32_t first_address = shared_address(shared);
    fill_model_tables(a, model, stack.first_slot, block.groups * Slots, tables);
    const auto array = [&](const uint4* words, unsigned direction) {
        return reinterpret_cast<const std::uint32_t*>(
                   words + (static_cast<std::size_t>(stack.column) * (Degree / 2) + direction) * g.sites) +
               stack.first_word;
    };
    if constexpr (Absent) {
        load_words<4, Words>(
            g, l.sizes,
            {array(a.couplings, 0), array(a.couplings, 1), array(model.absent, 0), array(model.absent, 1)},
            flat_memory);
        if constexpr (Degree == 6)
            load_words<2, Words>(g, l.sizes, {array(a.couplings, 2), array(model.absent, 2)}, steep_memory);
    } else {
        load_words<2, Words>(g, l.sizes, {array(a.couplings, 0), array(a.couplings, 1)}, flat_memory);
        if constexpr (Degree == 6) load_words<1, Words>(g, l.sizes, {array(a.couplings, 2)}, steep_memory);
    }
    load_lattices(a, l, block, shared);
    __syncthreads();
    block.sweep(l, first_address,
                [&](unsigned number, unsigned colour, std::uint64_t sweep, const DemonStack& of_chain,
                    std::uint32_t slot, const SharedSlots<Slots, Words>& lattices) {
                    serve_model_chain<Degree, Slots, Absent, Field>(
                        a, l, model, number, colour, sweep, of_chain, tables + slot, lattices, flat, steep);
                });
    if (l.energy)
        count_lattices<Degree, Absent, Field, Words>(a, l, model, stack, block.slots,
                                                     block.lattice * 128 + 32 * stack.first_word, flat, steep,
                                                     first_address);
    store_lattices(g, l, block, shared);
}

template <int Degree, int Words>
DemonModelFunction kernel_of(const SweepRule& rule) {
    return !rule.absent  ? demon_model_resident<Degree, false, true, Words>
           : !rule.field ? demon_model_resident<Degree, true, false, Words>
                         : demon_model_resident<Degree, true, true, Words>;
}
template <int Degree>
DemonModelFunction kernel_of(const SweepRule& rule, int words) {
    return words == 1   ? kernel_of<Degree, 1>(rule)
           : words == 2 ? kernel_of<Degree, 2>(rule)
                        : kernel_of<Degree, 4>(rule);
}

}  // namespace

DemonModelFunction resident_model_demons(const SweepRule& rule, int words) {
    return rule.degree == 6 ? kernel_of<6>(rule, words) : kernel_of<4>(rule, words);
}

}  // namespace psflip
