#include "sweep/kernel_request.hpp"

#include <charconv>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace psflip {

namespace {

/// Reads numbers with x between them. Returns false for another form, and for more numbers than `numbers`.
bool read_numbers(std::string_view text, std::span<int> numbers) {
    const char *at = text.data(), *const end = at + text.size();
    for (int& number : numbers) {
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc{} || number < 0) return false;
        if (next == end) return true;
        if (*next != 'x') return false;
        at = next + 1;
    }
    return false;
}

}  // namespace

KernelRequest parse_kernel(const std::string& asked) {
    const auto refuse = [&] {
        throw InputError(
            "CUDA kernel '" + asked +
            "': expected auto, streaming, resident, tiled, fused or replicas, or a plan as in resident:8x5, "
            "resident:8x8+2x2 or tiled:16x8, with /1 or /2 behind it for the parts of a batch");
    };
    const std::size_t slash = asked.find('/');
    const std::string text = asked.substr(0, slash);
    const std::size_t colon = text.find(':');
    KernelRequest request{.form = text.substr(0, colon)};
    if (slash != std::string::npos &&
        (!read_numbers(std::string_view(asked).substr(slash + 1), {&request.parts, 1}) || request.parts < 1 ||
         request.parts > most_stream_parts))
        refuse();
    const bool has_plan = request.form == "resident" || request.form == "tiled" || request.form == "fused" ||
                          request.form == "replicas";
    if (!has_plan && request.form != "auto" && request.form != "streaming") refuse();
    if (colon == std::string::npos) return request;
    if (!has_plan) refuse();
    const std::string_view numbers = std::string_view(text).substr(colon + 1);
    const std::size_t plus = request.form == "resident" ? numbers.find('+') : std::string_view::npos;
    request.plans = plus == std::string_view::npos ? 1 : 2;
    if (!read_numbers(numbers.substr(0, plus), request.number)) refuse();
    if (request.plans == 2 && !read_numbers(numbers.substr(plus + 1), request.beside)) refuse();
    return request;
}

}  // namespace psflip
