#include "measure/bins.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace psflip {

int RunBins::bin(std::int64_t sweep) const {
    if (count() < 1 || sweep <= edges.front() || sweep > edges.back())
        throw std::out_of_range("sweep " + std::to_string(sweep) + " lies in no bin");
    return static_cast<int>(std::lower_bound(edges.begin() + 1, edges.end(), sweep) - edges.begin()) - 1;
}

}  // namespace psflip
