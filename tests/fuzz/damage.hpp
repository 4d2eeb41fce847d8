#pragma once

#include <string>
#include <vector>

#include "fuzz/driver.hpp"

namespace psflip::fuzz {

/// Damages bytes once, as disks, memory and copying do: one bit, some bits, a byte, a run of zeros or of
/// random bytes, a cut at the end, a piece taken out, put in, doubled, exchanged with another, or replaced by
/// one of `other`. Empty bytes stay empty.
void damage(std::string& bytes, const std::string& other, Random& random);

/// Damages text once: as damage(), and by lines and words: doubled, deleted, exchanged, replaced by a word of
/// `words`.
void damage_text(std::string& text, const std::vector<std::string>& words, Random& random);

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

}  // namespace psflip::fuzz
