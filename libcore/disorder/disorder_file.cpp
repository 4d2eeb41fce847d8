// Writes and reads disorder files of couplings (couplings.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "disorder/couplings.hpp"
#include "disorder/drawn_law.hpp"
#include "disorder/model_attributes.hpp"
#include "io/datasets.hpp"
#include "io/existing_file.hpp"
#include "io/file.hpp"
#include "io/hash.hpp"
#include "io/schema.hpp"
#include "lattice/plane_map.hpp"
#include "random/purposes.hpp"

namespace psflip {
namespace {

std::vector<std::int64_t> couplings_shape(std::int64_t count, int dimension, int L) {
    std::vector<std::int64_t> shape(dimension + 2, L);
    shape[0] = count;
    shape[1] = dimension;
    return shape;
}

DatasetInfo cubic_couplings(const std::string& name) {
    constexpr DatasetRow rows[] = {{schema::couplings, "J",
                                    "Couplings, +1 or -1, of bonds to the neighbours in +x, +y and +z.",
                                    "realization, direction, z, y, x"}};
    return row_named(rows, name);
}

DatasetInfo diluted_couplings(const std::string& name) {
    constexpr DatasetRow rows[] = {
        {schema::couplings, "J",
         "Couplings, +1, -1, or 0 for an absent bond, of bonds to the neighbours in +x, +y and +z.",
         "realization, direction, z, y, x"}};
    return row_named(rows, name);
}

DatasetInfo square_couplings(const std::string& name) {
    constexpr DatasetRow rows[] = {
        {schema::couplings, "J",
         "Couplings, +1, -1, or 0 for an absent bond, of bonds to the neighbours in +x and +y.",
         "realization, direction, y, x"}};
    return row_named(rows, name);
}

OutputFile start_file(const std::string& path, std::int64_t first, std::int64_t count, int dimension, int L,
                      bool absent, const Provenance& provenance, int threads) {
    OutputFile file(path, schema::disorder, provenance,
                    dimension == 2 ? square_couplings
                    : absent       ? diluted_couplings
                                   : cubic_couplings,
                    threads);
    file.attribute(schema::first_realization, first);
    file.attribute(schema::realizations, count);
    file.attribute(schema::size, std::int64_t{L});
    return file;
}

/// Checks that the shape is (R, 3, L, L, L) or, in two dimensions, (R, 2, L, L). Common mistakes have their
/// own messages. Errors: InputError.
void check_couplings_shape(const InputFile& file, int dimension, int L) {
    const Extents shape = file.shape(schema::couplings);
    const bool lattice = std::ssize(shape) == dimension + 2 && shape[0] > 0 &&
                         shape == couplings_shape(shape[0], dimension, static_cast<int>(shape[2]));
    if (lattice && shape[2] != L)
        throw InputError(
            fmt::format("{}: the file holds couplings for L = {}, but this call needs L = {}; use the "
                        "disorder file of L = {}, or --L {}",
                        file.path(), shape[2], L, L, shape[2]));
    check_disorder_shape(file, schema::couplings, couplings_shape(1, dimension, L), dimension);
}

/// Checks couplings; `first` is the index of the first coupling in the file. Errors: InputError.
void check_values(const std::string& path, const Disorder& disorder, std::int64_t first,
                  std::span<const std::int8_t> couplings) {
    const auto wrong = std::ranges::find_if(couplings, [](std::int8_t j) { return j < -1 || j > 1; });
    if (wrong == couplings.end()) return;
    const std::int64_t L = disorder.L, index = first + (wrong - couplings.begin()), N = disorder.sites();
    const std::int64_t direction = index / N % disorder.dimension,
                       realization = index / N / disorder.dimension;
    const bool planar = disorder.dimension == 2;
    const std::string z = planar ? "" : fmt::format("{}, ", index % N / (L * L));
    throw InputError(fmt::format(
        "{}: dataset {} holds {} at [{}, {}, {}{}, {}] (realization, direction, {}y, x); couplings are +1 or "
        "-1, or 0 for an absent bond",
        path, schema::couplings, static_cast<int>(*wrong), realization, direction, z, index % N / L % L,
        index % N % L, planar ? "" : "z, "));
}

std::size_t elements_of(const Box& box) {
    return static_cast<std::size_t>(
        std::accumulate(box.count.begin(), box.count.end(), std::int64_t{1}, std::multiplies<>()));
}

/// Receives the couplings of a file piece by piece, checks all of them and keeps the planes `kept`.
class CouplingsTaker {
  public:
    CouplingsTaker(const InputFile& file, Disorder& disorder, const HeldLattice& kept, int threads)
        : file_(file), disorder_(disorder), kept_(kept), pool_(threads) {}

    void take_all() {
        constexpr std::int64_t piece = std::int64_t{1} << 24;
        bool drawn = disorder_.model.has_value();
        if (kept_.depth > 0) make_room();
        for_each_piece(file_.shape(schema::couplings), 1, piece, [&](const Box& box, std::int64_t first) {
            std::vector<std::int8_t> read;
            std::span<const std::int8_t> some;
            if (keeps_all()) {
                std::int8_t* const to = disorder_.couplings.data() + first;
                file_.read_box_to<std::int8_t>(schema::couplings, box, to);
                some = {to, elements_of(box)};
            } else {
                some = read = file_.read_box<std::int8_t>(schema::couplings, box).data;
            }
            check_and_count(first, some);
            hash_.add(some.data(), some.size());
            drawn = drawn && ends_are_drawn(first, some);
            if (kept_.depth > 0 && !keeps_all()) keep_planes(first, some);
        });
        disorder_.drawn = drawn;
        disorder_.hash = hash_.hex();
    }

  private:
    std::int64_t plane_sites() const { return std::int64_t{disorder_.L} * disorder_.L; }
    int depth() const { return disorder_.dimension == 3 ? disorder_.L : 1; }
    bool keeps_all() const { return kept_.depth == depth() && kept_.first == 0 && !kept_.sliced(); }

    void check_and_count(std::int64_t first, std::span<const std::int8_t> some) {
        const std::int64_t L = disorder_.L;
        std::mutex counting;
        share_out(pool_, std::ssize(some) / L, [&](std::int64_t begin, std::int64_t end) {
            const auto rows = some.subspan(begin * L, (end - begin) * L);
            check_values(file_.path(), disorder_, first + begin * L, rows);
            BondCounts bonds;
            bonds.add<std::int8_t>(first + begin * L, rows, disorder_.dimension, disorder_.L);
            const std::lock_guard lock(counting);
            disorder_.bonds += bonds;
        });
    }

    /// Returns whether the first and last realization equal the law of the file.
    bool ends_are_drawn(std::int64_t first, std::span<const std::int8_t> some) const {
        const CouplingsLaw law{*disorder_.seed, *disorder_.model, disorder_.L};
        for (const std::int64_t local : {std::int64_t{0}, disorder_.count - 1}) {
            const std::int64_t from = std::max(first, local * law.bonds()),
                               to = std::min(first + std::ssize(some), (local + 1) * law.bonds());
            if (from < to && !are_drawn(law, disorder_.first + local, from - local * law.bonds(),
                                        some.subspan(from - first, to - from)))
                return false;
        }
        return true;
    }

    void keep_planes(std::int64_t first, std::span<const std::int8_t> some) {
        for (std::int64_t at = 0; at < std::ssize(some); at += plane_sites()) {
            const std::int64_t plane = (first + at) / plane_sites();
            const std::int8_t* from = some.data() + at;
            std::int8_t* to = disorder_.couplings.data() + plane / depth() * kept_.depth * plane_sites();
            for_each_of_plane_z(kept_, static_cast<int>(plane % depth()),
                                [&](std::int64_t i, std::int64_t j) { to[i] = from[j]; });
        }
    }
    void make_room() {
        try {
            disorder_.couplings = large_zeros<std::int8_t>(
                disorder_.count * disorder_.dimension * kept_.depth * plane_sites(), pool_);
        } catch (const std::exception&) {
            throw EnvironmentError(
                fmt::format("{}: there is not enough memory for dataset {} of {} realizations", file_.path(),
                            schema::couplings, disorder_.count));
        }
    }

    const InputFile& file_;
    Disorder& disorder_;
    HeldLattice kept_;
    ThreadPool pool_;
    Hasher hash_;
};

constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
/// The largest piece that is drawn at once. Couplings of larger lattices are drawn in pieces of a
/// realization.
constexpr std::int64_t max_bonds = std::int64_t{1} << 30;

void write_whole(OutputFile& file, const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                 int threads) {
    const std::int64_t piece = file.rows_of(schema::couplings, piece_bytes);
    for (std::int64_t done = 0; done < count; done += piece) {
        const std::int64_t rows = std::min(piece, count - done);
        file.write_rows(schema::couplings, done, rows,
                        generate_couplings(law, first + done, rows, threads).data());
    }
}

void write_large(OutputFile& file, const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                 int threads) {
    std::vector<std::int8_t> some;
    for_each_piece(couplings_shape(count, law.model.dimension, law.L), 1, piece_bytes,
                   [&](const Box& box, std::int64_t at) {
                       some.resize(elements_of(box));
                       draw_couplings(law, first + at / law.bonds(), at % law.bonds(), some, threads);
                       file.write_box(schema::couplings, box, some.data());
                   });
}

/// Checks the root attributes L and realizations, if present, against the couplings.
void check_attributes(const InputFile& file, const Disorder& disorder) {
    const auto check = [&file](const char* name, std::int64_t wanted) {
        using Any = std::numeric_limits<std::int64_t>;
        if (!file.has_attribute(name)) return;
        const std::int64_t found = file.integer_attribute(name, Any::min(), Any::max());
        if (found != wanted)
            throw InputError(fmt::format("{}: root attribute {} = {} contradicts dataset {}, which has {}",
                                         file.path(), name, found, schema::couplings, wanted));
    };
    check(schema::size, disorder.L);
    check(schema::realizations, disorder.count);
    check(schema::dimension, disorder.dimension);
}

}  // namespace

void check_existing_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first,
                             std::int64_t count) {
    const auto lines = [](auto L, auto seed, const Model& model, std::int64_t from, std::int64_t number) {
        return fmt::format("L: {}\nseed: {}\np_ferro: {}\nfirst_realization: {}\nrealizations: {}\n{}", L,
                           seed, model.p_ferro, from, number, model_lines(model));
    };
    check_existing_file(path, schema::disorder, [&](const InputFile& file) {
        if (!file.has_attribute(schema::seed))
            return std::string("its couplings were not drawn by gen-disorder");
        const std::int64_t L = file.integer_attribute(schema::size, 1, max_sites),
                           from = file.integer_attribute(schema::first_realization, 0, max_packs - 1);
        return other_lines(lines(L, file.unsigned_attribute(schema::seed), read_model(file), from,
                                 file.shape(schema::couplings).at(0)),
                           lines(law.L, law.seed, law.model, first, count));
    });
}

void write_disorder(const std::string& path, const CouplingsLaw& law, std::int64_t first, std::int64_t count,
                    const Provenance& provenance, int threads) {
    check_couplings_law(law, first, count);
    const int dimension = law.model.dimension;
    OutputFile file =
        start_file(path, first, count, dimension, law.L, law.model.has_absent_bonds(), provenance, threads);
    file.attribute(schema::seed, law.seed);
    file.attribute(schema::p_ferro, law.model.p_ferro);
    write_model(file, law.model);
    file.create<std::int8_t>(schema::couplings, couplings_shape(count, dimension, law.L));
    if (law.bonds() > max_bonds)
        write_large(file, law, first, count, threads);
    else
        write_whole(file, law, first, count, threads);
    file.commit();
}

void write_disorder(const std::string& path, const Disorder& disorder, const Provenance& provenance) {
    const auto& couplings = disorder.couplings;
    const bool absent = std::find(couplings.begin(), couplings.end(), 0) != couplings.end();
    OutputFile file = start_file(path, disorder.first, disorder.count, disorder.dimension, disorder.L, absent,
                                 provenance, 1);
    write_model(file, {.dimension = disorder.dimension});
    file.write(schema::couplings, couplings_shape(disorder.count, disorder.dimension, disorder.L), couplings);
    file.commit();
}

Disorder read_disorder(const std::string& path, int L, int share, const Model& model,
                       const std::optional<HeldLattice>& kept, int threads) {
    const InputFile file(path, schema::disorder, threads);
    if (file.has_attribute(schema::law))
        throw InputError(
            fmt::format("{} was drawn for the model {}, but the configuration has Ising spins with discrete "
                        "couplings; give the configuration that the disorder was drawn with, or draw other "
                        "disorder with gen-disorder",
                        path, file.text_attribute(schema::law)));
    Disorder disorder;
    disorder.L = L;
    disorder.dimension = model.dimension;
    disorder.first = file.integer_attribute(schema::first_realization, 0, max_packs - 1);
    try {
        check_first_realization(disorder.first, share);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: attribute {}: {}", path, schema::first_realization, error.what()));
    }
    check_couplings_shape(file, model.dimension, L);
    const std::vector<std::int64_t> shape = file.shape(schema::couplings);
    disorder.count = shape[0];
    if (disorder.first > max_packs - disorder.count) {
        throw InputError(
            fmt::format("{}: the file holds realizations {} to {}, beyond the last possible number {}", path,
                        disorder.first, disorder.first + disorder.count - 1, max_packs - 1));
    }
    check_attributes(file, disorder);
    if (file.has_attribute(schema::seed)) disorder.seed = file.unsigned_attribute(schema::seed);
    if (file.has_attribute(schema::p_ferro))
        disorder.p_ferro = file.real_attribute(schema::p_ferro, 0.0, 1.0);
    if (disorder.seed && disorder.p_ferro) disorder.model = read_model(file);
    CouplingsTaker(file, disorder, kept.value_or(HeldLattice{L, model.dimension == 3 ? L : 1}), threads)
        .take_all();
    return disorder;
}

}  // namespace psflip
