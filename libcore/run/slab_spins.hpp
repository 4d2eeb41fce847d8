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

// Files hold spins of whole lattices and do not depend on the number of ranks. Ising spins are uint64
// (replica, temperature, pack64, z, y, x), vector spins are float32 or float64 (replica, temperature,
// realization, component, z, y, x). Spins here are in the form that runs hold (lattice/site_bits.hpp): bits
// of sites become words of files, and back, in pieces of some MiB. A rank never holds more than its own
// planes. Only vectors, and Ising spins with real couplings, whose shape is no slab, are whole on every rank.

/// Returns the part of the batch that a rank has: whole lattices with one rank. Errors: InputError if there
/// are too many ranks.
Shape slab_of(Shape whole, int rank, int ranks);

/// Calls take(box, its spins) on rank 0 for boxes of a few MiB that cover the spins of whole lattices in the
/// order of a file; `spins` are the rank's own. With one rank it is one box, except for bits of sites.
/// Collective. Errors: all ranks throw at the end what `take` throws.
void gather_spins(const Shape& shape, const std::vector<std::uint64_t>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const std::uint64_t>)>& take);

/// Creates a dataset of spins, or of `rows` such arrays with one more leading axis. It is deflated if it
/// holds bits of few realizations, because most bits of the words are 0 then.
void create_spins(OutputFile& file, const std::string& dataset, const Shape& shape,
                  std::optional<std::int64_t> rows = {});

/// Writes a dataset that create_spins made, or row number `row` of it; `file` is the file of rank 0 and
/// nullptr elsewhere. Collective.
void write_spins(OutputFile* file, const std::string& dataset, const Shape& shape, const Spins& spins,
                 Ranks& ranks, std::optional<std::int64_t> row = {});

/// Reads the rank's own spins of a dataset, or of row number `row` of it. Not collective. Errors: InputError
/// if the dataset has another shape, if a vector does not have length 1 within 1e-3, or if vectors have more
/// digits than the precision of the shape.
Spins read_spins(const InputFile& file, const std::string& dataset, const Shape& shape,
                 std::optional<std::int64_t> row = {});

}  // namespace psflip
