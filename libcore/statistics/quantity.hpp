#pragma once

#include "measure/sums.hpp"

namespace psflip {

/// A quantity of which files have datasets: its name there, its unit, what it is, in words that go on in a
/// sentence, and whether runs that measure something have it.
struct Quantity {
    const char *name, *unit, *doc;
    bool (*of)(const Measured&) = runs_with::anything;
};

}  // namespace psflip
