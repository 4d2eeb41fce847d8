#pragma once

#include <cstdint>
#include <vector>

#include "config/sections.hpp"

namespace psflip {

/// Returns the times round(first 10^(k / per_decade)), k = 0, 1, ..., up to `last`, each once. If `even` is
/// set, times are rounded to even numbers. A larger `last` appends times and changes none of these.
std::vector<std::int64_t> logarithmic_times(const RelaxSection& relax, bool even, std::int64_t last);

/// Returns all times up to relax.last at which a relaxation measures, in sweeps since its start, ascending.
/// These are t, t_w and t_w + t for the times t of the grid and the waiting times t_w. With
/// relax.measure_every they are its multiples and t_w. The list may be empty.
std::vector<std::int64_t> relax_times(const RelaxSection& relax, bool even);

/// Returns the first time after `past` (sweeps since the start, 0 or more) at which a relaxation with a
/// larger relax.last measures.
std::int64_t next_relax_time(const RelaxSection& relax, bool even, std::int64_t past);

}  // namespace psflip
