#include "run/slab_spins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "base/error.hpp"
#include "io/datasets.hpp"
#include "lattice/packing.hpp"
#include "lattice/plane_map.hpp"
#include "lattice/site_bits.hpp"
#include "slab/agreement.hpp"
#include "sweep/sites/large_lattice.hpp"

namespace psflip {
namespace {

/// With so few realizations, 6 of the 8 bytes of a word, or more, are 0 and deflate well.
constexpr std::int64_t few_realizations = 16;
constexpr double length_tolerance = 1e-3;  // of squares of vectors

std::int64_t words_in(const Box& box) {
    std::int64_t words = 1;
    for (const std::int64_t count : box.count) words *= count;
    return words;
}

/// Consecutive planes, first, first + 1, ..., among the planes (lattice, z) of an array of whole lattices.
struct PlaneRun {
    std::int64_t first, count;
};

PlaneRun planes_of(const Shape& shape, const Box& box, std::int64_t first_word) {
    const std::int64_t plane = std::int64_t{shape.L} * shape.L;
    return {first_word / plane, words_in(box) / plane};
}

/// Calls f(index in the slab, index in the planes) for the sites of the planes that belong to the slab.
template <class F>
void for_each_own_word(const Shape& slab, const PlaneRun& planes, F f) {
    const HeldLattice own = own_lattice(slab);
    const std::int64_t plane_sites = std::int64_t{slab.L} * slab.L;
    for (std::int64_t p = 0; p < planes.count; ++p) {
        const std::int64_t lattice = (planes.first + p) / slab.depth() * slab.own_sites();
        for_each_of_plane_z(own, static_cast<int>((planes.first + p) % slab.depth()),
                            [&](std::int64_t i, std::int64_t j) { f(lattice + i, p * plane_sites + j); });
    }
}

std::size_t bytes_of(const Shape& slab, const PlaneRun& planes) {
    const HeldLattice own = own_lattice(slab);
    std::int64_t words = 0;
    for (std::int64_t p = 0; p < planes.count; ++p)
        words += sites_of_plane_z(own, static_cast<int>((planes.first + p) % slab.depth()));
    static_assert(sizeof(std::uint64_t) == sizeof(double));
    return static_cast<std::size_t>(words) * sizeof(std::uint64_t);
}

/// Returns the words of these planes on rank 0, and nothing on other ranks.
template <class Word>
std::vector<Word> gather_planes(const std::vector<Shape>& slabs, const PlaneRun& planes,
                                const std::vector<Word>& spins, Ranks& ranks) {
    std::vector<Word> mine, all, words;
    for_each_own_word(slabs[static_cast<std::size_t>(ranks.rank())], planes,
                      [&](std::int64_t i, std::int64_t) { mine.push_back(spins[i]); });
    std::vector<std::size_t> sizes;
    for (const Shape& slab : slabs) sizes.push_back(bytes_of(slab, planes));
    if (ranks.is_first()) {
        words.resize(static_cast<std::size_t>(planes.count * slabs[0].L * slabs[0].L));
        all.resize(words.size());
    }
    ranks.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)), sizes);
    auto next = all.begin();
    if (ranks.is_first())
        for (const Shape& slab : slabs)
            for_each_own_word(slab, planes, [&](std::int64_t, std::int64_t j) { words[j] = *next++; });
    return words;
}

/// Returns the words of a slab; read(box) gives words of whole lattices.
template <class Word, class Read>
std::vector<Word> read_slab(const Shape& shape, const Read& read) {
    std::vector<Word> spins(static_cast<std::size_t>(shape.spin_words()));
    for_each_box(canonical_extents(shape), spin_piece_words, [&](const Box& box, std::int64_t first) {
        const PlaneRun planes = planes_of(shape, box, first);
        if (bytes_of(shape, planes) == 0) return;
        const std::vector<Word> words = read(box);
        for_each_own_word(shape, planes, [&](std::int64_t i, std::int64_t j) { spins[i] = words[j]; });
    });
    return spins;
}

/// Checks the lengths of the own spins, (lattice, component, own site).
void check_lengths(const InputFile& file, const std::string& dataset, const std::vector<double>& numbers,
                   const Shape& shape) {
    const auto sites = static_cast<std::size_t>(shape.own_sites());
    const std::size_t lattice = sites * static_cast<std::size_t>(shape.components);
    for (std::size_t first = 0; first < numbers.size(); first += lattice)
        for (std::size_t i = first; i < first + sites; ++i) {
            double square = 0.0;
            for (std::size_t at = i; at < first + lattice; at += sites) square += numbers[at] * numbers[at];
            if (!(std::abs(square - 1.0) < length_tolerance))
                throw InputError(fmt::format(
                    "{}: dataset {} holds a spin of length {} (its first component is number {}); "
                    "spins have length 1",
                    file.path(), dataset, std::sqrt(square),
                    first / sites * static_cast<std::size_t>(shape.sites()) +
                        static_cast<std::size_t>(shape.first_plane) * shape.L * shape.L + i - first));
        }
}

void check_precision(const InputFile& file, const std::string& dataset, const std::vector<double>& numbers,
                     const Shape& shape) {
    const auto longer = [](double x) { return static_cast<double>(static_cast<float>(x)) != x; };
    if (shape.form == SpinForm::floats && std::ranges::any_of(numbers, longer))
        throw InputError(
            fmt::format("{}: dataset {} holds numbers that single precision cannot hold; set "
                        "dynamics.precision to double",
                        file.path(), dataset));
}

/// Returns the box of all spins.
Box whole_box(const Shape& shape) {
    const Extents extents = canonical_extents(shape);
    return {Extents(extents.size(), 0), extents};
}

/// Reads the vector spins of a slab or of whole lattices; read(box) gives numbers of whole lattices.
template <class Read>
std::vector<double> read_vectors(const InputFile& file, const std::string& dataset, const Shape& shape,
                                 const Read& read) {
    std::vector<double> numbers = shape.is_slab() ? read_slab<double>(shape, read) : read(whole_box(shape));
    check_lengths(file, dataset, numbers, shape);
    check_precision(file, dataset, numbers, shape);
    return numbers;
}

/// See gather_spins; for whole lattices in memory, there is one box.
template <class Word>
void gather_slabs(const Shape& shape, const std::vector<Word>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const Word>)>& take) {
    if (!shape.is_slab()) return first_does(ranks, [&] { take(whole_box(shape), spins); });
    std::vector<Shape> slabs;
    for (int rank = 0; rank < ranks.size(); ++rank) slabs.push_back(slab_of(shape, rank, ranks.size()));
    std::exception_ptr failure;  // the other ranks still send their planes
    for_each_box(canonical_extents(shape), spin_piece_words, [&](const Box& box, std::int64_t first) {
        const auto words = gather_planes(slabs, planes_of(shape, box, first), spins, ranks);
        if (!ranks.is_first() || failure) return;
        try {
            take(box, words);
        } catch (...) {
            failure = std::current_exception();
        }
    });
    first_does(ranks, [&] {
        if (failure) std::rethrow_exception(failure);
    });
}

}  // namespace

Shape slab_of(Shape whole, int rank, int ranks) {
    if (ranks == 1) return whole;
    if (whole.coding == Lanes::sites) check_site_ranks({whole.dimension, whole.L}, whole.tile, ranks);
    if (share_sweeps_only(whole)) return whole;
    const SlabPlanes planes = planes_of_rank(whole.L, rank, ranks);
    whole.first_plane = planes.first;
    whole.slab_planes = planes.count;
    return whole;
}

void gather_spins(const Shape& shape, const std::vector<std::uint64_t>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const std::uint64_t>)>& take) {
    if (holds_site_bits(shape))
        return first_does(ranks, [&] {
            std::vector<std::uint64_t> words;
            for_each_spin_piece(shape, [&](const Box& box, std::int64_t first) {
                words.resize(static_cast<std::size_t>(words_in(box)));
                unpack_site_bits(shape, spins, first, words);
                take(box, words);
            });
        });
    gather_slabs(shape, spins, ranks, take);
}

void gather_spins(const Shape& shape, const std::vector<double>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const double>)>& take) {
    gather_slabs(shape, spins, ranks, take);
}

void create_spins(OutputFile& file, const std::string& dataset, const Shape& shape,
                  std::optional<std::int64_t> rows) {
    Extents extents = canonical_extents(shape);
    if (rows) extents.insert(extents.begin(), *rows);
    if (shape.form == SpinForm::floats)
        file.create<float>(dataset, extents, Storage::plain);
    else if (shape.form == SpinForm::doubles)
        file.create<double>(dataset, extents, Storage::plain);
    else
        file.create<std::uint64_t>(dataset, extents,
                                   holds_site_bits(shape) && shape.realizations <= few_realizations
                                       ? Storage::deflated
                                       : Storage::plain);
}

void write_spins(OutputFile* file, const std::string& dataset, const Shape& shape, const Spins& spins,
                 Ranks& ranks, std::optional<std::int64_t> row) {
    const auto in_dataset = [row](const Box& box) { return row ? in_row(*row, box) : box; };
    if (!shape.has_vectors())
        return gather_spins(shape, spins.bits, ranks,
                            [&](const Box& box, std::span<const std::uint64_t> words) {
                                file->write_box(dataset, in_dataset(box), words.data());
                            });
    gather_spins(shape, spins.vectors, ranks, [&](const Box& box, std::span<const double> numbers) {
        if (shape.form == SpinForm::floats)
            file->write_box(dataset, in_dataset(box),
                            std::vector<float>(numbers.begin(), numbers.end()).data());
        else
            file->write_box(dataset, in_dataset(box), numbers.data());
    });
}

Spins read_spins(const InputFile& file, const std::string& dataset, const Shape& shape,
                 std::optional<std::int64_t> row) {
    const auto in_dataset = [row](const Box& box) { return row ? in_row(*row, box) : box; };
    Extents extents = canonical_extents(shape);
    if (row) extents.insert(extents.begin(), -1);
    file.require_shape(dataset, extents);
    if (shape.has_vectors())
        return {.vectors = read_vectors(file, dataset, shape, [&](const Box& box) {
                    return file.read_box<double>(dataset, in_dataset(box)).data;
                })};
    const auto read = [&](const Box& box) {
        return file.read_box<std::uint64_t>(dataset, in_dataset(box)).data;
    };
    return {.bits = shape.is_slab() ? read_slab<std::uint64_t>(shape, read) : read_held_spins(shape, read)};
}

}  // namespace psflip
