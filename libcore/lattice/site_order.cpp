#include "lattice/site_order.hpp"

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

}  // namespace psflip
