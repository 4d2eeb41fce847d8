// Reads a batch from a disorder file, makes the setup that simulates it, and cuts slices of it for `audit`.
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

/// Holds a batch of realizations: the content of a disorder file.
struct Batch {
    Model model;
    Shape shape;
    BatchIdentity identity;
    std::vector<std::int8_t> couplings;    ///< as BatchSetup::couplings
    std::optional<VectorSetup> vectors{};  ///< set instead of couplings for vector spins and real couplings
    Ranks* ranks = &single_rank();         ///< ranks that hold the slabs; not owned
    int threads = 1;                       ///< threads that pack and unpack files; 0: all cores

    /// Returns the state with which thermalize begins. A rank gets the spins of its own planes.
    SimulationState random_start(const Parameters& parameters) const;
};

/// Reads the disorder file and checks it against the parameters. With several ranks, each rank gets one slab
/// of every lattice, in the site order `order`. bins, snapshots: numbers of bins and snapshots that the call
/// will hold, for the estimate of memory. Collective. Errors: InputError as check_shape, read_disorder and
/// couplings_origin. For vector spins and real couplings, InputError as check_shape, check_setup,
/// read_occupation and read_real_couplings. With several ranks, InputError also for too many ranks, as
/// choose_backend, and if couplings or backends differ between ranks. EnvironmentError, before the file is
/// read, if bins, snapshots and batch exceed the memory.
Batch load_batch(const Parameters& parameters, const std::string& disorder_path, const BackendChoice& choice,
                 int bins, std::int64_t snapshots, Ranks& ranks = single_rank(),
                 SiteOrder order = SiteOrder::standard);

/// Returns the setup of the batch at the temperatures of the parameters. The setup refers to the couplings,
/// vectors and ranks of the batch, so the batch must outlive it.
BatchSetup setup_of(const Parameters& parameters, const Batch& batch, const BackendChoice& choice);

/// Names consecutive realizations of a batch. A slice can be simulated as a batch. Its results equal the
/// results in the whole batch bit for bit, because the slice begins with a share group.
struct BatchSlice {
    std::int64_t offset = 0;  ///< index of the first realization in the batch
    std::int64_t count = 0;
};

/// Returns the slice that begins at realization `first` (its number in the study). count = 0 takes 128
/// realizations, or fewer if the batch ends before. Errors: InputError if the slice lies outside the batch.
/// InputError also unless begin and end, counted from the beginning of the batch, are multiples of max(share,
/// 32). The end of the batch is always a valid end.
BatchSlice slice_at(const Shape& shape, std::int64_t first, std::int64_t count);

/// Returns the realizations of one column of the batch. The index of the column is `number` modulo the number
/// of columns. A column has 128 realizations; the last column may have fewer.
BatchSlice drawn_slice(const Shape& shape, std::uint64_t number);

/// Returns the realizations of the slice from a row-major array (outer, realization, inner). `realizations`
/// and `inner` are the extents of these axes in `all`.
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

/// Returns the spins of the slice. whole: the shape of the whole batch.
Spins cut_spins(const Spins& spins, const Shape& whole, const BatchSlice& slice);
/// Returns the slice as a batch, with shape, identity and disorder.
Batch cut(const Batch& whole, const BatchSlice& slice);
/// Returns the state of the slice from the state of a batch with shape `whole`.
SimulationState cut(const SimulationState& state, const Shape& whole, const BatchSlice& slice);

}  // namespace psflip
