#include "lattice/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "base/thread_pool.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

/// Returns the number of threads for the spins of a batch; 0: all cores.
int threads_for(const Shape& shape) {
    constexpr std::int64_t words_worth_threads = 1 << 20;
    return shape.spin_words() >= words_worth_threads ? 0 : 1;
}

/// Computes the indices in memory of the sites of an array. Arrays have the axes (z, y, x) of whole lattices,
/// or (w, v, u) of the planes begin to end - 1 of a slab.
struct ArrayOrder {
    HeldLattice held;
    bool slab;
    int begin, end;

    static ArrayOrder own(const Shape& shape) {
        const HeldLattice held = HeldLattice::of(shape);
        return {held, shape.is_slab(), held.begin, held.end};
    }
    static ArrayOrder all_held(const Shape& shape) {
        const HeldLattice held = HeldLattice::of(shape);
        return {held, shape.is_slab(), 0, held.depth};
    }
    int planes() const { return end - begin; }
    std::int64_t sites() const { return std::int64_t{held.L} * held.L * planes(); }
    std::int64_t place(int x, int y, int plane) const {
        if (slab) return held.index(x, y, begin + plane);
        const Coordinates at = to_order(held.order, held.L, {x, y, plane});
        return held.index(at.x, at.y, at.z);
    }
    Coordinates site(int x, int y, int plane) const {
        return slab ? held.site(x, y, begin + plane) : Coordinates{x, y, plane};
    }
};

[[noreturn]] void bad_coupling(const Shape& shape, std::int64_t index, int value) {
    const ArrayOrder order = ArrayOrder::all_held(shape);
    const std::int64_t N = order.sites(), site = index % N, L = shape.L;
    const Coordinates at = order.site(static_cast<int>(site % L), static_cast<int>(site / L % L),
                                      static_cast<int>(site / L / L));
    const char axis = "xyz"[index / N % shape.dimension];
    throw InputError(
        fmt::format("the coupling of realization {} in direction {} at site ({}, {}, {}) is {}; couplings "
                    "are +1 or -1, or 0 for an absent bond",
                    shape.first_realization + index / N / shape.dimension, axis, at.x, at.y, at.z, value));
}

/// Collects the bonds of 64 realizations in one direction and plane, with a set bit if the coupling is
/// `wanted`. Returns the index of a coupling other than +1, -1 and 0, or -1.
std::int64_t pack_plane(const Shape& shape, std::span<const std::int8_t> couplings, int wanted,
                        std::int64_t pack, int direction, int plane, std::vector<std::uint64_t>& words) {
    const ArrayOrder order = ArrayOrder::all_held(shape);
    const std::int64_t N = order.sites(), L = shape.L, last = std::min(64 * pack + 64, shape.realizations);
    std::uint64_t* out = words.data() + CouplingLayout::of(shape).offset(pack / 2, direction, 0) + pack % 2;
    for (std::int64_t r = 64 * pack; r < last; ++r) {
        std::int64_t at = (r * shape.dimension + direction) * N + plane * L * L;
        for (int y = 0; y < L; ++y)
            for (int x = 0; x < L; ++x, ++at) {
                const std::int8_t J = couplings[static_cast<std::size_t>(at)];
                if (J < -1 || J > 1) return at;
                out[2 * order.place(x, y, plane)] |= std::uint64_t{J == wanted} << r % 64;
            }
    }
    return -1;
}

/// Returns words with a set bit for couplings that are `wanted`.
std::vector<std::uint64_t> pack_bonds(const Shape& shape, std::span<const std::int8_t> couplings,
                                      int wanted) {
    const std::int64_t bonds = shape.realizations * shape.dimension * shape.held_sites();
    if (static_cast<std::int64_t>(couplings.size()) != bonds)
        throw InputError(fmt::format("couplings hold {} bonds, but {} realizations of L = {} have {}",
                                     couplings.size(), shape.realizations, shape.L, bonds));
    ThreadPool many(0);
    auto words = large_zeros<std::uint64_t>(shape.columns() * CouplingLayout::of(shape).column_words(), many);
    std::atomic<std::int64_t> bad{-1};
    const int depth = shape.held_planes(), planes = shape.dimension * depth;
    many.for_each(shape.packs64() * planes, [&](std::int64_t task, int) {
        const auto plane = static_cast<int>(task % planes);
        const std::int64_t found =
            pack_plane(shape, couplings, wanted, task / planes, plane / depth, plane % depth, words);
        if (found >= 0) bad = found;
    });
    if (bad >= 0) bad_coupling(shape, bad, couplings[static_cast<std::size_t>(bad.load())]);
    return words;
}

/// Calls f(canonical offset, layout offset, pack) for every 64-bit word of the batch. A task is one plane of
/// the lattices of a column and replica, because these words share cache lines.
template <class F>
void for_each_word(const Shape& shape, const SpinLayout& layout, ThreadPool& pool, F f) {
    const ArrayOrder order = ArrayOrder::own(shape);
    const std::int64_t N = order.sites(), packs = shape.packs64(), columns = shape.columns(),
                       plane_sites = N / order.planes();
    const auto lattice_plane = [&](int replica, int slot, std::int64_t pack, int plane) {
        std::int64_t index =
            ((std::int64_t{replica} * shape.temperatures + slot) * packs + pack) * N + plane * plane_sites;
        for (int y = 0; y < order.held.L; ++y)
            for (int x = 0; x < order.held.L; ++x)
                f(index++, layout.offset(pack / 2, replica, slot, order.place(x, y, plane)) + pack % 2, pack);
    };
    pool.for_each(shape.replicas * columns * order.planes(), [&](std::int64_t task, int) {
        const auto plane = static_cast<int>(task % order.planes()),
                   replica = static_cast<int>(task / order.planes() / columns);
        const std::int64_t column = task / order.planes() % columns;
        for (int slot = 0; slot < shape.temperatures; ++slot)
            for (std::int64_t pack = 2 * column; pack < std::min(2 * column + 2, packs); ++pack)
                lattice_plane(replica, slot, pack, plane);
    });
}

/// Returns the bits of pack64 that belong to realizations.
std::uint64_t used_bits(const Shape& shape, std::int64_t pack) {
    const std::int64_t rest = shape.realizations - 64 * pack;
    return rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
}

}  // namespace

std::vector<std::uint64_t> pack_couplings(const Shape& shape, std::span<const std::int8_t> couplings) {
    return pack_bonds(shape, couplings, -1);
}

bool has_absent_bonds(std::span<const std::int8_t> couplings) {
    return !couplings.empty() && std::memchr(couplings.data(), 0, couplings.size()) != nullptr;
}

std::vector<std::int32_t> count_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings) {
    const std::int64_t plane = std::int64_t{shape.L} * shape.L;
    std::vector<std::int32_t> absent(shape.realizations, 0);
    for (std::int64_t r = 0; r < shape.realizations; ++r)
        for (int direction = 0; direction < shape.dimension; ++direction) {
            const auto own = couplings.begin() + (r * shape.dimension + direction) * shape.held_sites() +
                             shape.halo_planes() * plane;
            absent[r] += static_cast<std::int32_t>(std::count(own, own + shape.own_sites(), std::int8_t{0}));
        }
    return absent;
}

std::vector<std::uint64_t> pack_absent_bonds(const Shape& shape, std::span<const std::int8_t> couplings) {
    return pack_bonds(shape, couplings, 0);
}

std::vector<std::uint64_t> pack_spins(const Shape& shape, const SpinLayout& layout,
                                      const std::vector<std::uint64_t>& canonical) {
    if (static_cast<std::int64_t>(canonical.size()) != shape.spin_words())
        throw InputError(fmt::format("spins hold {} words of 64 realizations, but {} are expected",
                                     canonical.size(), shape.spin_words()));
    ThreadPool pool(threads_for(shape));
    auto words = large_zeros<std::uint64_t>(shape.columns() * layout.column_words(), pool);
    for_each_word(shape, layout, pool,
                  [&](std::int64_t from, std::int64_t to, std::int64_t) { words[to] = canonical[from]; });
    return words;
}

std::vector<std::uint64_t> unpack_spins(const Shape& shape, const SpinLayout& layout,
                                        const std::uint64_t* words) {
    ThreadPool pool(threads_for(shape));
    auto canonical = large_zeros<std::uint64_t>(shape.spin_words(), pool);
    for_each_word(shape, layout, pool, [&](std::int64_t to, std::int64_t from, std::int64_t pack) {
        canonical[to] = words[from] & used_bits(shape, pack);
    });
    return canonical;
}

std::vector<std::int64_t> canonical_extents(const Shape& shape) {
    std::vector<std::int64_t> extents{shape.replicas, shape.temperatures, shape.packs64()};
    if (shape.has_vectors())
        extents = {shape.replicas, shape.temperatures, shape.realizations, shape.components};
    extents.insert(extents.end(), shape.dimension, shape.L);
    return extents;
}

std::vector<std::uint64_t> random_spins(const Shape& shape, std::uint64_t key) {
    const ArrayOrder order = ArrayOrder::own(shape);
    const std::int64_t packs = shape.packs64(), L = shape.L;
    ThreadPool pool(0);
    auto canonical = large_zeros<std::uint64_t>(shape.spin_words(), pool);
    const auto group32 = [&](std::int64_t site, int slot, int replica, std::int64_t group) {
        const Counter counter = make_counter(Purpose::initial_spins, static_cast<std::uint32_t>(site), 0,
                                             slot, replica, 0, static_cast<std::uint32_t>(group / 4));
        return std::uint64_t{philox(counter, key).word[group % 4]};
    };
    const auto fill_plane = [&](std::int64_t lattice, int plane) {
        const std::int64_t pack = lattice % packs, group = shape.first_realization / 32 + 2 * pack;
        const int slot = static_cast<int>(lattice / packs % shape.temperatures);
        const int replica = static_cast<int>(lattice / packs / shape.temperatures);
        std::uint64_t* to = canonical.data() + (lattice * order.planes() + plane) * L * L;
        for (int y = 0; y < shape.L; ++y)
            for (int x = 0; x < shape.L; ++x) {
                const Coordinates at = order.site(x, y, plane);
                const std::int64_t site = at.x + L * (at.y + L * at.z);
                *to++ =
                    (group32(site, slot, replica, group) | group32(site, slot, replica, group + 1) << 32) &
                    used_bits(shape, pack);
            }
    };
    const std::int64_t lattices = std::int64_t{shape.replicas} * shape.temperatures * packs;
    pool.for_each(lattices * order.planes(), [&](std::int64_t task, int) {
        fill_plane(task / order.planes(), static_cast<int>(task % order.planes()));
    });
    return canonical;
}

}  // namespace psflip
