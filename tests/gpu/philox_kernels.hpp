#pragma once

#include <cstdint>
#include <vector>

#include "random/philox.hpp"

/// Our Philox on the device for each counter.
std::vector<psflip::RandomBlock> device_philox(const std::vector<psflip::Counter>& counters,
                                               std::uint64_t seed);

/// cuRAND's Philox4x32-10 through its public interface: seed = key, offset / 4 = words 0 and 1 of the counter
/// (word 1 below 2^30), subsequence = words 2 and 3.
std::vector<psflip::RandomBlock> curand_philox(const std::vector<psflip::Counter>& counters,
                                               std::uint64_t seed);
