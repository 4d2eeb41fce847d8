// Counts energies and magnetisations on a GPU for any Ising model.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "sweep/cuda/class_update_cuda.cuh"
#include "word/lane_count_cuda.cuh"

namespace psflip {

/// Describes lattices of any Ising model whose energies are counted. Each column has `per_column` lattices.
/// Pointers refer to device memory.
struct ModelCountArgs {
    Geometry geometry;
    const uint4* spins;         ///< (lattice, site)
    const uint4* couplings;     ///< (column, direction, site)
    const uint4* absent;        ///< (column, direction, site): absent bonds; null: no bond is absent
    const std::int32_t* bonds;  ///< (column, lane): number of present bonds, divided by `unit`
    std::uint32_t per_column, lattices;
    int degree, unit;  ///< Shape::energy_unit
};

/// Maximum number of red sites that a thread adds to a ModelCounter.
inline constexpr int model_count_sites = 8;

/// Holds the counts of a warp for 128 lanes: unsatisfied bonds of red sites, and spins +1 of these red sites
/// and of equally many black sites.
template <int Degree, bool Absent>
struct ModelCounter {
    BitCounter<DeviceWord, planes_for(Degree* model_count_sites)> unsatisfied[4];
    BitCounter<DeviceWord, planes_for(2 * model_count_sites)> up[4];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int w = 0; w < 4; ++w) unsatisfied[w].clear(), up[w].clear();
    }
    /// Adds a red site and a black site. Couplings and absent bonds are the arrays of the column.
    __device__ __forceinline__ void add(const Geometry& g, const NearSpins<Degree>& spins, const uint4& black,
                                        const NearSites<Degree>& at, const uint4* couplings,
                                        const uint4* absent_bonds) {
        uint4 bond[Degree], absent[Absent ? Degree : 1];
        load_bonds(couplings, g.sites, at, bond);
        if constexpr (Absent) load_bonds(absent_bonds, g.sites, at, absent);
#pragma unroll
        for (int w = 0; w < 4; ++w) {
            DeviceWord e[Degree];
#pragma unroll
            for (int k = 0; k < Degree; ++k) {
                e[k] = xor3(word_of(spins.own, w), word_of(spins.near[k], w), word_of(bond[k], w));
                if constexpr (Absent) e[k] = e[k] & ~word_of(absent[k], w);
            }
            unsatisfied[w].add(e);
            const DeviceWord two[2] = {word_of(spins.own, w), word_of(black, w)};
            up[w].add(two);
        }
    }
    /// Adds `factor` times the counted bonds to `energy` and twice the counted spins to `magnetisation`.
    /// `first` is the index of lane 0 of the lattice. All threads of the warp must call it.
    __device__ __forceinline__ void finish(std::size_t first, std::int32_t* energy,
                                           std::int32_t* magnetisation, int factor = 2) const {
        const std::size_t lanes = first + threadIdx.x % 32 * 4;
        add_counts(energy + lanes, warp_lane_counts(unsatisfied), factor);
        if (magnetisation) add_counts(magnetisation + lanes, warp_lane_counts(up), 2);
    }
};

/// Sets energy[lattice * 128 + lane] to -(bonds) + 2 (unsatisfied bonds) in units of `unit` and, unless null,
/// magnetisation to -(sites) + 2 (spins +1). Queues the work into the stream.
void count_model(const ModelCountArgs& args, std::int32_t* energy, std::int32_t* magnetisation,
                 cudaStream_t stream);
/// Does the work of count_model in a slab whose halos are up to date. The sums over all ranks are the values
/// of whole lattices. Only the rank with `first` adds -(bonds) and -(sites) of whole lattices.
void count_model_of_slab(const ModelCountArgs& args, const OwnPlanes& own, bool first, std::int32_t* energy,
                         std::int32_t* magnetisation, cudaStream_t stream);

}  // namespace psflip
