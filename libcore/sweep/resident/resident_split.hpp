#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace psflip {

// Splits a batch between large and small clusters. Clusters of blocks lie within groups of multiprocessors
// and leave some multiprocessors empty. There, smaller clusters sweep other stacks of the batch at the same
// time.

/// Returns the number of multiprocessors in each group. clusters[i] is the number of clusters of i + 1 blocks
/// that the device holds, with one block per multiprocessor. The result is empty if no sizes of groups give
/// these numbers.
std::vector<int> multiprocessor_groups(const std::vector<int>& clusters);

/// Returns the number of clusters of `small` blocks that fit if as many clusters of `large` blocks as
/// possible run.
int clusters_left(const std::vector<int>& groups, int large, int small);

/// Holds the stacks of the second plan, and the time until all stacks are swept.
struct StackSplit {
    std::int64_t second;
    double cost;
};

/// Returns the split that ends first. Among equal splits it takes the fewest stacks of the second plan, which
/// may be none. `first` and `second` return the time in which a plan sweeps a number of stacks.
StackSplit split_stacks(std::int64_t stacks, const std::function<double(std::int64_t)>& first,
                        const std::function<double(std::int64_t)>& second);

}  // namespace psflip
