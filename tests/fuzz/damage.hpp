#pragma once

#include <string>
#include <vector>

#include "fuzz/driver.hpp"

namespace psflip::fuzz {

/// Damages bytes once, as disks, memory and copying do. It changes a bit, some bits, a byte, or a run of
/// bytes (to one value or at random), or cuts off the end. Or it removes a piece, doubles it, exchanges it
/// with another piece, or replaces it by a piece of `other`. Empty bytes stay empty.
void damage(std::string& bytes, const std::string& other, Random& random);

/// Damages text once, as damage() does, or by whole lines and words. It deletes, doubles or moves a line or a
/// word, or replaces it by a word of `words`, or inserts such a word.
void damage_text(std::string& text, const std::vector<std::string>& words, Random& random);

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

}  // namespace psflip::fuzz
