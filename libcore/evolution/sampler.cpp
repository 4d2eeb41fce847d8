#include "evolution/sampler.hpp"

#include "evolution/move_sampler.hpp"

namespace psflip {

std::unique_ptr<Sampler> make_sampler(const BatchSetup& setup) {
    if (!setup.vectors) return make_ising_sampler(setup);
    return make_vector_sampler(setup);
}

std::unique_ptr<IsingSampler> make_ising_sampler(const BatchSetup& setup) {
    check_batch(setup);
#if PSFLIP_HAVE_CUDA
    if (setup.shape.coding != Lanes::sites && choose_backend(setup.choice) == Backend::cuda)
        return make_device_sampler(setup);
#else
    choose_backend(setup.choice);
#endif
    return make_host_sampler(setup);
}

}  // namespace psflip
