// Fills arrays of random numbers on a GPU.
#include "base/device.hpp"
#include "base/stream.cuh"
#include "bench/rng_numbers_streams.hpp"
#include "bench/stateful/site_buffer_cuda.cuh"
#include "bench/stateful/stream_buffer_cuda.cuh"

namespace psflip {
namespace {

constexpr int block_threads = 256;

/// Draws with a thread per stream.
template <class G>
__global__ void __launch_bounds__(block_threads)
    fill_kernel(NumbersView of, StreamsView<G> streams, float over_range, float* out) {
    const std::uint32_t stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream < of.streams) fill_by_stream(of, streams, stream, over_range, out);
}

template <class G>
__global__ void __launch_bounds__(block_threads)
    odd_kernel(NumbersView of, StreamsView<G> streams, unsigned long long* odd) {
    const std::uint32_t stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream < of.streams)
        atomicAdd(odd, static_cast<unsigned long long>(odd_of_stream(of, streams, stream)));
}

/// Calls use(row, number) for the numbers of this thread in all rows of a call of a ring.
template <class G, class Use>
__device__ __forceinline__ void for_each_row(const NumbersView& of, G& ring, const Use& use) {
    for (std::uint64_t row = 0; row < of.each / of.run; ++row) {
        std::uint32_t number[1];
        draw_side_by_side(ring, static_cast<int>(of.run), number);
        use(row, number[0]);
    }
}

/// Draws with a block per ring and a thread per number of a run.
template <class G>
__global__ void ring_fill_kernel(NumbersView of, StreamsView<G> streams, float over_range, float* out) {
    G ring = streams.stream(blockIdx.x, of.drawn);
    for_each_row(of, ring, [&](std::uint64_t row, std::uint32_t number) {
        out[(row * of.streams + blockIdx.x) * of.run + threadIdx.x] = fraction(number, over_range);
    });
}

template <class G>
__global__ void ring_odd_kernel(NumbersView of, StreamsView<G> streams, unsigned long long* odd) {
    G ring = streams.stream(blockIdx.x, of.drawn);
    unsigned long long mine = 0;
    for_each_row(of, ring, [&](std::uint64_t, std::uint32_t number) { mine += number & 1u; });
    atomicAdd(odd, mine);
}

template <class Listed>
class NumbersCuda : public Numbers {
    using G = typename Listed::G;

  public:
    NumbersCuda(const NumbersSetup& setup, const Listed& listed, int device)
        : Numbers(setup, cuda_device_name(chosen_device(device))),
          streams_(StreamSet<G>(setup.streams, {setup.seed, listed.in_sequence}), stream_.handle),
          odd_(1, "number of odd numbers") {}
    void fill() override {
        if (floats_.size() == 0) floats_ = DeviceBuffer<float>(setup().numbers(), "array of random numbers");
        constexpr float over_range = 1.0f / static_cast<float>(G::range);
        if constexpr (Listed::ring)
            launch(ring_fill_kernel<G>, dim3(setup().streams), dim3(setup().run), 0, stream_.handle, view(),
                   streams_.view(), over_range, floats_.data());
        else
            launch(fill_kernel<G>, dim3(blocks_for(setup().streams, block_threads)), dim3(block_threads), 0,
                   stream_.handle, view(), streams_.view(), over_range, floats_.data());
        ++calls_;
    }
    std::vector<float> floats() const override {
        std::vector<float> host(floats_.size());
        floats_.download(host, stream_.handle);
        return host;
    }
    std::uint64_t count_odd() override {
        odd_.zero(stream_.handle);
        if constexpr (Listed::ring)
            launch(ring_odd_kernel<G>, dim3(setup().streams), dim3(setup().run), 0, stream_.handle, view(),
                   streams_.view(), odd_.data());
        else
            launch(odd_kernel<G>, dim3(blocks_for(setup().streams, block_threads)), dim3(block_threads), 0,
                   stream_.handle, view(), streams_.view(), odd_.data());
        ++calls_;
        std::vector<unsigned long long> odd(1);
        odd_.download(odd, stream_.handle);
        return odd[0];
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }

  private:
    NumbersView view() const { return {setup().streams, setup().run, setup().each, calls_ * setup().each}; }

    Stream stream_;
    StreamBuffer<G> streams_;
    DeviceBuffer<float> floats_;
    DeviceBuffer<unsigned long long> odd_;
    std::uint64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Numbers> make_numbers_cuda(const NumbersSetup& setup, int device) {
    std::unique_ptr<Numbers> numbers;
    with_generator(setup.generator, [&](auto listed) {
        numbers = std::make_unique<NumbersCuda<decltype(listed)>>(setup, listed, device);
    });
    return numbers;
}

}  // namespace psflip
