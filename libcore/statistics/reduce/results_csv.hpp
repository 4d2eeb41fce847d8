#pragma once

#include <string>
#include <vector>

#include "statistics/average/campaign.hpp"
#include "statistics/average/disorder_average.hpp"

namespace psflip {

/// Returns the columns of results.csv of a study that measures this, comma-separated.
std::string csv_header(const Measured& measured);

/// Returns the rows of one size, one per temperature.
std::string csv_rows(const SizeResults& size, const AverageTable& averages);

}  // namespace psflip
