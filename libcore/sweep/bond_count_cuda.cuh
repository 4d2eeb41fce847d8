#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/geometry_cuda.cuh"
#include "sweep/lane_count_cuda.cuh"

namespace psflip {

/// The bonds of red sites of one lattice, counted by a warp, up to 8 sites per thread. The six bonds of the
/// red sites are all bonds of the lattice, each once. Each thread counts in 6 bit planes of 128 lanes (48 <=
/// 63).
struct BondTask {
    static constexpr int sites_per_thread = 8, sites = 32 * sites_per_thread;

    /// Unsatisfied bonds of red sites begin .. end - 1: thread l gets those of lanes 4l .. 4l+3. spin(i): the
    /// spins at position i; load_bonds(n, bond): couplings of the six bonds in the order of Neighbours. All
    /// threads of the warp must call.
    template <class Spin, class LoadBonds>
    __device__ __forceinline__ static int4 count(const Geometry& g, std::uint32_t begin, std::uint32_t end,
                                                 const Spin& spin, const LoadBonds& load_bonds) {
        BitCounter<DeviceWord, planes> counter[4];
#pragma unroll
        for (int w = 0; w < 4; ++w) counter[w].clear();
#pragma unroll 1
        for (std::uint32_t i = begin + threadIdx.x % 32; i < end; i += 32) {
            const Neighbours n = neighbours_of(g, 0, place_of(g, 0, i));
            uint4 bond[6], near[6];
            load_bonds(n, bond);
            const uint4 own = spin(n.own);
#pragma unroll
            for (int k = 0; k < 6; ++k) near[k] = spin(n.site[k]);
            count_site(own, near, bond, counter);
        }
        return warp_lane_counts(counter);
    }

  private:
    static constexpr int planes = 6;
    static_assert(planes_for(6 * sites_per_thread) <= planes);
};

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
