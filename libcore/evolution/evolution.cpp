#include "evolution/evolution.hpp"

#include "evolution/tempering_cpu.hpp"
#include "sweep/kernel_request.hpp"
#if PSFLIP_HAVE_CUDA
#include "evolution/tempering_cuda.hpp"
#endif

namespace psflip {

std::unique_ptr<Evolution> make_evolution(const BackendChoice& choice, const Shape& shape,
                                          const std::vector<double>& betas, std::uint64_t seed,
                                          const std::vector<std::int8_t>& couplings, int sweeps_per_swap,
                                          const Model& model, Ranks& ranks) {
    check_batch(shape, betas, model);
#if PSFLIP_HAVE_CUDA
    if (shape.coding != Lanes::sites && choose_backend(choice) == Backend::cuda)
        return std::make_unique<CudaTempering>(
            make_cuda_ensemble({choice.device, choice.kernel, sweeps_per_swap, choice.halo}, shape, betas,
                               seed, couplings, model, ranks));
#else
    choose_backend(choice);
#endif
    return std::make_unique<CpuTempering>(
        make_cpu_ensemble(choice, shape, betas, seed, couplings, model, ranks), sweeps_per_swap);
}

}  // namespace psflip
