#include "run/slab_spins.hpp"

#include <algorithm>
#include <exception>

#include "io/datasets.hpp"
#include "lattice/packing.hpp"
#include "lattice/plane_map.hpp"
#include "lattice/site_bits.hpp"
#include "run/vector_spins.hpp"
#include "slab/agreement.hpp"
#include "sweep/sites/large_lattice.hpp"

namespace psflip {
namespace {

/// So few realizations are worth deflating: 6 of the 8 bytes of a word, or more, are 0.
constexpr std::int64_t few_realizations = 16;

std::int64_t words_in(const Box& box) {
    std::int64_t words = 1;
    for (const std::int64_t count : box.count) words *= count;
    return words;
}

/// Planes of lattices that follow one another: numbers first, first + 1, ... of the planes (lattice, z) of an
/// array of whole lattices.
struct PlaneRun {
    std::int64_t first, count;
};

PlaneRun planes_of(const Shape& shape, const Box& box, std::int64_t first_word) {
    const std::int64_t plane = std::int64_t{shape.L} * shape.L;
    return {first_word / plane, words_in(box) / plane};
}

/// Calls f(word among those of the slab, word among those of the planes) for the planes' sites of the slab.
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
    return static_cast<std::size_t>(words) * sizeof(std::uint64_t);
}

/// The words of those planes on rank 0, empty elsewhere.
std::vector<std::uint64_t> gather_planes(const std::vector<Shape>& slabs, const PlaneRun& planes,
                                         const std::vector<std::uint64_t>& spins, Ranks& ranks) {
    std::vector<std::uint64_t> mine, all, words;
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

/// read(box) gives a part of whole lattices.
template <class Read>
std::vector<std::uint64_t> read_own(const Shape& shape, const Read& read) {
    if (!shape.is_slab()) return read_held_spins(shape, read);
    std::vector<std::uint64_t> spins(static_cast<std::size_t>(shape.spin_words()));
    for_each_box(canonical_extents(shape), spin_piece_words, [&](const Box& box, std::int64_t first) {
        const PlaneRun planes = planes_of(shape, box, first);
        if (bytes_of(shape, planes) == 0) return;
        const std::vector<std::uint64_t> words = read(box);
        for_each_own_word(shape, planes, [&](std::int64_t i, std::int64_t j) { spins[i] = words[j]; });
    });
    return spins;
}

}  // namespace

Shape slab_of(Shape whole, int rank, int ranks) {
    if (ranks == 1) return whole;
    if (whole.coding == Lanes::sites) check_site_ranks({whole.dimension, whole.L}, whole.tile, ranks);
    const SlabPlanes planes = planes_of_rank(whole.L, rank, ranks);
    whole.first_plane = planes.first;
    whole.slab_planes = planes.count;
    return whole;
}

Storage spin_storage(const Shape& shape) {
    return holds_site_bits(shape) && shape.realizations <= few_realizations ? Storage::deflated
                                                                            : Storage::plain;
}

void gather_spins(const Shape& shape, const std::vector<std::uint64_t>& spins, Ranks& ranks,
                  const std::function<void(const Box&, std::span<const std::uint64_t>)>& take) {
    const Extents extents = canonical_extents(shape);
    if (holds_site_bits(shape))
        return first_does(ranks, [&] {
            std::vector<std::uint64_t> words;
            for_each_spin_piece(shape, [&](const Box& box, std::int64_t first) {
                words.resize(static_cast<std::size_t>(words_in(box)));
                unpack_site_bits(shape, spins, first, words);
                take(box, words);
            });
        });
    if (!shape.is_slab())
        return first_does(ranks, [&] { take({Extents(extents.size(), 0), extents}, spins); });
    std::vector<Shape> slabs;
    for (int rank = 0; rank < ranks.size(); ++rank) slabs.push_back(slab_of(shape, rank, ranks.size()));
    std::exception_ptr failure;  // the other ranks send all the same
    for_each_box(extents, spin_piece_words, [&](const Box& box, std::int64_t first) {
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

void write_spins(OutputFile* file, const std::string& dataset, const Shape& shape, const Spins& spins,
                 Ranks& ranks) {
    if (shape.has_vectors())
        return first_does(ranks, [&] { write_vectors(*file, dataset, shape, spins.vectors); });
    if (!shape.is_slab() && !holds_site_bits(shape))
        return first_does(
            ranks, [&] { file->write(dataset, canonical_extents(shape), spins.bits, Storage::plain); });
    first_does(ranks,
               [&] { file->create<std::uint64_t>(dataset, canonical_extents(shape), spin_storage(shape)); });
    gather_spins(shape, spins.bits, ranks, [&](const Box& box, std::span<const std::uint64_t> words) {
        file->write_box(dataset, box, words.data());
    });
}

void write_spins_row(OutputFile* file, const std::string& dataset, std::int64_t row, const Shape& shape,
                     const Spins& spins, Ranks& ranks) {
    if (shape.has_vectors())
        return first_does(ranks, [&] { write_vectors_row(*file, dataset, row, shape, spins.vectors); });
    gather_spins(shape, spins.bits, ranks, [&](const Box& box, std::span<const std::uint64_t> words) {
        file->write_box(dataset, in_row(row, box), words.data());
    });
}

Spins read_spins(const InputFile& file, const std::string& dataset, const Shape& shape,
                 std::optional<std::int64_t> row) {
    if (shape.has_vectors()) return {.vectors = read_vectors(file, dataset, shape, row)};
    return {.bits = read_own(shape, [&](const Box& box) {
                return file.read_box<std::uint64_t>(dataset, row ? in_row(*row, box) : box).data;
            })};
}

}  // namespace psflip
