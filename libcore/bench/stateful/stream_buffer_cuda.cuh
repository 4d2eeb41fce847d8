#pragma once

#include "base/device_buffer.cuh"
#include "bench/generators/stream_set.hpp"

namespace psflip {

/// Owns the streams of a set in device memory. If each thread has its own stream, word j of stream t has the
/// index j T + t, so neighbouring threads read neighbouring words. A ring, which a block shares, is
/// contiguous.
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

/// Draws the next Rows * width numbers of one ring, which do not depend on each other. `number` receives one
/// number of this thread for each row of `width` numbers. All threads of a block must call.
template <int Rows, class Ring>
__device__ __forceinline__ void draw_rows(Ring& ring, int width, std::uint32_t* number) {
    const auto k = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int row = 0; row < Rows; ++row) number[row] = ring.ahead(k + row * width);
    __syncthreads();  // all threads have read what others overwrite
#pragma unroll
    for (int row = 0; row < Rows; ++row)
        if (k < width) ring.put(k + row * width, number[row]);
    ring.skip(Rows * width);
    __syncthreads();  // all threads have written what others read next
}

/// Draws N numbers for each of the first `width` threads, in rows of `width`, with as few barriers as the
/// shorter lag allows. All threads of a block must call.
template <int N, class Ring>
__device__ __forceinline__ void draw_side_by_side(Ring& ring, int width, std::uint32_t (&number)[N]) {
    if constexpr (N == 4) {
        if (4 * width <= Ring::side_by_side) return draw_rows<4>(ring, width, number);
        if (2 * width <= Ring::side_by_side) {
            draw_rows<2>(ring, width, number);
            return draw_rows<2>(ring, width, number + 2);
        }
    }
#pragma unroll
    for (int j = 0; j < N; ++j) draw_rows<1>(ring, width, number + j);
}

}  // namespace psflip
