#include "sweep/cuda/gauged_bonds_cuda.cuh"

#include "base/cuda_check.cuh"
#include "sweep/cuda/gauge_word_cuda.cuh"
#include "sweep/gauge.hpp"

namespace psflip {

namespace {

using Word = GaugeWord;

/// Turns and seams. Grid: x = columns of realizations, y = blocks of (x, y).
__global__ void turn_kernel(const Geometry g, const Word* couplings, const unsigned depth, Word* gauged) {
    const unsigned i = blockIdx.y * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    Word* const mine = gauged + std::size_t{blockIdx.x} * GaugedBonds::directions * g.sites;
    gauge_column(g, x, y, depth, couplings + (std::size_t{blockIdx.x} * 3 + 2) * g.sites,
                 mine + GaugedBonds::turn * g.sites, mine + GaugedBonds::seam * g.sites);
}

/// Bonds in +x and +y. Grid: x = columns of realizations, y = blocks of sites.
__global__ void bond_kernel(const Geometry g, const Word* couplings, Word* gauged) {
    const unsigned i = blockIdx.y * blockDim.x + threadIdx.x;
    if (i >= g.sites) return;
    const unsigned colour = i >= g.colour_sites;
    const Neighbours n = neighbours_of(g, colour, place_of(g, colour, i - colour * g.colour_sites));
    const Word* const column = couplings + std::size_t{blockIdx.x} * 3 * g.sites;
    Word* const mine = gauged + std::size_t{blockIdx.x} * GaugedBonds::directions * g.sites;
    const Word* const turn = mine + GaugedBonds::turn * g.sites;
    for (unsigned d = 0; d < 2; ++d)
        mine[d * g.sites + i] = column[d * g.sites + i] ^ turn[i] ^ turn[n.site[d]];
}

}  // namespace

DeviceBuffer<uint4> GaugedBonds::of(const Geometry& g, const uint4* couplings, std::int64_t columns,
                                    unsigned depth, cudaStream_t stream) {
    DeviceBuffer<uint4> gauged(static_cast<std::size_t>(columns) * directions * g.sites, "gauged couplings");
    const auto* const plain = reinterpret_cast<const Word*>(couplings);
    auto* const out = reinterpret_cast<Word*>(gauged.data());
    const auto all = static_cast<unsigned>(columns);
    launch(turn_kernel, dim3(all, blocks_for(g.L * g.L, 128)), dim3(128), 0, stream, g, plain, depth, out);
    launch(bond_kernel, dim3(all, blocks_for(g.sites, 128)), dim3(128), 0, stream, g, plain, out);
    return gauged;
}

}  // namespace psflip
