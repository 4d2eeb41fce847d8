#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/numbers.hpp"

namespace psflip {

/// Computes mean and standard error of the mean for each of many numbers. Samples are added one by one
/// (Welford), because all samples together are too large to store. The last digits of the result depend on
/// the order of samples.
class RunningAverage {
  public:
    explicit RunningAverage(std::size_t size = 0) : mean_(size, 0.0), squares_(size, 0.0) {}

    std::size_t size() const { return mean_.size(); }
    std::int64_t samples() const { return samples_; }
    /// Adds a sample. value(i) is element i of the sample.
    template <class Value>
    void add(const Value& value) {
        ++samples_;
        for (std::size_t i = 0; i < mean_.size(); ++i) put(i, value(i), samples_);
    }
    /// Adds element i of the sample with index `sample`. Several threads may call put at the same time for
    /// different i. For each i, `sample` counts up from samples() + 1. After the last sample, call
    /// count_samples() once with the number of samples.
    void put(std::size_t i, double x, std::int64_t sample) {
        const double before = x - mean_[i];
        mean_[i] += before / static_cast<double>(sample);
        squares_[i] += before * (x - mean_[i]);
    }
    void count_samples(std::int64_t more) { samples_ += more; }
    /// Returns the means; NaN without samples.
    std::vector<double> mean() const {
        if (samples_ > 0) return mean_;
        return std::vector<double>(mean_.size(), nan_value);
    }
    /// Returns the standard errors; NaN with fewer than two samples.
    std::vector<double> error() const {
        const double n = static_cast<double>(samples_);
        std::vector<double> errors(mean_.size(), nan_value);
        if (samples_ > 1)
            for (std::size_t i = 0; i < errors.size(); ++i)
                errors[i] = std::sqrt(squares_[i] / (n * (n - 1.0)));
        return errors;
    }

  private:
    std::int64_t samples_ = 0;
    std::vector<double> mean_, squares_;
};

}  // namespace psflip
