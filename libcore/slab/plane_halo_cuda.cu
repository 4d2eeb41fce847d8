#include <algorithm>
#include <span>
#include <utility>

#include "base/cuda_check.cuh"
#include "slab/plane_halo_cuda.cuh"

namespace psflip {

PlaneHalo::PlaneHalo(Ranks& ranks, CpuHalo::Memory memory)
    : ranks_(ranks), memory_(std::move(memory)), room_(std::max(bytes(0), bytes(1))) {
    PSFLIP_CUDA(cudaMallocHost(&pinned_, messages * room_));
}

PlaneHalo::~PlaneHalo() {
    cudaDeviceSynchronize();
    cudaFreeHost(pinned_);
}

void PlaneHalo::copy(Message which, int colour, int plane, cudaStream_t stream) const {
    constexpr std::int64_t most_pitch = 0x7fffffff;
    const auto [offset, width] = memory_.part(colour, plane);
    const bool taken = which == to_below || which == to_above;
    // Lattices farther apart than a copy of rows allows are copied one by one.
    const std::int64_t together = memory_.stride <= most_pitch ? memory_.lattices : 1;
    for (std::int64_t i = 0; i < memory_.lattices; i += together) {
        std::byte *const there = memory_.first + i * memory_.stride + offset, *const here = pinned_ +
                                                                                            which * room_ +
                                                                                            i * width;
        const std::int64_t stride = together > 1 ? memory_.stride : width;
        PSFLIP_CUDA(cudaMemcpy2DAsync(taken ? here : there, taken ? width : stride, taken ? there : here,
                                      taken ? stride : width, width, together, cudaMemcpyDefault, stream));
    }
}

/// What came before is out of its messages when the stream has done what it was given.
void PlaneHalo::exchange(int colour, cudaStream_t stream) {
    copy(to_below, colour, memory_.begin, stream);
    copy(to_above, colour, memory_.end - 1, stream);
    PSFLIP_CUDA(cudaStreamSynchronize(stream));
    const auto of = [&](Message which) { return std::span(pinned_ + which * room_, bytes(colour)); };
    ranks_.start_exchange({of(to_below), of(to_above), of(from_below), of(from_above)});
    ranks_.finish_exchange();
    copy(from_below, colour, memory_.begin - 1, stream);
    copy(from_above, colour, memory_.end, stream);
}

}  // namespace psflip
