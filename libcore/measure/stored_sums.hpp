#pragma once

#include <string>
#include <vector>

#include "io/file.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// The form of sums in run files; checkpoints hold them as they are in memory.
/// 1. Statistics use only the mean over the axes of the sums at the smallest wave vectors. So run files hold
/// their
///    sum over the axes in each block, (x + y) + z.
/// 2. `dense` sums (at the smallest wave vectors, and products with the energy) have digits as good as
/// random. They
///    keep 32 significant bits, and the zeros after these deflate. The relative error of a block is at most
///    2.4e-10, while its thermal error is about one per cent. A derivative subtracts products some thousand
///    times as large, so its relative error is 1e-6.
inline constexpr int stored_bits = 32;

/// Returns the dataset of a run file that holds this sum, alone or added to other axes: "/blocks/kmin".
std::string stored_name(Sum sum);
/// Returns false for the sums of the axes y and z, which are in the dataset of the axis x.
bool is_stored(Sum sum);

/// Returns the numbers that a run file holds of a sum of real numbers that is_stored.
std::vector<double> stored_reals(const Accumulators& accumulators, Sum sum,
                                 ThreadPool& pool = caller_alone());

/// Returns the nearest number with stored_bits significant bits; of two as near, the number farther from 0.
double with_stored_bits(double value);

}  // namespace psflip
