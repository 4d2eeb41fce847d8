// Sweeps by demons in the shared memory of blocks:
//
//   device memory --pending exchange--> shared memory: bonds, and lattices of neighbouring slots
//   all sweeps of a burst; energies --> device memory
//
// Threads of a block share the chains of its lattices.

#include <type_traits>

#include "config/limits.hpp"
#include "sweep/demon/demon_chain_cuda.cuh"
#include "word/lane_count_cuda.cuh"

namespace psflip {

namespace {

__device__ __forceinline__ unsigned layer_of(const DemonChains& chains, unsigned z) {
    return chains.planes == 1 ? z : z / static_cast<unsigned>(chains.planes);
}

/// Calls visit(site, place of the word of slot 0 in shared memory) for the sites of a thread, and of copies.
template <int Slots, int Words, class Visit>
__device__ __forceinline__ void for_each_site(const Geometry& g, const ChainSizes& s, const Visit& visit) {
#pragma unroll 4
    for (std::uint32_t site = threadIdx.x; site < g.sites; site += blockDim.x) {
        const std::uint32_t colour = site >= g.colour_sites;
        const Place p = place_of(g, colour, site - colour * g.colour_sites);
        visit(site,
              Slots * (s.plane_place(colour, p.z, layer_of(s.chains, p.z)) + p.h * s.column + Words * p.y),
              p.y == 0);
    }
}

/// The words of a site that a block holds.
template <int Words>
using SiteVector =
    std::conditional_t<Words == 4, uint4, std::conditional_t<Words == 2, uint2, std::uint32_t>>;

/// Reads the lattices of a block and carries out the pending exchange between its slots. `device` has the
/// first of the block's words in slot 0.
template <int Slots, int Words>
__device__ __forceinline__ void load_lattices(const SweepArgs& a, const DemonLaunch& l, std::uint32_t number,
                                              const DemonStack& stack, std::uint32_t slots,
                                              const std::uint32_t* device, std::uint32_t* shared) {
    using Vector = SiteVector<Words>;
    const Geometry& g = a.geometry;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const bool is_cold = (stack.first_slot + slot) % 2 == static_cast<std::uint32_t>(l.pending.parity);
        const bool paired = l.pending.mask && (is_cold ? slot + 1 < slots : slot > 0);
        const std::uint32_t cold = stack.first_slot + slot - (is_cold ? 0 : 1);
        std::uint32_t mask[Words]{};
        if (paired) {
            const auto* const masks = reinterpret_cast<const std::uint32_t*>(
                l.pending.mask + static_cast<std::size_t>(number) * l.pending.steps +
                (cold + l.pending.parity) / 2);
#pragma unroll
            for (int w = 0; w < Words; ++w) mask[w] = masks[stack.first_word + w];
        }
        const std::uint32_t* const own = device + std::size_t{4} * slot * g.sites;
        const std::uint32_t* const other = is_cold ? own + 4 * g.sites : own - 4 * g.sites;
        std::uint32_t* const to = shared + slot / Slots * Slots * 2 * l.sizes.colour + slot % Slots;
        for_each_site<Slots, Words>(
            g, l.sizes, [&](std::uint32_t site, std::uint32_t place, bool is_first_row) {
                Vector v = *reinterpret_cast<const Vector*>(own + 4 * site);
                if (paired) {
                    const Vector w = *reinterpret_cast<const Vector*>(other + 4 * site);
#pragma unroll
                    for (int i = 0; i < Words; ++i)
                        word_ref(v, i) ^= (word_of(v, i).bits ^ word_of(w, i).bits) & mask[i];
                }
#pragma unroll
                for (int i = 0; i < Words; ++i) {
                    to[place + i * Slots] = word_of(v, i).bits;
                    if (is_first_row) to[place + (Words * g.L + i) * Slots] = word_of(v, i).bits;
                }
            });
    }
}

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

template <int Slots, int Words>
__device__ __forceinline__ void store_lattices(const Geometry& g, const DemonLaunch& l, std::uint32_t slots,
                                               std::uint32_t* device, const std::uint32_t* shared) {
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        const std::uint32_t* const from = shared + slot / Slots * Slots * 2 * l.sizes.colour + slot % Slots;
        for_each_site<Slots, Words>(g, l.sizes, [&](std::uint32_t site, std::uint32_t place, bool) {
            SiteVector<Words> v;
#pragma unroll
            for (int i = 0; i < Words; ++i) word_ref(v, i) = from[place + i * Slots];
            *reinterpret_cast<SiteVector<Words>*>(device + std::size_t{4} * slot * g.sites + 4 * site) = v;
        });
    }
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
        for (int k = 0; k < Slots; ++k) {
            DeviceWord sum[planes + 5];
#pragma unroll
            for (int p = 0; p < planes + 5; ++p)
                sum[p] = p < planes ? counter[k].plane[p < planes ? p : 0] : DeviceWord{0};
            add_across<planes>(sum, 16);
            add_across<planes + 1>(sum, 8);
            add_across<planes + 2>(sum, 4);
            if (Words < 4) add_across<planes + 3>(sum, 2);
            if (Words < 2) add_across<planes + 4>(sum, 1);
            const std::uint32_t lane = threadIdx.x % 32, word = lane % Words, part = lane / Words;
            if (group * Slots + k < slots && part < 8)
                add_counts(energy + (group * Slots + k) * 128 + 32 * word + 4 * part, four_lanes(sum, part),
                           2);
        }
    }
}

/// Grid: x = (column, replica, group of slots, words of a column), from first_stack on.
template <int Degree, int Slots, int Words>
__global__ void __launch_bounds__(max_resident_demon_threads(Slots))
    demon_resident(const __grid_constant__ SweepArgs a, const __grid_constant__ DemonLaunch l) {
    extern __shared__ uint4 memory_words[];
    const Geometry& g = a.geometry;
    constexpr std::uint32_t cuts = 4 / Words;
    const std::uint32_t block = blockIdx.x / cuts, blocks = (a.temperatures + l.slots - 1) / l.slots,
                        in_slice = block / blocks, number = l.first_stack + in_slice,
                        first_slot = (block - in_slice * blocks) * l.slots,
                        slots = min(l.slots, a.temperatures - first_slot),
                        groups = (slots + Slots - 1) / Slots;
    const DemonStack stack{number / a.replicas, number % a.replicas, first_slot,
                           (blockIdx.x - block * cuts) * Words};
    auto* const tables = reinterpret_cast<DemonTable*>(memory_words);
    auto* const bond_words = reinterpret_cast<std::uint32_t*>(tables + (l.slots + Slots - 1) / Slots * Slots);
    auto* const seam_words = bond_words + 4 * l.sizes.colour;
    auto* const shared = seam_words + seam_space(l.sizes);
    const SharedBonds<Words> bonds{{shared_address(bond_words)}, {shared_address(seam_words)}};
    const std::uint32_t first_address = shared_address(shared);
    const std::size_t lattice = static_cast<std::size_t>(number) * a.temperatures + first_slot;
    auto* const device = reinterpret_cast<std::uint32_t*>(a.spins + lattice * g.sites) + stack.first_word;
    fill_tables(a, first_slot, groups * Slots, tables);
    load_bonds<Degree, Words>(
        g, l.sizes,
        reinterpret_cast<const std::uint32_t*>(column_couplings<Degree>(a, stack.column)) + stack.first_word,
        bond_words, seam_words);
    load_lattices<Slots, Words>(a, l, number, stack, slots, device, shared);
    __syncthreads();
    for (int s = 0; s < l.sweeps; ++s)
#pragma unroll 1
        for (unsigned colour = 0; colour < 2; ++colour) {
#pragma unroll 1
            for (std::uint32_t task = threadIdx.x; task < groups * l.sizes.number; task += blockDim.x) {
                const std::uint32_t group = task / l.sizes.number;
                serve_chain<Degree, Slots>(
                    a, l, task - group * l.sizes.number, colour, l.first_sweep + s,
                    {stack.column, stack.replica, first_slot + group * Slots, stack.first_word},
                    tables + group * Slots,
                    SharedSlots<Slots, Words>{first_address + group * Slots * 8 * l.sizes.colour}, bonds);
            }
            __syncthreads();
        }
    if (l.energy)
        count_energies<Degree, Slots, Words>(a, l, stack, slots, l.energy + lattice * 128, bonds,
                                             first_address);
    store_lattices<Slots, Words>(g, l, slots, device, shared);
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
