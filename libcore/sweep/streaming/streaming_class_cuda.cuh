#pragma once

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/slab_colour_cuda.cuh"

namespace psflip {

/// One colour of one sweep.
struct StreamingColour {
    std::uint32_t first_column, slots, colour;  ///< slots of a thread
    std::uint64_t sweep;
};

/// The kernels of one update: a launch for whole lattices, and the kernel for slabs, null in two dimensions.
struct StreamingForms {
    void (*launch_whole)(const SweepArgs&, const ClassArgs&, const StreamingColour&, dim3 grid, cudaStream_t);
    void (*slab)(SweepArgs, ClassArgs, StreamingColour, SlabLaunch);
};

/// Returns the kernels for a rule of class_update_cuda.cuh. Several files instantiate the template, because
/// one file with all kernels compiles for 40 s.
template <class Rule>
StreamingForms streaming_class_forms(int share);

}  // namespace psflip
