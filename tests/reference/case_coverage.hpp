#pragma once

#include <vector>

#include "reference/cases.hpp"

/// Checks that the lists of cases (cases.hpp) are complete. Each function throws std::logic_error if a list
/// lacks a case, so no backend is compared with an incomplete list.
namespace psflip::reference {

/// Requires that all names differ, because expected() keeps results by name.
void require_distinct_names(const std::vector<Case>& cases);

/// Requires every size at shares 1, 32, 64 and 128, in lattices of `dimension` dimensions.
void require_sizes(const std::vector<Case>& cases, int dimension, const std::vector<int>& sizes);

/// Requires all combinations of field, absent bonds and heat bath, at share 1 and at larger shares, in two
/// and in three dimensions. The three-dimensional glass without field, absent bonds and heat bath must not
/// occur.
void require_rules(const std::vector<Case>& cases);

}  // namespace psflip::reference
