#pragma once

// Checks CUDA calls and launches kernels. Errors become exceptions.

#include <cuda_runtime.h>

#include <cstddef>

namespace psflip {

/// Throws EnvironmentError that names call, file and line.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line);

inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
    if (status != cudaSuccess) throw_cuda_error(status, call, file, line);
}

/// Calls a CUDA function. Errors: EnvironmentError if it fails.
#define PSFLIP_CUDA(call) ::psflip::check_cuda((call), #call, __FILE__, __LINE__)

/// Launches a kernel into the stream. If `dynamic_shared` exceeds 48 KiB, the caller first sets
/// cudaFuncAttributeMaxDynamicSharedMemorySize. Errors: EnvironmentError if the launch fails. Errors of the
/// execution appear at the next synchronisation.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_shared,
            cudaStream_t stream, const Arguments&... arguments) {
    kernel<<<grid, block, dynamic_shared, stream>>>(static_cast<Parameters>(arguments)...);
    PSFLIP_CUDA(cudaGetLastError());
}

/// Launches a kernel that may start before the previous kernel of the stream has ended (programmatic
/// dependent launch). The kernel must call wait_for_launch_before before it touches data of the previous
/// kernel. Needs compute capability 9.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t dynamic_shared,
                  cudaStream_t stream, const Arguments&... arguments) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = dynamic_shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    PSFLIP_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

#ifdef __CUDACC__
/// Lets the next kernel of the stream start if launch_early launches it. It starts when all blocks of this
/// kernel have called the function or ended.
__device__ __forceinline__ void let_next_launch_start() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// Waits for the end of the previous kernel. All threads of a kernel that launch_early launches must call it.
__device__ __forceinline__ void wait_for_end_of_launch_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Lets the next kernel start, and waits for the end of the previous kernel.
__device__ __forceinline__ void wait_for_launch_before() {
    let_next_launch_start();
    wait_for_end_of_launch_before();
}
#endif

/// Returns the number of blocks of `size` threads that cover `n`.
inline unsigned blocks_for(long long n, int size) {
    return static_cast<unsigned>((n + size - 1) / size);
}

}  // namespace psflip
