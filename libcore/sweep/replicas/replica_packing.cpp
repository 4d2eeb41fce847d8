#include "sweep/replicas/replica_packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"

namespace psflip {
namespace {

static_assert(std::endian::native == std::endian::little, "words of 64 lanes are two of 32 lanes");

/// Transposes 32 x 32 bits: bit j of number i and bit i of number j change places.
void transpose(std::uint32_t (&x)[32]) {
    std::uint32_t mask = 0x0000FFFFu;
    for (int width = 16; width > 0; width /= 2, mask ^= mask << width)
        for (int i = 0; i < 32; i = (i + width + 1) & ~width) {
            const std::uint32_t change = (x[i] >> width ^ x[i + width]) & mask;
            x[i + width] ^= change;
            x[i] ^= change << width;
        }
}

/// Makes words of 32 realizations, one for each lane, from words of 32 lanes of `count` realizations.
void realizations_of_lanes(const std::uint32_t* words, std::int64_t stride, int count,
                           std::uint32_t (&lanes)[32]) {
    constexpr int few = 4;
    std::fill(std::begin(lanes), std::end(lanes), 0u);
    if (count > few) {
        for (int r = 0; r < count; ++r) lanes[r] = words[r * stride];
        return transpose(lanes);
    }
    for (int r = 0; r < count; ++r) {
        const std::uint32_t word = words[r * stride];
        for (std::uint32_t lane = 0; lane < 32; ++lane) lanes[lane] |= (word >> lane & 1u) << r;
    }
}

/// Words of 32 realizations elsewhere in memory: the word of a lane and site lies at first[lane] + step *
/// site.
struct Elsewhere {
    std::vector<std::int64_t> first;
    int step;
};

/// 32 consecutive realizations, or fewer at the end of a batch.
struct Quarter {
    std::int64_t number;
    int count;
};

std::int64_t quarters(const Shape& shape) {
    return (shape.realizations + 31) / 32;
}

/// Calls task(quarter, v, w) for all quarters and the rows of planes begin, ..., end - 1, on all threads.
template <class Task>
void for_each_row(const Shape& shape, int begin, int end, ThreadPool& pool, const Task& task) {
    const std::int64_t L = shape.L, rows = L * (end - begin);
    pool.for_each(quarters(shape) * rows, [&](std::int64_t i, int) {
        const std::int64_t quarter = i / rows, row = i % rows;
        task(
            Quarter{quarter, static_cast<int>(std::min<std::int64_t>(32, shape.realizations - 32 * quarter))},
            static_cast<int>(row % L), begin + static_cast<int>(row / L));
    });
}

/// Returns where words lie in the canonical array.
Elsewhere canonical_words(const Shape& shape, std::int64_t quarter) {
    Elsewhere words{{}, 2};
    for (int lane = 0; lane < shape.replicas * shape.temperatures; ++lane)
        words.first.push_back(2 * (lane * shape.packs64() + quarter / 2) * shape.own_sites() + quarter % 2);
    return words;
}

/// Returns where words lie among words of realizations.
Elsewhere column_words(const Shape& shape, const SpinLayout& layout, std::int64_t quarter) {
    Elsewhere words{{}, 4 * layout.group};
    for (int lane = 0; lane < shape.replicas * shape.temperatures; ++lane)
        words.first.push_back(
            2 * layout.offset(quarter / 4, lane / shape.temperatures, lane % shape.temperatures, 0) +
            quarter % 4);
    return words;
}

/// Copies the words at `offset` of a quarter to words of realizations, at number `site`.
void site_to(const ReplicaLayout& layout, const std::uint32_t* words, const Quarter& quarter,
             std::int64_t offset, std::uint32_t* to, const Elsewhere& where, std::int64_t site) {
    std::uint32_t lanes[32];
    for (int word = 0; word < layout.words(); ++word) {
        realizations_of_lanes(words + 32 * quarter.number * layout.lattice_words() + offset + word,
                              layout.lattice_words(), quarter.count, lanes);
        const int used = std::min(32, layout.lanes() - 32 * word);
        for (int lane = 0; lane < used; ++lane)
            to[where.first[32 * word + lane] + where.step * site] = lanes[lane];
    }
}

void site_from(const ReplicaLayout& layout, std::uint32_t* words, const Quarter& quarter, std::int64_t offset,
               const std::uint32_t* from, const Elsewhere& where, std::int64_t site) {
    for (int word = 0; word < layout.words(); ++word) {
        std::uint32_t lanes[32] = {};
        const int used = std::min(32, layout.lanes() - 32 * word);
        for (int lane = 0; lane < used; ++lane)
            lanes[lane] = from[where.first[32 * word + lane] + where.step * site];
        transpose(lanes);
        for (int r = 0; r < quarter.count; ++r)
            words[(32 * quarter.number + r) * layout.lattice_words() + offset + word] = lanes[r];
    }
}

/// Returns make(quarter) of all quarters.
template <class Make>
std::vector<Elsewhere> of_quarters(const Shape& shape, const Make& make) {
    std::vector<Elsewhere> all;
    for (std::int64_t quarter = 0; quarter < quarters(shape); ++quarter) all.push_back(make(quarter));
    return all;
}

}  // namespace

void pack_replica_spins(const Shape& shape, const std::vector<std::uint64_t>& canonical, std::uint32_t* words,
                        ThreadPool& pool) {
    if (static_cast<std::int64_t>(canonical.size()) != shape.spin_words())
        throw InputError(fmt::format("spins hold {} words of 64 realizations, but {} are expected",
                                     canonical.size(), shape.spin_words()));
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const HeldLattice held = HeldLattice::of(shape);
    const std::int64_t L = shape.L;
    const auto where = of_quarters(shape, [&](auto quarter) { return canonical_words(shape, quarter); });
    const auto* from = reinterpret_cast<const std::uint32_t*>(canonical.data());
    for_each_row(shape, held.begin, held.end, pool, [&](const Quarter& quarter, int v, int w) {
        for (int u = 0; u < L; ++u)
            site_from(layout, words, quarter, layout.offset(u, v, w), from, where[quarter.number],
                      u + L * (v + L * (w - held.begin)));
    });
}

std::vector<std::uint64_t> unpack_replica_spins(const Shape& shape, const std::uint32_t* words,
                                                ThreadPool& pool) {
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const HeldLattice held = HeldLattice::of(shape);
    const std::int64_t L = shape.L;
    std::vector<std::uint64_t> canonical(shape.spin_words());
    const auto where = of_quarters(shape, [&](auto quarter) { return canonical_words(shape, quarter); });
    auto* to = reinterpret_cast<std::uint32_t*>(canonical.data());
    for_each_row(shape, held.begin, held.end, pool, [&](const Quarter& quarter, int v, int w) {
        for (int u = 0; u < L; ++u)
            site_to(layout, words, quarter, layout.offset(u, v, w), to, where[quarter.number],
                    u + L * (v + L * (w - held.begin)));
    });
    return canonical;
}

void replica_spins_to_columns(const Shape& shape, const std::uint32_t* words, int group,
                              std::uint64_t* columns, ThreadPool& pool) {
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const HeldLattice held = HeldLattice::of(shape);
    const SpinLayout column_layout = SpinLayout::of(shape, group);
    const auto where =
        of_quarters(shape, [&](auto quarter) { return column_words(shape, column_layout, quarter); });
    auto* to = reinterpret_cast<std::uint32_t*>(columns);
    for_each_row(shape, 0, held.depth, pool, [&](const Quarter& quarter, int v, int w) {
        for (int u = 0; u < shape.L; ++u)
            site_to(layout, words, quarter, layout.offset(u, v, w), to, where[quarter.number],
                    held.index(u, v, w));
    });
}

CpuHalo::Memory replica_plane_memory(const Shape& shape, std::uint32_t* words) {
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const HeldLattice held = HeldLattice::of(shape);
    constexpr std::int64_t word = sizeof *words;
    return {reinterpret_cast<std::byte*>(words),
            shape.realizations,
            word * layout.lattice_words(),
            held.begin,
            held.end,
            [layout](int colour, int plane) {
                return CpuHalo::Memory::Part{word * layout.row(colour, layout.L * plane),
                                             word * layout.L * layout.row_stride()};
            }};
}

namespace {

/// Calls to(realization, colour, row, site of the row, k) for all bonds that are `wanted`, in direction k.
template <class To>
void for_each_bond(const Shape& shape, std::span<const std::int8_t> couplings, int wanted, ThreadPool& pool,
                   const To& to) {
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const int L = shape.L, depth = layout.depth, dimension = shape.dimension;
    const std::int64_t sites = shape.held_sites();
    const auto coupling = [&](std::int64_t r, int axis, int u, int v, int w) {
        return couplings[(r * dimension + axis) * sites + (u + L) % L +
                         L * ((v + L) % L + std::int64_t{L} * ((w + depth) % depth))];
    };
    pool.for_each(shape.realizations * 2 * layout.rows(), [&](std::int64_t task, int) {
        const std::int64_t r = task / 2 / layout.rows();
        const auto number = static_cast<int>(task / 2 % layout.rows()), colour = static_cast<int>(task % 2);
        const int v = number % L, w = number / L;
        const bool next = ReplicaLayout::other_is_next(colour, v, w);
        for (int h = 0; h < L / 2; ++h) {
            const int u = 2 * h + (next ? 1 : 0);
            const std::int8_t plus = coupling(r, 0, u, v, w), minus = coupling(r, 0, u - 1, v, w);
            std::int8_t J[6] = {next ? minus : plus, next ? plus : minus, coupling(r, 1, u, v, w),
                                coupling(r, 1, u, v - 1, w)};
            if (dimension == 3) {
                J[4] = coupling(r, 2, u, v, w);
                J[5] = coupling(r, 2, u, v, w - 1);
            }
            for (int k = 0; k < layout.degree(); ++k)
                if (J[k] == wanted) to(r, colour, number, h, k);
        }
    });
}

}  // namespace

AlignedVector<std::uint16_t> pack_replica_bonds(const Shape& shape, std::span<const std::int8_t> couplings,
                                                int wanted, ThreadPool& pool) {
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const int words = layout.words();
    AlignedVector<std::uint16_t> bits(shape.realizations * layout.bond_units(), 0);
    for_each_bond(shape, couplings, wanted, pool, [&](std::int64_t r, int colour, int number, int h, int k) {
        std::uint16_t* row = bits.data() + r * layout.bond_units() + layout.bond_row(colour, number);
        for (int i = h * words; i < (h + 1) * words; ++i)
            row[i / 16 * layout.degree() + k] |= static_cast<std::uint16_t>(1u << i % 16);
    });
    return bits;
}

std::vector<std::uint8_t> pack_replica_bond_bytes(const Shape& shape, std::span<const std::int8_t> couplings,
                                                  int wanted, ThreadPool& pool) {
    const ReplicaLayout layout = ReplicaLayout::of(shape);
    const int words = layout.words();
    std::vector<std::uint8_t> bytes(shape.realizations * layout.lattice_words(), 0);
    for_each_bond(shape, couplings, wanted, pool, [&](std::int64_t r, int colour, int number, int h, int k) {
        std::uint8_t* row = bytes.data() + r * layout.lattice_words() + layout.row(colour, number);
        for (int i = h * words; i < (h + 1) * words; ++i) row[i] |= static_cast<std::uint8_t>(1u << k);
    });
    return bytes;
}

}  // namespace psflip
