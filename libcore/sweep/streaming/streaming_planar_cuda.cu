// Compiles the streaming kernels of the plain rule in two dimensions, for share 32, 64 and 128.

#include "sweep/streaming/streaming_class_kernel_cuda.cuh"

namespace psflip {

template StreamingForms streaming_class_forms<PlanarRule>(int share);

}  // namespace psflip
