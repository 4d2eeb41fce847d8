#pragma once

#include <string>
#include <vector>

#include "statistics/average/campaign.hpp"
#include "statistics/average/disorder_average.hpp"

namespace psflip {

/// Returns the first line of results.csv, the names of its columns, for a study that measures these
/// quantities. houdayer: whether Houdayer moves of any size were counted.
std::string csv_header(const Measured& measured, bool houdayer = false);

/// Returns the lines of results.csv for one size, one per temperature.
std::string csv_rows(const SizeResults& size, const AverageTable& averages, bool houdayer = false);

}  // namespace psflip
