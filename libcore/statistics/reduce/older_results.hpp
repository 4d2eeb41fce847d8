#pragma once

#include <string>
#include <vector>

#include "statistics/average/campaign.hpp"

namespace psflip {

/// InputError where a table of results is at `csv` with a size, a temperature or realizations that `sizes` do
/// not have. What is not there or no such table is not asked about.
void check_older_results(const std::string& csv, const std::vector<SizeResults>& sizes);

}  // namespace psflip
