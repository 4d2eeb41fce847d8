#include "sweep/vector/vector_stream_kernel_cuda.cuh"

namespace psflip {

void launch_vector_stream(const StreamArgs<float>& args, VectorUpdate update, cudaStream_t stream) {
    with_update<3>(update, [&]<VectorUpdate one>() {
        const auto kernel = vector_stream_kernel<float, one>;
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(args.bytes)));
        launch(kernel, dim3(args.tiles * args.sweep.states), dim3(args.threads), args.bytes, stream, args);
    });
}

}  // namespace psflip
