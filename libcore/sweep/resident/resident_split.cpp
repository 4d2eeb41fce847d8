#include "sweep/resident/resident_split.hpp"

#include <algorithm>

namespace psflip {

namespace {

constexpr int max_group = 20;

/// Adds groups of at most `most` to `groups` until none of `clusters` is left. Returns whether that is
/// possible.
bool add_groups(std::vector<int>& groups, const std::vector<int>& clusters, int most) {
    int least = static_cast<int>(clusters.size());  // a largest cluster that is left needs such a group
    while (least > 0 && clusters[least - 1] == 0) --least;
    if (least == 0) return true;
    for (int size = most; size >= least; --size) {
        std::vector<int> left = clusters;
        for (std::size_t i = 0; i < left.size(); ++i) left[i] -= size / static_cast<int>(i + 1);
        if (*std::min_element(left.begin(), left.end()) < 0) continue;
        groups.push_back(size);
        if (add_groups(groups, left, size)) return true;
        groups.pop_back();
    }
    return false;
}

/// Returns the smallest n from `low` to `high` for which `holds` is true, or `high`. `holds` is true from
/// some n on.
std::int64_t first_where(std::int64_t low, std::int64_t high,
                         const std::function<bool(std::int64_t)>& holds) {
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

}  // namespace

std::vector<int> multiprocessor_groups(const std::vector<int>& clusters) {
    std::vector<int> groups;
    add_groups(groups, clusters, max_group);
    return groups;
}

int clusters_left(const std::vector<int>& groups, int large, int small) {
    int clusters = 0;
    for (const int size : groups) clusters += size % large / small;
    return clusters;
}

StackSplit split_stacks(std::int64_t stacks, const std::function<double(std::int64_t)>& first,
                        const std::function<double(std::int64_t)>& second) {
    StackSplit best{0, first(stacks)};
    const std::int64_t later =
        first_where(1, stacks, [&](std::int64_t n) { return n == stacks || second(n) > first(stacks - n); });
    for (const std::int64_t n : {later - 1, later}) {
        if (n < 1 || n >= stacks) continue;
        const double cost = std::max(first(stacks - n), second(n));
        if (cost < best.cost) best = {n, cost};
    }
    best.second = first_where(0, best.second, [&](std::int64_t n) { return first(stacks - n) <= best.cost; });
    return best;
}

}  // namespace psflip
