#pragma once

#include <cstdint>
#include <vector>

#include "config/sections.hpp"

namespace psflip {

/// Times round(first 10^(k / per_decade)), k = 0, 1, ..., up to `last`, each once. With
/// `even` to the nearest even numbers. The times up to a smaller `last` are the first of these.
std::vector<std::int64_t> logarithmic_times(const RelaxSection& relax, bool even, std::int64_t last);

/// All times at which a relaxation measures, in sweeps since its start, ascending: t, t_w and t_w + t for the
/// times t of the grid and the waiting times t_w, up to relax.last; with relax.measure_every its multiples
/// and t_w. Empty where there is none.
std::vector<std::int64_t> relax_times(const RelaxSection& relax, bool even);

/// The first time after `past` (sweeps since the start, 0 or more) at which a relaxation with a larger
/// relax.last measures.
std::int64_t next_relax_time(const RelaxSection& relax, bool even, std::int64_t past);

}  // namespace psflip
