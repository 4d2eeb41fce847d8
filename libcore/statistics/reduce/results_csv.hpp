#pragma once

#include <string>
#include <vector>

#include "statistics/average/campaign.hpp"
#include "statistics/crossing/crossing.hpp"

namespace psflip {

/// The columns of results.csv of a study that measures this, comma-separated.
std::string csv_header(const Measured& measured);

/// One row per temperature of one size.
std::string csv_rows(const SizeResults& size, const AverageTable& averages);

/// Crossings for people, one line per pair of sizes and quantity: "T = 1.105(12)" by value and error in the
/// last digits, chi2 of the fit, and what is to be known of it.
std::string crossings_text(const std::vector<CrossingCurve>& curves);

/// "1.105(12)": rounded so that the error has two digits; "1.105 +- nan" without an error, "none" without a
/// value.
std::string with_error(const Estimate& estimate);

}  // namespace psflip
