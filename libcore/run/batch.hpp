#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "run/state_file.hpp"
#include "slab/ranks.hpp"
#include "sweep/ensemble.hpp"
#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// A batch of realizations as a disorder file gives it.
struct Batch {
    Model model;
    Shape shape;
    BatchIdentity identity;
    std::vector<std::int8_t> couplings;    ///< as BatchSetup::couplings
    std::optional<VectorSetup> vectors{};  ///< set instead of couplings for vector spins and real couplings
    Ranks* ranks = &single_rank();         ///< the ranks that have the slabs
    int threads = 1;                       ///< threads that pack and unpack files, 0: all cores

    /// Returns the key of the random numbers.
    std::uint64_t key(std::uint64_t seed) const { return model.random_key(seed, shape.L); }
    /// Returns the state with which thermalize begins.
    SimulationState random_start(const Parameters& parameters) const;
};

/// Reads and checks the disorder file against the parameters. Each of several ranks gets a slab in this site
/// order. Collective. Errors: InputError for another L, p_ferro or seed, or if the first realization does not
/// fit the share; EnvironmentError, before reading, if `bins`, `snapshots` and the batch exceed the memory.
Batch load_batch(const Parameters& parameters, const std::string& disorder_path, const BackendChoice& choice,
                 int bins, std::int64_t snapshots, Ranks& ranks = single_rank(),
                 SiteOrder order = SiteOrder::standard);

/// InputError if couplings are real numbers, for programs that do not support them.
void refuse_gaussian(const Parameters& parameters, const char* program);
/// InputError if couplings are real numbers or spins are vectors.
void refuse_vectors(const Parameters& parameters, const char* program);

/// Returns what the spins of the batch are made from at the temperatures of the parameters. It refers to the
/// batch.
BatchSetup setup_of(const Parameters& parameters, const Batch& batch, const BackendChoice& choice);

/// Consecutive realizations of a batch. A slice is itself a batch. Its results equal the results in the
/// whole batch bit for bit, because a slice begins where realizations that share random numbers begin.
struct BatchSlice {
    std::int64_t offset = 0;  ///< number of the first realization within the batch
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
