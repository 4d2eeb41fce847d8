#include "sweep/kernel_request.hpp"

#include <charconv>

#include "base/error.hpp"
#include "sweep/ensemble.hpp"

namespace psflip {

KernelRequest parse_kernel(const std::string& text) {
    const auto refuse = [&] {
        throw InputError("CUDA kernel '" + text +
                         "': expected auto, streaming, resident, tiled, fused, replicas, a plan as in "
                         "resident:8x5 or tiled:16x8, or a site order as in streaming:sliced");
    };
    const std::size_t colon = text.find(':');
    KernelRequest request{.form = text.substr(0, colon)};
    const bool has_plan = request.form == "resident" || request.form == "tiled" || request.form == "fused" ||
                          request.form == "replicas" || request.form == "clusters";
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
    const char *at = text.data() + colon + 1, *const end = text.data() + text.size();
    for (std::size_t i = 0; i < request.number.size(); ++i) {
        const auto [next, error] = std::from_chars(at, end, request.number[i]);
        if (error != std::errc{} || request.number[i] < 0) refuse();
        if (next == end) return request;
        if (*next != 'x') refuse();
        at = next + 1;
    }
    refuse();
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
