#pragma once

#include "base/device_buffer.cuh"
#include "random/generators/stream_set.hpp"

namespace psflip {

/// The streams of a set in device memory so that threads beside each other find their words beside each
/// other: those that a thread draws from with word j of stream t of T at j T + t, a ring, which a block draws
/// from, in one piece.
template <class G>
class StreamBuffer {
    static constexpr bool ring = requires { G::side_by_side; };

  public:
    StreamBuffer(StreamSet<G>&& set, cudaStream_t stream) : view_(set.view()) {
        if constexpr (!ring) {
            view_.between_streams = 1;
            view_.between_words = set.count();
        }
        const std::vector<std::uint32_t> words = ring ? set.memory() : set.side_by_side();
        memory_ = DeviceBuffer<std::uint32_t>(words.size(), "streams of random numbers");
        memory_.upload(words, stream);
        view_.memory = memory_.data();
    }
    const StreamsView<G>& view() const { return view_; }

  private:
    StreamsView<G> view_;
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
