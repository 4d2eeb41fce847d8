#pragma once

#include <string>
#include <vector>

#include "statistics/average/campaign.hpp"
#include "statistics/average/disorder_average.hpp"

namespace psflip {

/// The columns of results.csv of a study that measures this, comma-separated.
std::string csv_header(const Measured& measured);

/// One row per temperature of one size.
std::string csv_rows(const SizeResults& size, const AverageTable& averages);

}  // namespace psflip
