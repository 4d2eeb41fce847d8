#include "lattice/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "random/philox.hpp"

namespace psflip {
namespace {

/// Calls f(standard index, checkerboard index) for all sites, standard order.
template <class F>
void for_each_site(const Shape& shape, F f) {
    const Checkerboard order{shape.L, shape.depth()};
    std::int64_t standard = 0;
    for (int z = 0; z < shape.depth(); ++z)
        for (int y = 0; y < shape.L; ++y)
            for (int x = 0; x < shape.L; ++x) f(standard++, order.index(x, y, z));
}

[[noreturn]] void bad_coupling(const Shape& shape, std::int64_t index, int value) {
    const std::int64_t N = shape.sites(), site = index % N;
    const char axis = "xyz"[index / N % shape.dimension];
    throw InputError(
        fmt::format("coupling of realization {} in direction {} at site ({}, {}, {}) is {}; couplings are +1 "
                    "or -1, or 0 where a bond is absent",
                    shape.first_realization + index / N / shape.dimension, axis, site % shape.L,
                    site / shape.L % shape.L, site / shape.L / shape.L, value));
}

CouplingLayout coupling_layout(const Shape& shape) {
    return {shape.L, shape.dimension};
}

/// The bonds of 64 realizations in one direction and plane z: bit 1 where the coupling is `wanted`. Returns
/// the index of one that is not +1, -1 or 0, or -1 where all are.
std::int64_t pack_plane(const Shape& shape, const std::vector<std::int8_t>& couplings, int wanted,
                        std::int64_t pack, int direction, int z, std::vector<std::uint64_t>& words) {
    const std::int64_t N = shape.sites(), L = shape.L, last = std::min(64 * pack + 64, shape.realizations);
    const Checkerboard order{shape.L, shape.depth()};
    std::uint64_t* out = words.data() + coupling_layout(shape).offset(pack / 2, direction, 0) + pack % 2;
    for (std::int64_t r = 64 * pack; r < last; ++r) {
        std::int64_t at = (r * shape.dimension + direction) * N + z * L * L;
        for (int y = 0; y < L; ++y)
            for (int x = 0; x < L; ++x, ++at) {
                const std::int8_t J = couplings[static_cast<std::size_t>(at)];
                if (J < -1 || J > 1) return at;
                out[2 * order.index(x, y, z)] |= std::uint64_t{J == wanted} << r % 64;
            }
    }
    return -1;
}

/// Words with bit 1 where the coupling is `wanted`.
std::vector<std::uint64_t> pack_bonds(const Shape& shape, const std::vector<std::int8_t>& couplings,
                                      int wanted) {
    const std::int64_t bonds = shape.realizations * shape.dimension * shape.sites();
    if (static_cast<std::int64_t>(couplings.size()) != bonds)
        throw InputError(fmt::format("couplings hold {} bonds, but {} realizations of L = {} have {}",
                                     couplings.size(), shape.realizations, shape.L, bonds));
    std::vector<std::uint64_t> words(shape.columns() * coupling_layout(shape).column_words(), 0);
    std::atomic<std::int64_t> bad{-1};
    const int depth = shape.depth(), planes = shape.dimension * depth;
    ThreadPool(0).for_each(shape.packs64() * planes, [&](std::int64_t task, int) {
        const auto plane = static_cast<int>(task % planes);
        const std::int64_t found =
            pack_plane(shape, couplings, wanted, task / planes, plane / depth, plane % depth, words);
        if (found >= 0) bad = found;
    });
    if (bad >= 0) bad_coupling(shape, bad, couplings[static_cast<std::size_t>(bad.load())]);
    return words;
}

/// Calls f(canonical offset, layout offset) for every 64-bit word of the batch.
template <class F>
void for_each_word(const Shape& shape, const SpinLayout& layout, F f) {
    const std::int64_t N = shape.sites(), packs = shape.packs64();
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (int slot = 0; slot < shape.temperatures; ++slot)
            for (std::int64_t pack = 0; pack < packs; ++pack) {
                const std::int64_t canonical =
                    ((static_cast<std::int64_t>(replica) * shape.temperatures + slot) * packs + pack) * N;
                for_each_site(shape, [&](std::int64_t standard, std::int64_t site) {
                    f(canonical + standard, layout.offset(pack / 2, replica, slot, site) + pack % 2, pack);
                });
            }
}

/// Bits of pack64 that belong to realizations.
std::uint64_t used_bits(const Shape& shape, std::int64_t pack) {
    const std::int64_t rest = shape.realizations - 64 * pack;
    return rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
}

}  // namespace

std::vector<std::uint64_t> pack_couplings(const Shape& shape, const std::vector<std::int8_t>& couplings) {
    return pack_bonds(shape, couplings, -1);
}

bool has_absent_bonds(const std::vector<std::int8_t>& couplings) {
    return std::find(couplings.begin(), couplings.end(), std::int8_t{0}) != couplings.end();
}

std::vector<std::uint64_t> pack_absent_bonds(const Shape& shape, const std::vector<std::int8_t>& couplings) {
    return pack_bonds(shape, couplings, 0);
}

std::vector<std::uint64_t> pack_spins(const Shape& shape, const SpinLayout& layout,
                                      const std::vector<std::uint64_t>& canonical) {
    if (static_cast<std::int64_t>(canonical.size()) != shape.spin_words())
        throw InputError(fmt::format("spins hold {} words of 64 realizations, expected {}", canonical.size(),
                                     shape.spin_words()));
    std::vector<std::uint64_t> words(shape.columns() * layout.column_words(), 0);
    for_each_word(shape, layout,
                  [&](std::int64_t from, std::int64_t to, std::int64_t) { words[to] = canonical[from]; });
    return words;
}

std::vector<std::uint64_t> unpack_spins(const Shape& shape, const SpinLayout& layout,
                                        const std::uint64_t* words) {
    std::vector<std::uint64_t> canonical(shape.spin_words());
    for_each_word(shape, layout, [&](std::int64_t to, std::int64_t from, std::int64_t pack) {
        canonical[to] = words[from] & used_bits(shape, pack);
    });
    return canonical;
}

std::vector<std::int64_t> canonical_extents(const Shape& shape) {
    std::vector<std::int64_t> extents{shape.replicas, shape.temperatures, shape.packs64()};
    extents.insert(extents.end(), shape.dimension, shape.L);
    return extents;
}

std::vector<std::uint64_t> random_spins(const Shape& shape, std::uint64_t key) {
    const std::int64_t N = shape.sites(), packs = shape.packs64();
    std::vector<std::uint64_t> canonical(shape.spin_words());
    const auto group32 = [&](std::int64_t site, int slot, int replica, std::int64_t group) {
        const Counter counter = make_counter(Purpose::initial_spins, static_cast<std::uint32_t>(site), 0,
                                             slot, replica, 0, static_cast<std::uint32_t>(group / 4));
        return std::uint64_t{philox(counter, key).word[group % 4]};
    };
    ThreadPool(0).for_each(
        std::int64_t{shape.replicas} * shape.temperatures * packs, [&](std::int64_t task, int) {
            const std::int64_t pack = task % packs;
            const int slot = static_cast<int>(task / packs % shape.temperatures);
            const int replica = static_cast<int>(task / packs / shape.temperatures);
            const std::int64_t group = shape.first_realization / 32 + 2 * pack;
            for (std::int64_t site = 0; site < N; ++site)
                canonical[task * N + site] =
                    (group32(site, slot, replica, group) | group32(site, slot, replica, group + 1) << 32) &
                    used_bits(shape, pack);
        });
    return canonical;
}

}  // namespace psflip
