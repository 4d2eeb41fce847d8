#pragma once

#include <string>

#include "sweep/fused/fused_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"
#include "sweep/tiled/tiled_cuda.cuh"

namespace psflip {

enum class SweepForm { resident, tiled, streaming };

/// Which kernel sweeps a batch, and how it is cut; the plans of the others are empty.
struct SweepPlan {
    SweepForm form = SweepForm::streaming;
    ResidentPlan resident;
    TiledPlan tiled;
    StreamingPlan streaming;

    std::string description() const;  ///< "resident kernel (24 temperatures and 416 threads per block)"
};

/// The choice between the kernels; see plan_cuda.cu. Throws EnvironmentError where the request asks for a
/// kernel or plan that the lattice or the device does not allow.
SweepPlan plan_sweeps(const SweepArgs& args, int share, std::int64_t columns, int device,
                      const KernelRequest& request);

}  // namespace psflip
