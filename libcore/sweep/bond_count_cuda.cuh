#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/geometry_cuda.cuh"
#include "sweep/lane_count_cuda.cuh"
#include "sweep/lattices_cuda.cuh"

namespace psflip {

/// Sites that a thread of count_bonds with so many words may have.
constexpr int most_bond_sites(int words) {
    return words == 1 ? 2 : 10;
}

/// Unsatisfied bonds of the red sites begin .. end - 1 (the bonds of all red sites are all bonds of a
/// lattice, each once), by one warp in bit planes: thread l gets those of lanes 4l .. 4l+3, or of lane l
/// where V has
/// 32. At most 32 * most_bond_sites sites. load(i, spins, bond) fetches the words of site i and around it
/// and its couplings. All threads of the warp must call.
template <class V, class Load>
__device__ __forceinline__ auto count_bonds(std::uint32_t begin, std::uint32_t end, const Load& load) {
    BitCounter<DeviceWord, planes_for(6 * most_bond_sites(words_of<V>))> counter[words_of<V>];
#pragma unroll
    for (int w = 0; w < words_of<V>; ++w) counter[w].clear();
#pragma unroll 1
    for (std::uint32_t i = begin + threadIdx.x % 32; i < end; i += 32) {
        SiteVectors<V> spins;
        V bond[6];
        load(i, spins, bond);
#pragma unroll
        for (int w = 0; w < words_of<V>; ++w) {
            DeviceWord e[6];
#pragma unroll
            for (int k = 0; k < 6; ++k)
                e[k] = xor3(word_of(spins.own, w), word_of(spins.near[k], w), word_of(bond[k], w));
            counter[w].add(e);
        }
    }
    return warp_lane_counts(counter);
}

/// Sites of a thread when `warps` warps count the bonds of `lattices` lattices in pieces: those with the
/// fewest sites one after the other. Adding the counters of a warp takes as long as two sites.
inline int best_bond_sites(int red_sites, int lattices, int warps, int most) {
    int best = 1, best_time = 1 << 30;
    for (int sites = 1; sites <= most; ++sites) {
        const int pieces = (red_sites + 32 * sites - 1) / (32 * sites),
                  time = (lattices * pieces + warps - 1) / warps * (sites + 2);
        if (time <= best_time) best_time = time, best = sites;
    }
    return best;
}

/// Lattices whose energies are wanted, `per_column` of them to each column of couplings.
struct BondCountArgs {
    Geometry geometry;
    const uint4* spins;
    const uint4* couplings;
    std::uint32_t per_column, lattices;
};

/// energy[lattice * 128 + lane] = -(bonds) + 2 (unsatisfied bonds).
void count_energies(const BondCountArgs& args, std::int32_t* energy, cudaStream_t stream);

}  // namespace psflip
