#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "lattice/shape.hpp"
#include "lattice/spins.hpp"
#include "slab/ranks.hpp"

namespace psflip {

// Transfers spins between files of whole lattices and slabs in memory. Files do not depend on the number of
// ranks. They hold Ising spins as uint64 (replica, temperature, pack64, z, y, x), and vector spins as float32
// or float64 (replica, temperature, realization, component, z, y, x).
// Spins in memory have the form that runs hold (lattice/site_bits.hpp). A rank holds only its own planes.
// With `lanes: sites`, words in memory are bits of sites. They are converted to and from the words of files
// in pieces of some MiB.

/// Returns the shape of the slab of rank `rank` of `ranks`. With one rank, or if share_sweeps_only, it is the
/// shape of whole lattices. Errors: InputError if there are more ranks than the planes allow.
Shape slab_of(Shape whole, int rank, int ranks);

/// Calls take(box, spins of the box) on rank 0 for boxes of a few MiB, which cover the spins of whole
/// lattices in the order of a file. `spins` are the spins that the calling rank holds. With one rank there is
/// one box, except for bits of sites.
/// Collective. The span is valid only during the call of `take`. Errors: what `take` throws, at the end and
/// on all ranks.
void gather_spins(const Shape& shape, const std::vector<std::uint64_t>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const std::uint64_t>)>& take);
void gather_spins(const Shape& shape, const std::vector<double>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const double>)>& take);

/// Creates a dataset of spins. If `rows` has a value, the dataset gets one more leading axis with this number
/// of rows. The dataset is deflated if it holds bits of few realizations, because most bits of the words are
/// then 0.
void create_spins(OutputFile& file, const std::string& dataset, const Shape& shape,
                  std::optional<std::int64_t> rows = {});

/// Writes a dataset that create_spins made, or the row with index `row` of this dataset. Collective. `file`
/// is the file of rank 0 and nullptr on all other ranks.
void write_spins(OutputFile* file, const std::string& dataset, const Shape& shape, const Spins& spins,
                 Ranks& ranks, std::optional<std::int64_t> row = {});

/// Reads, from a dataset or from its row with index `row`, the spins that the calling rank holds. Not
/// collective. Errors: InputError if the dataset has another shape. For vector spins also InputError if a
/// square of a length is not 1 within 1e-3, or if values have more digits than the precision of the shape.
Spins read_spins(const InputFile& file, const std::string& dataset, const Shape& shape,
                 std::optional<std::int64_t> row = {});

}  // namespace psflip
