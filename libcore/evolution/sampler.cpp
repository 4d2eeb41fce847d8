#include "evolution/sampler.hpp"

#include "evolution/host_sampler.hpp"
#include "evolution/vector_sampler.hpp"
#if PSFLIP_HAVE_CUDA
#include "evolution/device_sampler.hpp"
#endif

namespace psflip {

std::unique_ptr<Sampler> make_sampler(const BatchSetup& setup) {
    if (!setup.vectors) return make_ising_sampler(setup);
    return std::make_unique<VectorSampler>(std::make_unique<VectorBatch>(setup), setup);
}

std::unique_ptr<IsingSampler> make_ising_sampler(const BatchSetup& setup) {
    check_batch(setup);
#if PSFLIP_HAVE_CUDA
    if (setup.shape.coding != Lanes::sites && choose_backend(setup.choice) == Backend::cuda)
        return std::make_unique<DeviceSampler>(make_device_ensemble(setup));
#else
    choose_backend(setup.choice);
#endif
    return std::make_unique<HostSampler>(make_host_ensemble(setup), setup.sweeps_per_swap);
}

}  // namespace psflip
