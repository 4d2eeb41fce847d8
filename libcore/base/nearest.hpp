#pragma once

// Finds the name that a user may have meant.

#include <span>
#include <string>

namespace psflip {

/// Returns the Levenshtein distance: the smallest number of letters to replace, insert or delete.
int distance(const std::string& a, const std::string& b);

/// Returns the name that is nearest to a misspelt word, for "did you mean". Returns an empty string if every
/// name has a distance above a third of the length of `word`.
std::string nearest_name(const std::string& word, std::span<const std::string> names);

}  // namespace psflip
