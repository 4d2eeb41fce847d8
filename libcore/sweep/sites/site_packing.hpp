#pragma once

#include <cstdint>
#include <span>

#include "base/thread_pool.hpp"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

/// Convert between words of a lattice, (word, half) in the order of SiteLanes, and site bits. The site bit of
/// a site is bit site % 64 of word site / 64. The threads of the pool share the rows of local indices.
void bits_of_words(const SiteLanes& lanes, std::span<const std::uint64_t> words,
                   std::span<std::uint64_t> bits, ThreadPool& pool);
void words_of_bits(const SiteLanes& lanes, std::span<const std::uint64_t> bits,
                   std::span<std::uint64_t> words, ThreadPool& pool);

}  // namespace psflip
