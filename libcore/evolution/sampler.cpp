#include "evolution/sampler.hpp"

#include "evolution/host_tempering.hpp"
#include "evolution/vector_tempering.hpp"
#include "sweep/kernel_request.hpp"
#if PSFLIP_HAVE_CUDA
#include "evolution/tempering_cuda.hpp"
#endif

namespace psflip {

std::unique_ptr<Sampler> make_sampler(const BatchSetup& setup) {
    if (!setup.vectors) return make_ising_sampler(setup);
    return std::make_unique<VectorTempering>(std::make_unique<VectorBatch>(setup), setup.sweeps_per_swap);
}

std::unique_ptr<IsingTempering> make_ising_sampler(const BatchSetup& setup) {
    check_batch(setup);
#if PSFLIP_HAVE_CUDA
    if (setup.shape.coding != Lanes::sites && choose_backend(setup.choice) == Backend::cuda)
        return std::make_unique<CudaTempering>(make_device_ensemble(setup));
#else
    choose_backend(setup.choice);
#endif
    return std::make_unique<HostTempering>(make_host_ensemble(setup), setup.sweeps_per_swap);
}

}  // namespace psflip
