#pragma once

#include <string>
#include <vector>

#include "io/file.hpp"
#include "measure/measurement.hpp"

namespace psflip {

/// How run files hold the sums of measurements; checkpoints hold them as they are in memory.
/// 1. Only the mean over the axes is made of the sums at the smallest wave vectors, so they are added up over
///    the axes in each block, (x + y) + z.
/// 2. Sums whose digits are as good as random (`dense`: those at the smallest wave vectors, and products with
///    the energy) keep 32 significant bits, and the zeros behind these deflate. That is a relative error of
///    at most 2.4e-10 of each block, where its thermal error is a per cent or so; of a derivative, for which
///    products some thousand times as large are subtracted, 1e-6.
inline constexpr int stored_bits = 32;

/// The dataset of a run file that holds this sum, alone or with the sums of the other axes: "/blocks/kmin".
std::string stored_name(Sum sum);
/// Returns false for the sums of the axes y and z, which are in the dataset of the axis x.
bool is_stored(Sum sum);

/// What a run file holds of a sum of real numbers that is_stored.
std::vector<double> stored_reals(const Accumulators& accumulators, Sum sum,
                                 ThreadPool& pool = caller_alone());

/// To the nearest number with stored_bits significant bits; of two as near, away from 0.
double with_stored_bits(double value);

}  // namespace psflip
