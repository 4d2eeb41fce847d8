#include "slab/peer_planes_cuda.cuh"

#include <algorithm>
#include <utility>

#include "base/cuda_check.cuh"
#include "slab/agreement.hpp"

namespace psflip {
namespace {

constexpr int copy_threads = 256, words_of_thread = 4, max_blocks = 32;

/// Names a plane of all lattices here, and the halo plane there, for each side.
struct PlanesToCopy {
    const std::uint32_t* from[sides];
    std::int64_t offset[sides], stride[sides];  ///< of the halo plane, in the memory of the neighbour
    std::int64_t own_stride, words, lattices;   ///< words: of a plane of a lattice
};

/// Copies the planes, half of the blocks for each side. A word takes 8 bytes and about 10 operations.
__global__ void __launch_bounds__(copy_threads)
    copy_planes(const __grid_constant__ PeerLinks links, const __grid_constant__ PlanesToCopy planes) {
    const int side = static_cast<int>(blockIdx.x % sides);
    const unsigned block = blockIdx.x / sides, blocks = gridDim.x / sides;
    links.await(side);
    auto* const to = reinterpret_cast<std::uint32_t*>(links.at[side].spins) + planes.offset[side];
    for (std::int64_t lattice = 0; lattice < planes.lattices; ++lattice)
        for (std::int64_t i = block * copy_threads + threadIdx.x; i < planes.words;
             i += blocks * copy_threads)
            to[lattice * planes.stride[side] + i] = planes.from[side][lattice * planes.own_stride + i];
    links.publish(side, blocks);
    if (block == 0 && threadIdx.x == 0) links.wait_for(side, links.number);
}

}  // namespace

PeerPlanes::PeerPlanes(Ranks& ranks, CpuHalo::Memory memory)
    : memory_(std::move(memory)), peers_(ranks, {reinterpret_cast<uint4*>(memory_.first)}) {
    Halos mine{words(memory_.stride), {}};
    for (const int colour : {0, 1}) {
        mine.offset[colour][below] = words(memory_.part(colour, memory_.begin - 1).offset);
        mine.offset[colour][above] = words(memory_.part(colour, memory_.end).offset);
    }
    const std::vector<Halos> all = of_each(ranks, mine);
    there_[below] = all[static_cast<std::size_t>(ranks.below())];
    there_[above] = all[static_cast<std::size_t>(ranks.above())];
}

void PeerPlanes::exchange(int colour, cudaStream_t stream) {
    PlanesToCopy planes{};
    planes.own_stride = words(memory_.stride);
    planes.lattices = memory_.lattices;
    for (const Side side : {below, above}) {
        const auto part = memory_.part(colour, side == below ? memory_.begin : memory_.end - 1);
        planes.words = words(part.bytes);
        planes.from[side] = reinterpret_cast<const std::uint32_t*>(memory_.first + part.offset);
        planes.offset[side] = there_[side].offset[colour][side == below ? above : below];
        planes.stride[side] = there_[side].stride;
    }
    const std::int64_t blocks =
        std::clamp<std::int64_t>(planes.words / (copy_threads * words_of_thread), 1, max_blocks);
    launch(copy_planes, dim3(static_cast<unsigned>(sides * blocks)), dim3(copy_threads), 0, stream,
           peers_.next_launch(0), planes);
}

}  // namespace psflip
