#include "lattice/site_order.hpp"

namespace psflip {

std::string name(SiteOrder order) {
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
