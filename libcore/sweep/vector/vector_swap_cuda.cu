#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {
namespace {

constexpr int swap_threads = 256;
constexpr unsigned most_pairs = 65535;  // of a launch

template <class T>
__global__ void vector_swap_kernel(T* spins, const StatePair* pairs, std::size_t numbers) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= numbers) return;
    const StatePair pair = pairs[blockIdx.y];
    T &a = spins[pair.first * numbers + i], &b = spins[pair.second * numbers + i];
    const T kept = a;
    a = b;
    b = kept;
}

}  // namespace

template <class T>
void launch_vector_swap(T* spins, const StatePair* pairs, unsigned count, std::size_t numbers,
                        cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((numbers + swap_threads - 1) / swap_threads);
    for (unsigned first = 0; first < count; first += most_pairs)
        launch(vector_swap_kernel<T>, dim3(blocks, std::min(most_pairs, count - first)), dim3(swap_threads),
               0, stream, spins, pairs + first, numbers);
}

template void launch_vector_swap(float*, const StatePair*, unsigned, std::size_t, cudaStream_t);
template void launch_vector_swap(double*, const StatePair*, unsigned, std::size_t, cudaStream_t);

}  // namespace psflip
