#include "sweep/cuda/gauge_cuda.cuh"

#include <vector>

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

// Kernels of LatticeGauge. Products are (column, y, x).

/// Multiplies the couplings along z of own planes. Grid: x = blocks of (x, y), y = columns of realizations.
__global__ void multiply_lines(const Geometry g, const OwnPlanes own, const Word* couplings, Word* product) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    product[std::size_t{blockIdx.y} * g.L * g.L + i] =
        product_of_line(g, own, x, y, couplings + (std::size_t{blockIdx.y} * 3 + 2) * g.sites);
}

/// Sets turns. Grid: as for multiply_lines.
__global__ void turn_lines(const Geometry g, const OwnPlanes own, const Word* couplings, const Word* below,
                           const Word* all, Word* turn) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    const std::size_t line = std::size_t{blockIdx.y} * g.L * g.L + i;
    turn_line(g, own, x, y, {below[line], all[line]}, couplings + (std::size_t{blockIdx.y} * 3 + 2) * g.sites,
              turn + std::size_t{blockIdx.y} * g.sites);
}

/// Gauges all bonds. Grid: x = blocks of (x, y), y = columns of realizations, z = planes in memory.
__global__ void gauge_lattices(const Geometry g, const OwnPlanes own, const Word* all, const Word* turn,
                               Word* couplings) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    gauge_bonds(g, own, x, y, blockIdx.z, all[std::size_t{blockIdx.y} * g.L * g.L + i],
                turn + std::size_t{blockIdx.y} * g.sites, couplings + std::size_t{blockIdx.y} * 3 * g.sites);
}

/// Gauges the bonds along y of squares, and sets turns. Grid: x = blocks of x, y = columns of realizations.
__global__ void gauge_square_lines(const Geometry g, Word* couplings, Word* turn) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= g.L) return;
    gauge_square_line(g, x, couplings + (std::size_t{blockIdx.y} * 2 + 1) * g.sites,
                      turn + std::size_t{blockIdx.y} * g.sites);
}

/// Gauges the bonds along x of squares. Grid: x = blocks of (x, y), y = columns of realizations.
__global__ void gauge_square_bonds(const Geometry g, const Word* turn, Word* couplings) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, y = i / g.L, x = i - y * g.L;
    if (y >= g.L) return;
    gauge_square_bond(g, x, y, turn + std::size_t{blockIdx.y} * g.sites,
                      couplings + std::size_t{blockIdx.y} * 2 * g.sites);
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

LatticeGauge::LatticeGauge(const Geometry& g, const OwnPlanes& own, Ranks& ranks, uint4* couplings,
                           std::int64_t columns, cudaStream_t stream)
    : g_(g), columns_(columns), turn_(static_cast<std::size_t>(columns) * g.sites, "gauge of spins") {
    const dim3 lines(blocks_for(g.L * g.L, threads), static_cast<unsigned>(columns));
    DeviceBuffer<uint4> all(static_cast<std::size_t>(columns) * g.L * g.L, "products of couplings"),
        below(all.size(), "products of couplings below the slab");
    launch(multiply_lines, lines, dim3(threads), 0, stream, g, own, words(couplings), words(all.data()));
    below.zero(stream);
    if (!ranks.alone()) {
        std::vector<std::uint64_t> products(2 * all.size());
        all.download(products, stream);
        below.upload(ranks.exclusive_or(products), stream);
        all.upload(products, stream);
    }
    launch(turn_lines, lines, dim3(threads), 0, stream, g, own, words(couplings), words(below.data()),
           words(all.data()), words(turn_.data()));
    launch(gauge_lattices, dim3(lines.x, lines.y, g.depth), dim3(threads), 0, stream, g, own,
           words(all.data()), words(turn_.data()), words(couplings));
    PSFLIP_CUDA(cudaStreamSynchronize(stream));  // before the products are freed
}

LatticeGauge::LatticeGauge(const Geometry& square, uint4* couplings, std::int64_t columns,
                           cudaStream_t stream)
    : g_(square),
      columns_(columns),
      turn_(static_cast<std::size_t>(columns) * square.sites, "gauge of spins") {
    const auto all = static_cast<unsigned>(columns);
    launch(gauge_square_lines, dim3(blocks_for(g_.L, threads), all), dim3(threads), 0, stream, g_,
           words(couplings), words(turn_.data()));
    launch(gauge_square_bonds, dim3(blocks_for(g_.L * g_.L, threads), all), dim3(threads), 0, stream, g_,
           words(turn_.data()), words(couplings));
}

void LatticeGauge::turn(uint4* spins, std::int64_t lattices_per_column, cudaStream_t stream) const {
    launch(turn_spins,
           dim3(blocks_for(g_.sites, threads * sites_per_thread), static_cast<unsigned>(lattices_per_column),
                static_cast<unsigned>(columns_)),
           dim3(threads), 0, stream, g_.sites, words(spins), reinterpret_cast<const Word*>(turn_.data()));
}

}  // namespace psflip
