#pragma once

// Draws couplings J = +1, -1 or 0, writes and reads disorder files, and compares given couplings with a
// model.

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

/// Describes the law from which the couplings of a study are drawn. Realization r has the same couplings in
/// every batch.
struct CouplingsLaw {
    std::uint64_t seed = 0;  ///< seed of the study
    /// The law uses kind, dimension, p_ferro, p_absent and boundary. Field and update also change the
    /// couplings, but only through the random key (Model::random_key).
    Model model{};
    int L = 0;

    std::int64_t sites() const { return std::int64_t{L} * L * (model.dimension == 3 ? L : 1); }
    std::int64_t bonds() const { return model.dimension * sites(); }
};

/// Counts the bonds of a file of couplings, over all realizations.
struct BondCounts {
    std::int64_t positive = 0, negative = 0;  ///< bonds with J = +1 and with J = -1
    /// Numbers of present bonds (J is not 0) for each direction. `across` counts only bonds across the
    /// boundary, which an open lattice does not have.
    std::array<std::int64_t, 3> present{}, across{};

    BondCounts& operator+=(const BondCounts& more);
    std::int64_t all_present() const { return present[0] + present[1] + present[2]; }
    std::int64_t all_across() const { return across[0] + across[1] + across[2]; }

    /// Adds bonds in the order (realization, direction, z, y, x), in whole rows along x. `first` is the index
    /// of the first bond in this order.
    template <class T>
    void add(std::int64_t first, std::span<const T> bonds, int dimension, int L);

    /// Returns the directions that have bonds, but no bonds across the boundary, like "x and y". Returns an
    /// empty string if there are no such directions.
    std::string open_directions() const;
};

/// Holds the couplings of one batch of realizations.
struct Disorder {
    std::int64_t first = 0;  ///< number of the first realization in the study
    std::int64_t count = 0;
    int L = 0;
    /// Couplings +1, -1, or 0 for an absent bond, (realization, direction, z, y, x), without z in two
    /// dimensions. The bond joins (x, y, z) to its neighbour in direction 0=x, 1=y, 2=z, with periodic
    /// boundaries.
    std::vector<std::int8_t> couplings;
    int dimension = 3;
    /// The law of drawn couplings, if the file names it, as files of gen-disorder do.
    std::optional<std::uint64_t> seed{};
    std::optional<double> p_ferro{};
    std::optional<Model> model{};  ///< present if the file has seed and p_ferro
    /// The couplings_hash of all couplings of the file, even if only some planes are kept.
    std::string hash{};
    BondCounts bonds{};
    bool drawn = false;  ///< whether the first and the last realization are as drawn from the law of the file

    std::int64_t sites() const { return std::int64_t{L} * L * (dimension == 3 ? L : 1); }
};

/// Draws the couplings of realizations first to first + count - 1, in the order of Disorder::couplings. The
/// Philox key is model.random_key(seed, L). Let w(purpose) be word `direction` of the output of Philox for
/// this purpose, site and realization (random/purposes.hpp).
/// - J = 0 if the bond crosses an open boundary, or if w(occupation) < round(2^32 p_absent), compared in 64
///   bits.
/// - Otherwise J = +1 in a ferromagnet, or if w(couplings) < round(2^32 p_ferro), compared in 64 bits.
/// - Otherwise J = -1.
///
/// The result does not depend on `threads` (0: all cores). Errors: InputError as check_couplings_law;
/// EnvironmentError if there is not enough memory.
std::vector<std::int8_t> generate_couplings(const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                                            int threads = 0);

/// Draws the couplings of one realization from bond index `first` on, in the order (direction, z, y, x).
void draw_couplings(const CouplingsLaw& law, std::int64_t realization, std::int64_t first,
                    std::span<std::int8_t> couplings, int threads = 0);

/// Returns whether `couplings` are as draw_couplings gives them.
bool are_drawn(const CouplingsLaw& law, std::int64_t realization, std::int64_t first,
               std::span<const std::int8_t> couplings);

/// Checks a law and realization numbers. Errors: InputError as check_model, for L outside 1 to 1024 (65536 in
/// two dimensions), and for numbers outside 0 to 2^24 - 1.
void check_couplings_law(const CouplingsLaw& law, std::int64_t first, std::int64_t count);

/// Checks that `first` is a multiple of max(share, 32), because a batch holds whole share groups of
/// consecutive realizations. Errors: InputError that names the nearest possible numbers.
void check_first_realization(std::int64_t first, int share);

/// Draws a batch and writes it as a disorder file, piece by piece, so that little memory is needed. The root
/// attributes are first_realization, realizations, L, seed, p_ferro, and attributes of the model that differ
/// from Model{} (io/schema.hpp). Errors: InputError as check_couplings_law; EnvironmentError if the file
/// cannot be written.
void write_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                    const Provenance& provenance, int threads = 0);

/// Checks that this batch may replace the file at `path`. Errors: InputError if that disorder file has
/// another law, other realizations, or given couplings.
void check_existing_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first,
                             std::int64_t count);

/// Writes given couplings as a disorder file, without seed, p_ferro and model. The attribute `dimension` is
/// written in two dimensions.
void write_disorder(const std::string& path, const Disorder& disorder, const Provenance& provenance);

/// Reads a disorder file for lattice size L.
/// - `model` gives the dimension. Couplings may be 0 (absent bonds) in every model.
/// - A file from another program needs only the root attributes format, kind, format_version and
///   first_realization and the dataset /couplings (any integer type).
/// - If `kept` is given, only its planes stay in memory: (realization, direction, w, v, u) in coordinates of
///   the site order. A depth of 0 keeps no plane. All planes are read and checked.
/// - `threads`: number of threads that unpack the file (0: all cores).
///
/// Errors: InputError for another L, shape or dimension, wrong attributes L or realizations, values other
/// than +1, -1 and 0, and a first_realization that is not a multiple of max(share, 32).
Disorder read_disorder(const std::string& path, int L, int share = 1, const Model& model = {},
                       const std::optional<HeldLattice>& kept = {}, int threads = 1);

/// Returns the origin of the couplings of the file `path`, which derived files store. The origin is empty if
/// the file says that they were drawn from `law`, and its first and last realization are as drawn from `law`.
/// Otherwise the couplings are "by hand", and the text compares them with the model. An example is "by hand,
/// 80% of the couplings are +1 where model.p_ferro is 0.5 (191 standard deviations)". The text names
/// - the fraction of +1 among the present bonds,
/// - the fraction of absent bonds, if it differs from model.p_absent by more than 5 standard deviations,
/// - directions without bonds across the boundary.
///
/// Deviations also give a warning. Errors: InputError if
/// - the file names another seed, p_ferro or model;
/// - the couplings contradict the model: J = -1 in a ferromagnet, bonds across an open boundary, or periodic
///   boundaries although not a single bond crosses the boundary, unless model.p_absent explains this;
/// - `share` is above 1 and realizations would become copies of each other: all bonds have one sign, or bonds
///   do not percolate. With whole lattices in memory, also if realizations of one share group are equal.
std::string couplings_origin(const std::string& path, const Disorder& disorder, const CouplingsLaw& law,
                             int share);

/// Checks that all couplings of the file `path` are +1, for ferromagnets whose lattices do not load
/// couplings. Errors: InputError if not.
void check_all_ferromagnetic(const std::string& path, const Disorder& disorder);

/// Returns the XXH64 of the couplings as 16 hex digits. State and run files store this hash, so that programs
/// refuse to combine them with other couplings.
std::string couplings_hash(const std::vector<std::int8_t>& couplings);

}  // namespace psflip
