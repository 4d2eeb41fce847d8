#pragma once

#include "statistics/average/campaign.hpp"

namespace psflip {

/// The disorder averages over those realizations of a size that are equilibrated, by the functions that
/// average over all. NaN where fewer than two are. They are no correction of the averages over all:
/// realizations that equilibrate slowly are those with several deep valleys, so that the others are no random
/// sample of the disorder. The difference shows how strongly those that fail matter.
AverageTable passing_averages(const SizeResults& size);

}  // namespace psflip
