#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "lattice/layout.hpp"
#include "model/model.hpp"

namespace psflip {

/// How the couplings of a campaign are drawn. Realization r has the same couplings whatever batch it is in.
struct CouplingsLaw {
    std::uint64_t seed = 0;  ///< campaign seed
    Model model{};           ///< kind, dimension, p_ferro, p_absent, boundary; all of it is in the key
    int L = 0;

    std::int64_t sites() const { return std::int64_t{L} * L * (model.dimension == 3 ? L : 1); }
    std::int64_t bonds() const { return model.dimension * sites(); }
};

/// Counts of the bonds of a file of couplings, over all realizations.
struct BondCounts {
    std::int64_t positive = 0, negative = 0;  ///< bonds with J = +1 and with J = -1
    /// Bonds that are there (J is not 0) by direction: all of them, and those from the last sites of the
    /// direction to the first ones, which an open lattice does not have.
    std::array<std::int64_t, 3> present{}, across{};

    std::int64_t all_present() const { return present[0] + present[1] + present[2]; }
    std::int64_t all_across() const { return across[0] + across[1] + across[2]; }

    /// Adds bonds in the order (realization, direction, z, y, x), whole rows along x, of which the first
    /// bond has the number `first`.
    template <class T>
    void add(std::int64_t first, std::span<const T> bonds, int dimension, int L);

    /// Directions along which there are bonds, but none across the boundary: "x and y", empty where there
    /// are none.
    std::string open_directions() const;
};

/// The couplings of one batch of realizations.
struct Disorder {
    std::int64_t first = 0;  ///< global number of local realization 0
    std::int64_t count = 0;
    int L = 0;
    std::vector<std::int8_t> couplings;  ///< +1, -1, or 0 where a bond is absent, (realization, direction, z,
                                         ///< y, x), without z in two dimensions: the bond from (x,y,z) to
                                         ///< its neighbour in direction 0=x, 1=y, 2=z, periodic
    int dimension = 3;
    /// Of the law that they were drawn from, where the file tells it (gen-disorder's do).
    std::optional<std::uint64_t> seed{};
    std::optional<double> p_ferro{};
    std::optional<Model> model{};  ///< where both of these are told
    /// Of all couplings of the file that they were read from, also where only some planes are kept.
    std::string hash{};  ///< couplings_hash
    BondCounts bonds{};
    bool drawn = false;  ///< the first and last realization are those of the law that the file tells

    std::int64_t sites() const { return std::int64_t{L} * L * (dimension == 3 ? L : 1); }
};

/// Couplings of realizations first, ..., first + count - 1, in the order of Disorder::couplings. With the key
/// model.random_key(seed, L) and compared in 64 bits, J = 0 where word `direction` of philox(occupation,
/// site, pack = realization) < round(2^32 p_absent), and across an open boundary; else J = +1 iff that of
/// philox(couplings, ...) < round(2^32 p_ferro), and always in a ferromagnet. threads = 0: all cores this
/// process may use; the result does not depend on it. Throws InputError as check_couplings_law,
/// EnvironmentError where memory does not suffice.
std::vector<std::int8_t> generate_couplings(const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                                            int threads = 0);

/// Those of one realization from its bond number `first` on, in the order (direction, z, y, x). threads as
/// there.
void draw_couplings(const CouplingsLaw& law, std::int64_t realization, std::int64_t first,
                    std::span<std::int8_t> couplings, int threads = 0);

/// Whether `couplings` are those of one realization from its bond number `first` on, in the order (direction,
/// z, y, x).
bool are_drawn(const CouplingsLaw& law, std::int64_t realization, std::int64_t first,
               std::span<const std::int8_t> couplings);

/// Throws InputError as check_model, and for L outside 1..1024 (65536 in two dimensions) or realization
/// numbers outside 0..2^24 - 1.
void check_couplings_law(const CouplingsLaw& law, std::int64_t first, std::int64_t count);

/// Throws InputError unless `first` is a multiple of max(share, 32), with the nearest numbers that are.
/// Realizations that share random numbers are consecutive, and a batch holds whole packs of them.
void check_first_realization(std::int64_t first, int share);

/// Draws a batch and writes it as a disorder file, piece by piece, so that memory stays small. Root
/// attributes: first_realization, realizations, L, seed, p_ferro, and of the model what differs from Model{}
/// (io/schema.hpp). Throws InputError as check_couplings_law,
/// EnvironmentError where the file cannot be written.
void write_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                    const Provenance& provenance, int threads = 0);

/// InputError where a disorder file is at `path` that this batch would not replace by the same: of another
/// law or other realizations, or with couplings that were given.
void check_existing_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first,
                             std::int64_t count);

/// Writes given couplings as a disorder file (without seed, p_ferro and model; dimension where it is 2).
void write_disorder(const std::string& path, const Disorder& disorder, const Provenance& provenance);

/// Reads a disorder file for lattice size L; `model` gives the dimension. Couplings may be 0 (absent bonds)
/// in any model: the file decides. A file written by hand needs root attributes format, kind,
/// format_version and first_realization and the dataset /couplings (any integer type) only. Throws InputError
/// for another L or shape, attributes L or realizations that are not those of the couplings, values other
/// than +1, -1 and 0, another dimension, and a first_realization that is not a multiple of max(share, 32).
/// `kept`: only those planes of the couplings are kept, (realization, direction, w, v, u) in coordinates of
/// the order, none with depth 0; all others are read and checked, but never in memory together. `threads`
/// unpack the file.
Disorder read_disorder(const std::string& path, int L, int share = 1, const Model& model = {},
                       const std::optional<HeldLattice>& kept = {}, int threads = 1);

/// Where the couplings of the file `path` come from, for all files that are made from them. Empty where the
/// file says that they were drawn from `law` and its first and last realization are those of the law. Else
/// the couplings are "by hand", and the text compares what the file has with what the model says: "by hand,
/// 80% of the couplings are +1 where model.p_ferro is 0.5 (191 standard deviations)". It names the fraction
/// of +1 among the bonds that are there, the fraction of absent bonds where it is more than 5 standard
/// deviations from model.p_absent, and directions without bonds across the boundary; with a warning where one
/// of them does not fit. Throws InputError where the file tells another seed, p_ferro or model, and where the
/// couplings contradict the model: bonds across an open boundary, no bond across any periodic one, J = -1 in
/// a ferromagnet; and where `share` is above 1 and realizations with shared random numbers would become
/// copies of each other: all bonds of one sign, bonds that do not percolate, or equal realizations.
std::string couplings_origin(const std::string& path, const Disorder& disorder, const CouplingsLaw& law,
                             int share);

/// InputError unless all couplings of the file `path` are +1: of a ferromagnet whose lattices have their
/// bonds without being told.
void check_all_ferromagnetic(const std::string& path, const Disorder& disorder);

/// XXH64 of the couplings' bytes, 16 hex digits: state and run files carry it, so that they are refused with
/// other couplings.
std::string couplings_hash(const std::vector<std::int8_t>& couplings);

}  // namespace psflip
