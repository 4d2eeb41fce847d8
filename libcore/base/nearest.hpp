#pragma once

#include <span>
#include <string>

namespace psflip {

/// Levenshtein distance: letters to replace, insert or leave out.
int distance(const std::string& a, const std::string& b);

/// The name that is nearest to a word that is none of them, for "did you mean"; empty where none is near: at
/// most a third of the letters may differ.
std::string nearest_name(const std::string& word, std::span<const std::string> names);

}  // namespace psflip
