#pragma once

#include <string>
#include <vector>

#include "io/file.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// Computes the form in which run files hold sums of real numbers. Checkpoints hold the sums as in memory.
/// Run files hold less:
/// 1. Statistics use only the mean over the axes of the sums at the smallest wave vectors. So run files hold
/// one sum over the axes in each block, (x + y) + z.
/// 2. `dense` sums (at the smallest wave vectors, and products with the energy) have random low digits. Run
/// files keep 32 significant bits. The other bits are 0 and compress well. The relative rounding error of a
/// block is at most 2.4e-10, while its thermal error is about one per cent. A derivative with respect to beta
/// is a difference of products some thousand times as large, so its relative rounding error is 1e-6.
inline constexpr int stored_bits = 32;

/// Returns the dataset of a run file that holds a sum, alone or added to other axes, such as "/blocks/kmin".
std::string stored_name(Sum sum);
/// Returns whether run files have a dataset for this sum. Sums of modes along y and z, such as kmin_y,
/// have none: the dataset of the sum along x has the total over the axes.
bool is_stored(Sum sum);

/// Returns the numbers that a run file holds for a sum of real numbers for which is_stored is true.
std::vector<double> stored_reals(const Accumulators& accumulators, Sum sum,
                                 ThreadPool& pool = caller_alone());

/// Returns the nearest number with stored_bits significant bits. A tie goes to the number farther from 0.
double with_stored_bits(double value);

}  // namespace psflip
