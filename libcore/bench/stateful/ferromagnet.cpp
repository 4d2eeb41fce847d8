#include "bench/stateful/ferromagnet.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "bench/stateful/ferromagnet_memory.hpp"

namespace psflip {
namespace {

void check_packed(const FerromagnetSetup& setup) {
    const int largest = setup.dimension == 3 ? 1024 : 16384;
    if (setup.order != UpdateOrder::checkerboard)
        throw InputError("packed spins need the checkerboard order");
    if (setup.L < 64 || setup.L > largest || setup.L % 64 != 0)
        throw InputError(
            fmt::format("L = {} in {} dimensions does not suit packed spins; use a multiple of 64 up to {}",
                        setup.L, setup.dimension, largest));
}

void check_setup(const FerromagnetSetup& setup) {
    if (setup.dimension != 2 && setup.dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", setup.dimension));
    if (!(setup.beta > 0) || !std::isfinite(setup.beta))
        throw InputError(fmt::format("beta = {} is not a finite number above 0", setup.beta));
    check_ferromagnet_size(setup);
    const bool one = setup.order == UpdateOrder::sequential;
    if (one && (setup.layout.streams != 1 || setup.layout.width != 1))
        throw InputError("the sequential order needs one stream of width 1");
    check_layout(setup.layout, setup.generator, setup.units_of_phase());
}

}  // namespace

void check_ferromagnet_size(const FerromagnetSetup& setup) {
    if (setup.packed)
        check_packed(setup);
    else
        check_site_table(setup.L, setup.dimension, setup.order);
}

std::uint32_t FerromagnetSetup::units_of_phase() const {
    return packed ? static_cast<std::uint32_t>(flips_of_sweep() / 64) : sites_of_phase(L, dimension, order);
}

std::unique_ptr<Ferromagnet> make_ferromagnet(const BackendChoice& choice, const FerromagnetSetup& setup) {
    check_setup(setup);
    if (choose_backend(choice) == Backend::cpu) return make_ferromagnet_cpu(setup, choice.threads);
    if (setup.order == UpdateOrder::sequential)
        throw InputError(
            "only the CPU has the sequential order; use --orders checkerboard, or --backend cpu");
#if PSFLIP_HAVE_CUDA
    return make_ferromagnet_cuda(setup, choice.device);
#else
    return nullptr;  // choose_backend selects the CPU
#endif
}

}  // namespace psflip
