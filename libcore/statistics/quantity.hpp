#pragma once

namespace psflip {

/// A quantity of which files have datasets: its name there, its unit, and what it is, in words that go on in
/// a sentence.
struct Quantity {
    const char *name, *unit, *doc;
};

}  // namespace psflip
