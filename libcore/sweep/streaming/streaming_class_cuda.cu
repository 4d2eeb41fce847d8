// Compiles the streaming kernels of the class rule without a field, without absent bonds.

#include "sweep/streaming/streaming_class_kernel_cuda.cuh"

namespace psflip {

template StreamingForms streaming_class_forms<ClassUpdate<6, false, false>>(int share);
template StreamingForms streaming_class_forms<ClassUpdate<4, false, false>>(int share);

}  // namespace psflip
