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

// Files hold spins of whole lattices, uint64 (replica, temperature, pack64, z, y, x), and do not know how
// many ranks made them. Spins here are in the form that runs hold (lattice/site_bits.hpp): bits of sites
// become words of files, and back, in pieces of some MiB. A rank has only its own planes, and no rank has
// ever more, but of vectors (run/vector_spins.hpp) and of Ising spins with real couplings, whose shape is no
// slab: these all ranks have as they are in files.

/// The part of the batch that a rank has: whole lattices with one rank. InputError where there are too many.
Shape slab_of(Shape whole, int rank, int ranks);

/// Calls take(box, its spins) on rank 0 for boxes of a few MiB that cover the spins of whole lattices in the
/// order of a file; `spins` are the rank's own. With one rank it is one box, but for bits of sites.
/// Collective; what `take` throws is thrown by all ranks, at the end.
void gather_spins(const Shape& shape, const std::vector<std::uint64_t>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const std::uint64_t>)>& take);

/// How files store spins: plain, but deflated where they are bits of few realizations, so that most bits of
/// the words are 0.
Storage spin_storage(const Shape& shape);

/// Writes the dataset of spins to the file of rank 0; `file` is nullptr elsewhere. Collective.
void write_spins(OutputFile* file, const std::string& dataset, const Shape& shape, const Spins& spins,
                 Ranks& ranks);
/// Writes row number `row` of a dataset with one more leading axis, which OutputFile::create or, for vectors,
/// create_vectors has made. Collective.
void write_spins_row(OutputFile* file, const std::string& dataset, std::int64_t row, const Shape& shape,
                     const Spins& spins, Ranks& ranks);

/// Reads the rank's own spins of a dataset, or of row number `row` of a dataset with one more leading axis.
/// The caller has checked the extents of the dataset. Not collective.
Spins read_spins(const InputFile& file, const std::string& dataset, const Shape& shape,
                 std::optional<std::int64_t> row = {});

}  // namespace psflip
