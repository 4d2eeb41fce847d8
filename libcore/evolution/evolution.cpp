#include "evolution/evolution.hpp"

#include "evolution/tempering_cpu.hpp"
#include "sweep/kernel_request.hpp"
#if PSFLIP_HAVE_CUDA
#include "evolution/tempering_cuda.hpp"
#endif

namespace psflip {

std::unique_ptr<Evolution> make_evolution(const BatchSetup& setup) {
    check_batch(setup);
#if PSFLIP_HAVE_CUDA
    if (setup.shape.coding != Lanes::sites && choose_backend(setup.choice) == Backend::cuda)
        return std::make_unique<CudaTempering>(make_cuda_ensemble(setup));
#else
    choose_backend(setup.choice);
#endif
    return std::make_unique<CpuTempering>(make_cpu_ensemble(setup), setup.sweeps_per_swap);
}

}  // namespace psflip
