// Counts energies on a GPU for the plain rule in three dimensions.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "sweep/cuda/lattices_cuda.cuh"
#include "word/lane_count_cuda.cuh"

namespace psflip {

/// Returns the maximum number of red sites per thread in count_bonds. words: 32-bit words per site, 1 or 4.
constexpr int max_bond_sites(int words) {
    return words == 1 ? 2 : 10;
}

/// Counts, by one warp, the unsatisfied bonds of the red sites begin to end - 1 in N lattices with equal
/// couplings. Each bond of a lattice belongs to exactly one red site. At most 32 * max_bond_sites sites are
/// allowed. V is a word of 128 lanes (uint4) or 32 lanes. load(i, spins, bond) fetches the words of site i
/// and its neighbours in each lattice, and its couplings. done(k, count) gets, in thread l, the counts of
/// lanes 4l to 4l + 3 of lattice k, or of lane l if V has 32 lanes. All threads of the warp must call
/// count_bonds.
template <class V, int N, class Load, class Done>
__device__ __forceinline__ void count_bonds(std::uint32_t begin, std::uint32_t end, const Load& load,
                                            const Done& done) {
    BitCounter<DeviceWord, planes_for(6 * max_bond_sites(words_of<V>))> counter[N][words_of<V>];
#pragma unroll
    for (int k = 0; k < N; ++k)
#pragma unroll
        for (int w = 0; w < words_of<V>; ++w) counter[k][w].clear();
#pragma unroll 1
    for (std::uint32_t i = begin + threadIdx.x % 32; i < end; i += 32) {
        SiteVectors<V> spins[N];
        V bond[6];
        load(i, spins, bond);
#pragma unroll
        for (int k = 0; k < N; ++k)
#pragma unroll
            for (int w = 0; w < words_of<V>; ++w) {
                DeviceWord e[6];
#pragma unroll
                for (int d = 0; d < 6; ++d)
                    e[d] = xor3(word_of(spins[k].own, w), word_of(spins[k].near[d], w), word_of(bond[d], w));
                counter[k][w].add(e);
            }
    }
#pragma unroll
    for (int k = 0; k < N; ++k) done(k, warp_lane_counts(counter[k]));
}

/// Returns the number of sites per thread, 1 to `most`, that takes the least time. `warps` warps count the
/// bonds of `groups` groups of lattices, each in pieces of 32 threads. Adding the counters of a warp takes as
/// long as two sites.
inline int best_bond_sites(int red_sites, int groups, int warps, int most) {
    int best = 1, best_time = 1 << 30;
    for (int sites = 1; sites <= most; ++sites) {
        const int pieces = (red_sites + 32 * sites - 1) / (32 * sites),
                  time = (groups * pieces + warps - 1) / warps * (sites + 2);
        if (time <= best_time) best_time = time, best = sites;
    }
    return best;
}

/// Describes lattices whose energies are counted. Each column of couplings has `per_column` lattices.
/// Pointers refer to device memory: spins (lattice, site) and couplings (column, direction, site).
struct BondCountArgs {
    Geometry geometry;
    const uint4* spins;
    const uint4* couplings;
    std::uint32_t per_column, lattices;
};

/// Returns a grid in which x numbers lattices, and y and z number groups of tasks. There may be more groups
/// than gridDim.y allows.
inline dim3 task_grid(std::uint32_t lattices, unsigned groups) {
    constexpr unsigned max_rows = 32768;
    const unsigned rows = groups < max_rows ? groups : max_rows;
    return dim3(lattices, rows, (groups + rows - 1) / rows);
}

/// Sets energy[lattice * 128 + lane] to -(bonds) + 2 (unsatisfied bonds), in units of J. Queues the work into
/// the stream.
void count_energies(const BondCountArgs& args, std::int32_t* energy, cudaStream_t stream);
/// Sets energies to -(bonds of own red sites) + 2 (unsatisfied bonds), in units of Shape::energy_unit. The
/// lattices are slabs whose halos are up to date, or whole lattices in any site order and of any size. Queues
/// the work into the stream.
void count_energies_of_slab(const BondCountArgs& args, const OwnPlanes& own, SiteOrder order, int unit,
                            std::int32_t* energy, cudaStream_t stream);

}  // namespace psflip
