#include "bench/median_time.hpp"

#include <algorithm>

namespace psflip {

MedianTime median_of(std::vector<double> seconds) {
    std::ranges::sort(seconds);
    const double median = seconds[seconds.size() / 2];
    return {median, (seconds.back() - seconds.front()) / median};
}

MedianTime median_time(const std::function<void(int)>& work, const BenchmarkTiming& timing, Ranks& ranks) {
    constexpr int most = 1 << 20;
    const auto time = [&](int count) {
        ranks.barrier();
        const Stopwatch watch;
        work(count);
        return static_cast<double>(ranks.maximum(static_cast<std::int64_t>(watch.seconds() * 1e9))) * 1e-9;
    };
    time(1);
    int count = 1;
    while (time(count) < timing.seconds / 2 && count < most) count *= 2;
    std::vector<double> seconds;
    for (int i = 0; i < timing.repeats; ++i) seconds.push_back(time(count) / count);
    return median_of(std::move(seconds));
}

}  // namespace psflip
