#pragma once

#include "base/device_buffer.cuh"
#include "lattice/geometry_cuda.cuh"
#include "slab/ranks.hpp"

namespace psflip {

// Turns spins and couplings on a GPU into the gauge of sweep/gauge.hpp. Words of 16 bytes hold 128
// realizations.

/// Wraps a word with the operation that gauge.hpp needs.
struct GaugeWord {
    uint4 v;
    __device__ friend GaugeWord operator^(const GaugeWord& a, const GaugeWord& b) {
        return {{a.v.x ^ b.v.x, a.v.y ^ b.v.y, a.v.z ^ b.v.z, a.v.w ^ b.v.w}};
    }
};

/// Returns the spins, turned over where `turn` has ones.
__device__ __forceinline__ uint4 turned(const uint4& spins, const uint4& turn) {
    return (GaugeWord{spins} ^ GaugeWord{turn}).v;
}

/// Makes the gauge that the resident kernel and, for whole lattices, the fused kernel read. Words are
/// (column, direction, site), with sites in the standard order. Directions 0 and 1 are the bonds in +x and
/// +y. Direction 2 has each seam at both of its sites, and direction 3 the mask of turned spins.
struct GaugedBonds {
    static constexpr unsigned seam = 2, turn = 3, directions = 4;

    /// Returns the gauge for blocks that hold slabs of `depth` planes, from the couplings (column, direction,
    /// site) of whole lattices. Both arrays are in device memory; the work is queued into the stream.
    static DeviceBuffer<uint4> of(const Geometry& g, const uint4* couplings, std::int64_t columns,
                                  unsigned depth, cudaStream_t stream);
};

/// Loads the bonds of a site in the gauge, in the order of Neighbours, from GaugedBonds of its column. Bonds
/// along z are +1, except for the seam, which is bond 5 at both of its sites (end_last). seam: whether bond 5
/// is the seam.
__device__ __forceinline__ void load_gauged_bonds(const uint4* column, unsigned sites, const Neighbours& n,
                                                  bool seam, uint4 (&bond)[6]) {
#pragma unroll
    for (unsigned d = 0; d < 2; ++d) {
        bond[d] = __ldg(column + (d * sites + n.own));
        bond[3 + d] = __ldg(column + (d * sites + n.site[3 + d]));
    }
    bond[2] = bond[5] = {};
    if (seam) bond[5] = __ldg(column + (GaugedBonds::seam * sites + n.own));
}

/// Holds the gauge of the lattices of a batch, or of slabs, in device memory. Squares have a constructor. All
/// seams are between the last plane of the lattice and the first. So halos and own planes are in one gauge,
/// and slabs exchange halos in the gauge.
class LatticeGauge {
  public:
    /// Replaces the couplings (column, direction, site in memory) by gauged couplings, after earlier work of
    /// the stream. Gauged spins with gauged couplings have the energies of the original spins with the
    /// original couplings. ranks: the ranks of the slabs, or a single rank for whole lattices. Collective.
    LatticeGauge(const Geometry& g, const OwnPlanes& own, Ranks& ranks, uint4* couplings,
                 std::int64_t columns, cudaStream_t stream);

    /// Replaces the couplings (column, direction, site) of squares by gauged couplings, after earlier work of
    /// the stream. Bonds along y become +1, except for the bonds from the last row to the first.
    LatticeGauge(const Geometry& square, uint4* couplings, std::int64_t columns, cudaStream_t stream);

    /// Turns spins, (column, lattice, site in memory), into the gauge or back, in the stream.
    void turn(uint4* spins, std::int64_t lattices_per_column, cudaStream_t stream) const;

  private:
    Geometry g_;
    std::int64_t columns_;
    DeviceBuffer<uint4> turn_;  ///< (column, site in memory)
};

}  // namespace psflip
