#include "lattice/site_order.hpp"

#include "base/error.hpp"

namespace psflip {

const char* name(SiteOrder order) {
    switch (order) {
        case SiteOrder::bitwise:
            return "bitwise";
        case SiteOrder::sliced:
            return "sliced";
        default:
            return "standard";
    }
}

SiteOrder site_order_of(const std::string& text) {
    for (const SiteOrder order : {SiteOrder::standard, SiteOrder::bitwise, SiteOrder::sliced})
        if (text == name(order)) return order;
    throw InputError("site order '" + text + "' is unknown; use standard, bitwise or sliced");
}

}  // namespace psflip
