#pragma once

#include <vector>

#include "io/file.hpp"
#include "statistics/average/disorder_average.hpp"

namespace psflip {

/// Jackknife samples of all averages of all sizes, as resampled_curves makes them, to a reduced file:
/// /jackknife_groups int32 (G), the numbers of the groups, and for each average O /L<size>/jackknife/O (G,
/// T), row g without the realizations whose number is jackknife_groups[g] modulo 200.
void write_jackknife_samples(OutputFile& file, const std::vector<DisorderSample>& samples);

}  // namespace psflip
