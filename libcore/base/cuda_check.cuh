#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "base/error.hpp"

namespace psflip {

/// Throws EnvironmentError naming the call, file and line where `status` is an error.
inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
    if (status == cudaSuccess) return;
    cudaGetLastError();
    throw EnvironmentError(std::string("CUDA: ") + cudaGetErrorString(status) + " in " + call + " (" + file +
                           ":" + std::to_string(line) + ")");
}

#define PSFLIP_CUDA(call) ::psflip::check_cuda((call), #call, __FILE__, __LINE__)

/// Puts a kernel into the stream and checks the launch (not its execution: that shows at the next
/// synchronisation). `dynamic_shared` bytes above 48 KiB need cudaFuncAttributeMaxDynamicSharedMemorySize set
/// before.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_shared,
            cudaStream_t stream, const Arguments&... arguments) {
    kernel<<<grid, block, dynamic_shared, stream>>>(static_cast<Parameters>(arguments)...);
    PSFLIP_CUDA(cudaGetLastError());
}

/// Blocks of `size` that cover `n`, for one-dimensional grids.
inline unsigned blocks_for(long long n, int size) {
    return static_cast<unsigned>((n + size - 1) / size);
}

}  // namespace psflip
