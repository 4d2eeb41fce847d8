#include "sweep/cuda/gauge_cuda.cuh"

#include "base/cuda_check.cuh"
#include "sweep/gauge.hpp"

namespace psflip {

namespace {

constexpr unsigned threads = 128, sites_per_thread = 4;

using Word = GaugeWord;

/// Sets turns and seams. Grid: x = columns of realizations, y = blocks of (x, y).
__global__ void turn_kernel(const Geometry g, const Word* couplings, const unsigned depth, Word* gauged) {
    const unsigned i = blockIdx.y * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    Word* const mine = gauged + std::size_t{blockIdx.x} * GaugedBonds::directions * g.sites;
    gauge_column(g, x, y, depth, couplings + (std::size_t{blockIdx.x} * 3 + 2) * g.sites,
                 mine + GaugedBonds::turn * g.sites, mine + GaugedBonds::seam * g.sites);
}

/// Gauges the bonds in +x and +y. Grid: x = columns of realizations, y = blocks of sites.
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

/// Sets turns alone. Grid: x = blocks of (x, y), y = columns of realizations.
__global__ void turn_of_columns(const Geometry g, const Word* couplings, Word* turn) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    turn_column(g, x, y, 0, couplings + (std::size_t{blockIdx.y} * 3 + 2) * g.sites,
                turn + std::size_t{blockIdx.y} * g.sites);
}

/// Gauges all bonds. Grid: x = blocks of (x, y), y = columns of realizations, z = planes.
__global__ void gauge_bonds(const Geometry g, Word* couplings, const Word* turn) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L, z = blockIdx.z;
    if (y >= g.L) return;
    Word* const mine = couplings + std::size_t{blockIdx.y} * 3 * g.sites;
    const Word* const turns = turn + std::size_t{blockIdx.y} * g.sites;
    const unsigned at = position_of(g, x, y, z), next[3] = {position_of(g, x + 1 == g.L ? 0 : x + 1, y, z),
                                                            position_of(g, x, y + 1 == g.L ? 0 : y + 1, z),
                                                            position_of(g, x, y, z + 1 == g.L ? 0 : z + 1)};
    for (unsigned d = 0; d < 3; ++d) {
        Word& bond = mine[std::size_t{d} * g.sites + at];
        bond = bond ^ turns[at] ^ turns[next[d]];
    }
}

/// Turns spins. Grid: x = blocks of sites, y = lattices of a column, z = columns.
__global__ void turn_spins(const unsigned sites, Word* spins, const Word* turn) {
    Word* const mine = spins + (std::size_t{blockIdx.z} * gridDim.y + blockIdx.y) * sites;
    const Word* const turns = turn + std::size_t{blockIdx.z} * sites;
    for (unsigned j = 0; j < sites_per_thread; ++j) {
        const unsigned i = (blockIdx.x * sites_per_thread + j) * blockDim.x + threadIdx.x;
        if (i < sites) mine[i] = mine[i] ^ turns[i];
    }
}

Word* words(uint4* v) {
    return reinterpret_cast<Word*>(v);
}

}  // namespace

DeviceBuffer<uint4> GaugedBonds::of(const Geometry& g, const uint4* couplings, std::int64_t columns,
                                    unsigned depth, cudaStream_t stream) {
    DeviceBuffer<uint4> gauged(static_cast<std::size_t>(columns) * directions * g.sites, "gauged couplings");
    const auto* const plain = reinterpret_cast<const Word*>(couplings);
    Word* const out = words(gauged.data());
    const auto all = static_cast<unsigned>(columns);
    launch(turn_kernel, dim3(all, blocks_for(g.L * g.L, threads)), dim3(threads), 0, stream, g, plain, depth,
           out);
    launch(bond_kernel, dim3(all, blocks_for(g.sites, threads)), dim3(threads), 0, stream, g, plain, out);
    return gauged;
}

LatticeGauge::LatticeGauge(const Geometry& g, uint4* couplings, std::int64_t columns, cudaStream_t stream)
    : g_(g), columns_(columns), turn_(static_cast<std::size_t>(columns) * g.sites, "gauge of spins") {
    const auto rows = static_cast<unsigned>(columns), blocks = blocks_for(g.L * g.L, threads);
    launch(turn_of_columns, dim3(blocks, rows), dim3(threads), 0, stream, g, words(couplings),
           words(turn_.data()));
    launch(gauge_bonds, dim3(blocks, rows, g.L), dim3(threads), 0, stream, g, words(couplings),
           words(turn_.data()));
}

void LatticeGauge::turn(uint4* spins, std::int64_t lattices_per_column, cudaStream_t stream) const {
    launch(turn_spins,
           dim3(blocks_for(g_.sites, threads * sites_per_thread), static_cast<unsigned>(lattices_per_column),
                static_cast<unsigned>(columns_)),
           dim3(threads), 0, stream, g_.sites, words(spins), reinterpret_cast<const Word*>(turn_.data()));
}

}  // namespace psflip
