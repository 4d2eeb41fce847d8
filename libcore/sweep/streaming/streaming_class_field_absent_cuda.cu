// Compiles the streaming kernels of the class rule in a field, with absent bonds.

#include "sweep/streaming/streaming_class_kernel_cuda.cuh"

namespace psflip {

template StreamingForms streaming_class_forms<ClassUpdate<6, true, true>>(int share);
template StreamingForms streaming_class_forms<ClassUpdate<4, true, true>>(int share);

}  // namespace psflip
