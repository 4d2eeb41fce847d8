#include "run/pacer.hpp"

#include <algorithm>
#include <cmath>

namespace psflip {

void Pacer::looked(std::int64_t sweeps, double seconds) {
    if (sweeps < 1) return;
    const double most = 4.0 * static_cast<double>(std::max(budget_, sweeps));
    const double fitting = seconds > 0.0 ? static_cast<double>(sweeps) * seconds_ / seconds : most;
    budget_ = std::max<std::int64_t>(1, std::llround(std::floor(std::min({fitting, most, 1e15}))));
}

}  // namespace psflip
