#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "bench/benchmark.hpp"

namespace psflip {

/// Wall time since it was made.
class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct MedianTime {
    double seconds;  ///< of one piece of work
    double spread;   ///< (largest - smallest) / median
};

/// Returns the median of the times, at least one, and their spread.
MedianTime median_of(std::vector<double> seconds);

/// The median over timing.repeats of the time of work(count) over count, with a count that takes about
/// timing.seconds, after a first piece of work that is not timed.
MedianTime median_time(const std::function<void(int)>& work, const BenchmarkTiming& timing);

/// The same of a source of numbers that fills its array.
template <class Source>
MedianTime median_fill(Source& source, const BenchmarkTiming& timing) {
    return median_time(
        [&](int count) {
            for (int i = 0; i < count; ++i) source.fill();
            source.synchronize();
        },
        timing);
}

}  // namespace psflip
