#include "bench/stateful/glass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "bench/stateful/glass_memory.hpp"

namespace psflip {
namespace {

void check_setup(const GlassSetup& setup) {
    if (setup.L < 4 || setup.L > 512 || setup.L % 2 != 0)
        throw InputError(fmt::format("L = {} is not possible; use an even L from 4 to 512", setup.L));
    if (setup.site_order == SiteOrder::bitwise && (setup.L & (setup.L - 1)) != 0)
        throw InputError(fmt::format("L = {} does not suit the bitwise order; use a power of two", setup.L));
    if (setup.words < 1 || setup.words > max_packs)
        throw InputError(
            fmt::format("{} words of realizations are not possible; use 1 to {}", setup.words, max_packs));
    if (setup.replicas < 1 || setup.replicas > max_replicas)
        throw InputError(
            fmt::format("{} replicas are not possible; use 1 to {}", setup.replicas, max_replicas));
    if (!(setup.beta > 0) || !std::isfinite(setup.beta))
        throw InputError(fmt::format("beta = {} is not a finite number above 0", setup.beta));
    const auto sites = setup.shape().sites();
    check_layout(setup.layout, setup.generator, static_cast<std::uint32_t>(sites / 2));
    const auto of_word = static_cast<std::size_t>(32 * 3 * sites);
    if (setup.couplings.empty() || setup.couplings.size() % of_word != 0)
        throw InputError(fmt::format("{} couplings are given, but each word of 32 realizations has {}",
                                     setup.couplings.size(), of_word));
    if (!std::ranges::all_of(setup.couplings, [](std::int8_t J) { return J == 1 || J == -1; }))
        throw InputError("a coupling is neither +1 nor -1; use these values only");
}

}  // namespace

std::unique_ptr<Glass> make_glass(const BackendChoice& choice, const GlassSetup& setup) {
    check_setup(setup);
#if PSFLIP_HAVE_CUDA
    if (choose_backend(choice) == Backend::cuda) return make_glass_cuda(setup, choice.device);
#else
    choose_backend(choice);  // refuses a GPU
#endif
    return make_glass_cpu(setup, choice.threads);
}

}  // namespace psflip
