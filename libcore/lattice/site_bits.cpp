#include "lattice/site_bits.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "lattice/packing.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

constexpr std::int64_t word_bits = 64;

/// Calls f(canonical lattice, first site, end, index of that site in the piece) for the lattices of a piece
/// of the canonical array. The canonical lattice is an index in (replica, temperature, pack64).
template <class F>
void for_each_part(const Shape& shape, std::int64_t first, std::int64_t count, F f) {
    const std::int64_t sites = shape.sites();
    for (std::int64_t at = first; at < first + count;) {
        const std::int64_t site = at % sites, end = std::min(sites, site + first + count - at);
        f(at / sites, site, end, at - first);
        at += end - site;
    }
}

/// Returns the number of realizations of pack64 number `pack`, which starts at realization 64 pack.
std::int64_t used_in(const Shape& shape, std::int64_t pack) {
    return std::min<std::int64_t>(word_bits, shape.realizations - word_bits * pack);
}

/// Returns the index of the bits of the first realization of a canonical lattice.
std::int64_t first_bits(const Shape& shape, std::int64_t lattice) {
    return (lattice / shape.packs64() * shape.realizations + lattice % shape.packs64() * word_bits) *
           lattice_bit_words(shape);
}

}  // namespace

std::int64_t lattice_bit_words(const Shape& shape) {
    return shape.sites() / word_bits;
}

std::int64_t held_words(const Shape& shape) {
    if (!holds_site_bits(shape)) return shape.spin_words();
    return shape.realizations * shape.replicas * shape.temperatures * lattice_bit_words(shape);
}

std::int64_t lattice_bits_begin(const Shape& shape, int replica, int slot, std::int64_t realization) {
    return ((std::int64_t{replica} * shape.temperatures + slot) * shape.realizations + realization) *
           lattice_bit_words(shape);
}

void unpack_site_bits(const Shape& shape, std::span<const std::uint64_t> bits, std::int64_t first,
                      std::span<std::uint64_t> canonical) {
    std::ranges::fill(canonical, 0);
    for_each_part(shape, first, std::ssize(canonical), [&](auto lattice, auto begin, auto end, auto place) {
        const std::int64_t used = used_in(shape, lattice % shape.packs64());
        for (std::int64_t r = 0; r < used; ++r) {
            const std::uint64_t* const from =
                bits.data() + first_bits(shape, lattice) + r * lattice_bit_words(shape);
            std::uint64_t* to = canonical.data() + place;
            for (std::int64_t site = begin; site < end; site += word_bits)
                for (std::int64_t bit = 0, word = from[site / word_bits]; bit < word_bits; ++bit)
                    *to++ |= (static_cast<std::uint64_t>(word) >> bit & 1) << r;
        }
    });
}

void pack_site_bits(const Shape& shape, std::int64_t first, std::span<const std::uint64_t> canonical,
                    std::span<std::uint64_t> bits) {
    for_each_part(shape, first, std::ssize(canonical), [&](auto lattice, auto begin, auto end, auto place) {
        const std::int64_t used = used_in(shape, lattice % shape.packs64());
        for (std::int64_t r = 0; r < used; ++r) {
            std::uint64_t* const to = bits.data() + first_bits(shape, lattice) + r * lattice_bit_words(shape);
            const std::uint64_t* from = canonical.data() + place;
            for (std::int64_t site = begin; site < end; site += word_bits) {
                std::uint64_t word = 0;
                for (std::int64_t bit = 0; bit < word_bits; ++bit) word |= (*from++ >> r & 1) << bit;
                to[site / word_bits] |= word;
            }
        }
    });
}

std::vector<std::uint64_t> held_of(const Shape& shape, std::vector<std::uint64_t> canonical) {
    if (!holds_site_bits(shape)) return canonical;
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(held_words(shape)), 0);
    pack_site_bits(shape, 0, canonical, bits);
    return bits;
}

void for_each_spin_piece(const Shape& shape, const std::function<void(const Box&, std::int64_t)>& f) {
    for_each_piece(canonical_extents(shape), sizeof(std::uint64_t), spin_piece_words, f);
}

std::vector<std::uint64_t> read_held_spins(
    const Shape& shape, const std::function<std::vector<std::uint64_t>(const Box&)>& read) {
    const Extents extents = canonical_extents(shape);
    if (!holds_site_bits(shape)) return read({Extents(extents.size(), 0), extents});
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(held_words(shape)), 0);
    for_each_spin_piece(
        shape, [&](const Box& box, std::int64_t first) { pack_site_bits(shape, first, read(box), bits); });
    return bits;
}

/// Draws one random block for the 128 realizations of a column.
std::vector<std::uint64_t> random_held_spins(const Shape& shape, std::uint64_t key) {
    if (!holds_site_bits(shape)) return random_spins(shape, key);
    std::vector<std::uint64_t> bits(static_cast<std::size_t>(held_words(shape)));
    const std::int64_t words = lattice_bit_words(shape), first = shape.first_realization,
                       end = first + shape.realizations;
    const auto fill = [&](int replica, int slot, std::int64_t word) {
        std::uint64_t* const to = bits.data() + lattice_bits_begin(shape, replica, slot, 0) + word;
        for (std::int64_t bit = 0; bit < word_bits; ++bit) {
            const auto site = static_cast<std::uint32_t>(word * word_bits + bit);
            RandomBlock block{};
            for (std::int64_t r = first; r < end; ++r) {
                if (r == first || r % column_bits == 0)
                    block = philox(make_counter(Purpose::initial_spins, site, 0, slot, replica, 0,
                                                static_cast<std::uint32_t>(r / column_bits)),
                                   key);
                to[(r - first) * words] |= std::uint64_t{block.word[r / 32 % 4] >> r % 32 & 1u} << bit;
            }
        }
    };
    ThreadPool pool(0);
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (int slot = 0; slot < shape.temperatures; ++slot)
            share_out(pool, words, [&](std::int64_t begin, std::int64_t last) {
                for (std::int64_t word = begin; word < last; ++word) fill(replica, slot, word);
            });
    return bits;
}

std::vector<std::uint64_t> spins_up(const Shape& shape) {
    std::vector<std::uint64_t> spins(static_cast<std::size_t>(held_words(shape)), ~std::uint64_t{0});
    if (holds_site_bits(shape)) return spins;
    const std::int64_t packs = shape.packs64(), sites = shape.own_sites(),
                       last = shape.realizations - 64 * (packs - 1);
    for (std::int64_t i = 0; i < std::ssize(spins); ++i)
        if (i / sites % packs == packs - 1) spins[i] >>= 64 - last;
    return spins;
}

std::vector<std::uint64_t> last_slot(const Shape& shape, const std::vector<std::uint64_t>& held) {
    std::vector<std::uint64_t> last;
    const std::int64_t row = std::ssize(held) / shape.replicas / shape.temperatures;
    last.reserve(static_cast<std::size_t>(shape.replicas * row));
    for (std::int64_t a = 1; a <= shape.replicas; ++a) {
        const auto end = held.begin() + a * shape.temperatures * row;
        last.insert(last.end(), end - row, end);
    }
    return last;
}

}  // namespace psflip
