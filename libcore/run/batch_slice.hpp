#pragma once

#include <cstdint>
#include <vector>

#include "run/batch.hpp"

namespace psflip {

/// Consecutive realizations of a batch. A slice is a batch of its own and runs as it did in the whole, bit
/// for bit, because it begins where realizations that share random numbers begin.
struct BatchSlice {
    std::int64_t offset = 0;  ///< number within the batch of the first
    std::int64_t count = 0;
};

/// Returns the slice that begins at realization `first` (global number). count 0 takes 128 realizations, or
/// fewer if the batch ends. Errors: InputError if the slice lies outside the batch, begins off a multiple of
/// max(share, 32), or ends off a multiple before the batch ends.
BatchSlice slice_at(const Shape& shape, std::int64_t first, std::int64_t count);

/// Returns a column of 128 realizations, which `number` chooses; the last column may hold fewer.
BatchSlice drawn_slice(const Shape& shape, std::uint64_t number);

/// Returns the realizations of the slice from an array (outer, realization, inner).
template <class T>
std::vector<T> cut(const std::vector<T>& all, std::int64_t realizations, std::int64_t inner,
                   const BatchSlice& slice) {
    std::vector<T> some;
    const auto row = realizations * inner;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(all.size()); at += row)
        some.insert(some.end(), all.begin() + at + slice.offset * inner,
                    all.begin() + at + (slice.offset + slice.count) * inner);
    return some;
}

/// Return the slice of spins, of a batch (shape, identity and couplings), and of a state.
Spins cut_spins(const Spins& spins, const Shape& whole, const BatchSlice& slice);
Batch cut(const Batch& whole, const BatchSlice& slice);
SimulationState cut(const SimulationState& state, const Shape& whole, const BatchSlice& slice);

}  // namespace psflip
