#include "bench/stateful/sweep_streams.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace psflip {
namespace {

/// Returns the number of threads that draw from one stream together: 1, or the width of a ring.
struct Limits {
    std::uint32_t width = 1;
    int words = 1;
};

Limits limits_of(std::string_view generator) {
    Limits limits;
    const bool found = with_generator(generator, [&](auto listed) {
        using G = typename decltype(listed)::G;
        limits.words = G::words;
        if constexpr (listed.ring) limits.width = G::side_by_side;
    });
    if (!found) throw InputError(unknown_generator(generator));
    return limits;
}

}  // namespace

void check_layout(const StreamLayout& layout, std::string_view generator, std::uint32_t sites) {
    const Limits limits = limits_of(generator);
    if (layout.width < 1 || layout.width > limits.width)
        throw InputError(fmt::format("{} threads cannot draw side by side from one stream of {}; use 1 to {}",
                                     layout.width, generator, limits.width));
    if (layout.streams < 1 || static_cast<std::uint64_t>(layout.streams - 1) * layout.width >= sites)
        throw InputError(
            fmt::format("{} streams of {} threads are not possible for {} sites that are updated at once; "
                        "use 1 to {} streams",
                        layout.streams, layout.width, sites, (sites + layout.width - 1) / layout.width));
}

StreamLayout usual_layout(std::string_view generator, std::uint32_t units, bool device, int numbers) {
    constexpr std::uint32_t ring_width = 128;
    constexpr int large_state = 500;  // words
    const Limits limits = limits_of(generator);
    if (!device) return {1, 1};
    const std::uint32_t width = std::min({limits.width, ring_width, units});
    const bool few = limits.width == 1 && limits.words > large_state && numbers == 1;
    const std::uint32_t of_stream = few ? 8 : width;
    return {(units + of_stream - 1) / of_stream, width};
}

}  // namespace psflip
