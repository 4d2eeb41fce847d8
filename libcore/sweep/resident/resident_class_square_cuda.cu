// Compiles the resident kernels of the class rule in two dimensions, without a field, without absent bonds.

#include "sweep/resident/resident_class_kernel_cuda.cuh"

namespace psflip {

template ResidentForms resident_class_forms<ClassUpdate<4, false, false>>(int share);

}  // namespace psflip
