#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "model/class_table.hpp"
#include "random/purposes.hpp"
#include "sweep/sweep_rule.hpp"

namespace psflip {

/// Holds the arguments of kernels of the class rule, in addition to SweepArgs. They are passed by value;
/// pointers refer to device memory. Index s is 0 for spin -1 and, in a field, 1 for spin +1. With demons,
/// index 0 has the thresholds of demons of bonds, and index 1 the thresholds of field demons. With clusters,
/// thresholds[slot][0][0] is the bond_threshold.
struct ClassArgs {
    static constexpr int max_classes = ClassTable::max_classes;

    const uint4*
        absent;  ///< (column, direction, site): absent bonds, set bit: absent; null: no bond is absent
    const std::int32_t* bonds;       ///< (column, lane): number of present bonds
    std::uint32_t count[2];          ///< (s): classes 0 to count - 1 have a threshold; all others always flip
    std::uint32_t count_bits[2][4];  ///< (s, bit): bits of `count`, each all ones or 0
    std::uint32_t by_half;           ///< all ones if isolated spins flip iff R < 2^31, otherwise 0
    uint4 planes[2][max_classes + 1];  ///< (s, number of thresholds above R): p[0..3] of ClassPlanes
    std::uint32_t thresholds[max_temperatures][2][max_classes];  ///< (slot, s, class); padding 2^32 - 1
};

/// Returns the arguments for the class rule of a model at these temperatures. `absent` and `bonds` are device
/// pointers that must outlive the use of the arguments.
ClassArgs class_args(const Model& model, const SweepRule& rule, const std::vector<double>& betas,
                     const uint4* absent, const std::int32_t* bonds);

}  // namespace psflip
