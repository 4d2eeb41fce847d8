#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace psflip {

// Clusters of blocks lie within groups of multiprocessors and leave some of these empty. There smaller
// clusters sweep some of a batch's stacks at the same time.

/// Sizes of the groups, from how many clusters of 1, 2, ... blocks there is room for, with one block per
/// multiprocessor. None where no sizes give these numbers.
std::vector<int> multiprocessor_groups(const std::vector<int>& clusters);

/// How many clusters of `small` blocks there is room for beside as many of `large` blocks as fit.
int clusters_beside(const std::vector<int>& groups, int large, int small);

/// How many stacks the small clusters take, and when all have ended.
struct StackSplit {
    std::int64_t beside;
    double cost;
};

/// The split that ends first, and of such the one with the fewest stacks beside, which may be none. `first`
/// and `beside`: what it takes either plan to sweep so many stacks.
StackSplit split_stacks(std::int64_t stacks, const std::function<double(std::int64_t)>& first,
                        const std::function<double(std::int64_t)>& beside);

}  // namespace psflip
