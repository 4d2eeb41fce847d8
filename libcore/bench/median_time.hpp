#pragma once

// Repeats timings and returns median and spread of wall times.

#include <chrono>
#include <functional>
#include <vector>

#include "bench/benchmark.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// Measures the wall time since its construction.
class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct MedianTime {
    double seconds;  ///< median
    double spread;   ///< (largest - smallest) / median
};

/// Returns the median and the spread of at least one time.
MedianTime median_of(std::vector<double> seconds);

/// Returns the median over timing.repeats repeats of the time of work(count), divided by count. `count` is
/// chosen so that work(count) takes about timing.seconds. The first call of work is not timed. With several
/// ranks, the time of the slowest rank counts, and the function is collective.
MedianTime median_time(const std::function<void(int)>& work, const BenchmarkTiming& timing,
                       Ranks& ranks = single_rank());

/// Times `fill` of a source of numbers, like median_time.
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
