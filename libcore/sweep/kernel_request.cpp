#include "sweep/kernel_request.hpp"

#include <charconv>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

namespace {

/// Numbers with x between them; whether `text` is of that form and has no more than there is room for.
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
            "': expected auto, streaming, resident, tiled, fused, replicas, a plan as in "
            "resident:8x5, resident:8x8+2x2 or tiled:16x8, or a site order as in streaming:sliced; behind "
            "it /1 or /2 for the parts of a batch");
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
    if (request.form == "streaming") {
        for (const SiteOrder order : {SiteOrder::standard, SiteOrder::bitwise, SiteOrder::sliced}) {
            request.order = order;
            if (text.substr(colon + 1) == name(order)) return request;
        }
        refuse();
    }
    if (!has_plan) refuse();
    const std::string_view numbers = std::string_view(text).substr(colon + 1);
    const std::size_t plus = request.form == "resident" ? numbers.find('+') : std::string_view::npos;
    request.plans = plus == std::string_view::npos ? 1 : 2;
    if (!read_numbers(numbers.substr(0, plus), request.number)) refuse();
    if (request.plans == 2 && !read_numbers(numbers.substr(plus + 1), request.beside)) refuse();
    return request;
}

Shape in_order_of(const KernelRequest& request, const Shape& shape) {
    if (request.order == SiteOrder::standard || request.order == shape.order) return shape;
    if (shape.is_slab())
        throw InputError("the kernel's site order is that of whole lattices; slabs have their own");
    Shape ordered = shape;
    ordered.order = request.order;
    check_shape(ordered);
    return ordered;
}

}  // namespace psflip
