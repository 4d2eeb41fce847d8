#pragma once

#include <cstdint>
#include <vector>

#include "run/batch.hpp"

namespace psflip {

/// Consecutive realizations of a batch. A part is a batch of its own and runs as it did in the whole, bit for
/// bit, because it begins where realizations that share random numbers begin.
struct BatchPart {
    std::int64_t offset = 0;  ///< number within the batch of the first
    std::int64_t count = 0;
};

/// The part that begins at realization `first` (global number); count 0: 128, or fewer where the batch ends.
/// InputError where it lies outside the batch, begins off a multiple of max(share, 32), or ends off one
/// before the batch ends.
BatchPart part_at(const Shape& shape, std::int64_t first, std::int64_t count);

/// A column of 128 realizations (the last may hold fewer) drawn by `number`.
BatchPart drawn_part(const Shape& shape, std::uint64_t number);

/// (outer, realization, inner) -> the realizations of the part.
template <class T>
std::vector<T> cut(const std::vector<T>& all, std::int64_t realizations, std::int64_t inner,
                   const BatchPart& part) {
    std::vector<T> some;
    const auto row = realizations * inner;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(all.size()); at += row)
        some.insert(some.end(), all.begin() + at + part.offset * inner,
                    all.begin() + at + (part.offset + part.count) * inner);
    return some;
}

/// Spins in the form that runs hold.
std::vector<std::uint64_t> cut_spins(const std::vector<std::uint64_t>& spins, const Shape& whole,
                                     const BatchPart& part);

/// Shape, identity and couplings of the part.
Batch cut(const Batch& whole, const BatchPart& part);
SimulationState cut(const SimulationState& state, const Shape& whole, const BatchPart& part);

}  // namespace psflip
