#pragma once

#include "base/device_buffer.cuh"
#include "random/generators/stream_set.hpp"

namespace psflip {

/// The streams of a set in device memory, word j of stream t of T at j T + t.
template <class G>
class StreamBuffer {
  public:
    StreamBuffer(StreamSet<G>&& set, cudaStream_t stream) : count_(set.count()), step_(set.view().step) {
        const std::vector<std::uint32_t> words = set.side_by_side();
        memory_ = DeviceBuffer<std::uint32_t>(words.size(), "streams of random numbers");
        memory_.upload(words, stream);
    }
    StreamsView<G> view() const { return {memory_.data(), 1, count_, step_}; }

  private:
    std::size_t count_;
    StreamStep<G> step_;
    DeviceBuffer<std::uint32_t> memory_;
};

/// By all threads of a block: the next number of each of the first `width`, side by side from one ring.
template <class Ring>
__device__ __forceinline__ std::uint32_t draw_side_by_side(Ring& ring, int width) {
    const auto k = static_cast<int>(threadIdx.x);
    const std::uint32_t number = ring.ahead(k);
    __syncthreads();  // all have read what the others overwrite
    if (k < width) ring.put(k, number);
    ring.skip(width);
    __syncthreads();  // and have written what the others read next
    return number;
}

}  // namespace psflip
