#include "statistics/equilibrium/paired_bins.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "statistics/student.hpp"

namespace psflip {

PairedBins::PairedBins(int comparisons, int temperatures)
    : comparisons_(comparisons),
      temperatures_(temperatures),
      average_(static_cast<std::size_t>(comparisons) * temperatures),
      excess_(average_.size(), 0.0),
      noise_(average_.size(), 0.0) {}

void PairedBins::add(std::span<const double> bins, std::int64_t realizations,
                     std::span<const std::int64_t> places) {
    const std::int64_t row = temperatures_ * realizations;
    const std::int64_t last = static_cast<std::int64_t>(bins.size()) - row;
    for (const std::int64_t r : places)
        average_.add([&](std::size_t i) {
            const auto k = static_cast<std::int64_t>(i) / temperatures_ + 1;
            const std::int64_t place = last + static_cast<std::int64_t>(i) % temperatures_ * realizations + r;
            return bins[place] - bins[place - k * row];
        });
}

void PairedBins::add_pack(int temperature, double excess, double noise, std::span<const std::int64_t> count) {
    const auto part = [&](int k) { return 1.0 / static_cast<double>(count[count.size() - 1 - k]); };
    for (int k = 1; k <= comparisons_; ++k) {
        excess_[(k - 1) * temperatures_ + temperature] += excess * (part(0) + part(k));
        noise_[(k - 1) * temperatures_ + temperature] += noise * (part(0) + part(k));
    }
}

PairedDifference PairedBins::result() const {
    PairedDifference result{average_.mean(), average_.error(), {}};
    const auto n = static_cast<double>(average_.samples());
    for (std::size_t i = 0; i < result.mean.size(); ++i) {
        const double own = result.error[i] * result.error[i],
                     shared = excess_[i] <= 0.0 ? 0.0 : excess_[i] / (n * n);
        double dof = n - 1.0;
        if (shared > 0.0) {
            const double noise = noise_[i] / (n * n);
            dof = std::min(dof, (own + shared) * (own + shared) / (own * own / dof + noise * noise / dof_));
        }
        result.error[i] = std::sqrt(own + shared);
        const bool none = std::abs(result.mean[i]) < 1e-12;
        result.z.push_back(none ? 0.0 : gaussian_sigma(result.mean[i] / result.error[i], dof));
    }
    return result;
}

Drift max_drift(const PairedDifference (&differences)[n_binned_observables], int temperatures) {
    constexpr int decisive = 2;
    Drift largest{nan_value, 0, 0, 0};
    for (int o = 0; o < n_binned_observables; ++o) {
        const std::vector<double>& z = differences[o].z;
        for (int i = 0; i < std::min(decisive * temperatures, static_cast<int>(z.size())); ++i)
            if (!std::isnan(z[i]) && !(std::abs(z[i]) <= std::abs(largest.z)))
                largest = {z[i], o, i / temperatures + 1, i % temperatures};
    }
    return largest;
}

}  // namespace psflip
