#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace psflip {

/// Throws EnvironmentError, which names the call, file and line.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line);

inline void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
    if (status != cudaSuccess) throw_cuda_error(status, call, file, line);
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

/// Likewise of a kernel that may start while the one before it in the stream ends: it calls
/// wait_for_launch_before before it touches what that one touches. Needs compute capability 9.
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
/// By all threads of a kernel of launch_early: lets the next one of its kind start where there is room, then
/// waits for the end of the one before. Nothing where the kernel was launched otherwise.
__device__ __forceinline__ void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

/// Blocks of `size` that cover `n`, for one-dimensional grids.
inline unsigned blocks_for(long long n, int size) {
    return static_cast<unsigned>((n + size - 1) / size);
}

}  // namespace psflip
