#include "sweep/kernel_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"

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

KernelRequest parse_kernel(const std::string& text) {
    const auto refuse = [&] {
        throw InputError("CUDA kernel '" + text +
                         "' is unknown; use auto, streaming, resident, strips, tiled, fused or replicas, or "
                         "a plan as in resident:8x5, resident:8x8+2x2 or tiled:16x8, with /1 or /2 at its "
                         "end for the number of batch slices");
    };
    const std::size_t slash = text.find('/');
    const std::string plan = text.substr(0, slash);
    const std::size_t colon = plan.find(':');
    KernelRequest request{.kernel = plan.substr(0, colon)};
    if (slash != std::string::npos &&
        (!read_numbers(std::string_view(text).substr(slash + 1), {&request.parts, 1}) || request.parts < 1 ||
         request.parts > max_stream_parts))
        refuse();
    const bool has_plan = request.kernel == "resident" || request.kernel == "strips" ||
                          request.kernel == "tiled" || request.kernel == "fused" ||
                          request.kernel == "replicas";
    if (!has_plan && request.kernel != "auto" && request.kernel != "streaming") refuse();
    if (colon == std::string::npos) return request;
    if (!has_plan) refuse();
    const std::string_view numbers = std::string_view(plan).substr(colon + 1);
    const std::size_t plus = request.kernel == "resident" ? numbers.find('+') : std::string_view::npos;
    request.plans = plus == std::string_view::npos ? 1 : 2;
    const std::size_t max_numbers = request.kernel == "tiled" ? 4 : 3;
    if (!read_numbers(numbers.substr(0, plus), std::span(request.numbers).first(max_numbers))) refuse();
    if (request.plans == 2 && !read_numbers(numbers.substr(plus + 1), request.second_numbers)) refuse();
    return request;
}

KernelRequest requested_kernel(const std::string& text) {
    const std::string other = environment("PSFLIP_CUDA_KERNEL");
    return parse_kernel(text == "auto" && !other.empty() ? other : text);
}

std::string plan_text(std::string_view begin, std::initializer_list<std::int64_t> numbers) {
    return fmt::format("{}{}", begin, fmt::join(numbers, "x"));
}

}  // namespace psflip
