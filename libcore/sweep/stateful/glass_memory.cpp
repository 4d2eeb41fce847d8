#include "sweep/stateful/glass_memory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lattice/packing.hpp"

namespace psflip {
namespace {

GlassSetup without_couplings(GlassSetup setup) {
    setup.couplings.clear();
    return setup;
}

/// Adds a word to counters of its 32 lanes, bit j of the counters in plane[j].
void add_to_planes(std::uint32_t (&plane)[28], std::uint32_t carry) {
    for (int j = 0; carry != 0; ++j) {
        const std::uint32_t both = plane[j] & carry;
        plane[j] ^= carry;
        carry = both;
    }
}

}  // namespace

GlassMemory::GlassMemory(const GlassSetup& setup)
    : setup_(without_couplings(setup)), table_(setup.L, 3, UpdateOrder::checkerboard) {
    const auto sites = static_cast<std::size_t>(setup.shape().sites());
    spins_.resize(sites * setup.words * setup.replicas);
    bonds_.resize(sites * setup.words * 6);
    pack_bonds(setup.couplings);
    set_spins(random_spins(setup.shape(), setup.seed));
}

GlassView GlassMemory::view() {
    return {spins_.data(),
            bonds_.data(),
            table_.view(),
            static_cast<std::uint32_t>(setup_.words),
            static_cast<std::uint32_t>(setup_.replicas),
            {},
            setup_.layout,
            setup_.seed,
            0};
}

void GlassMemory::pack_bonds(const std::vector<std::int8_t>& couplings) {
    const SitesView at = table_.view();
    const std::size_t bonds = std::size_t{3} * at.sites;
    const std::size_t given = couplings.size() / bonds;
    for (std::size_t r = 0; r < std::size_t{32} * setup_.words; ++r) {
        std::uint32_t* word = bonds_.data() + r / 32 * 6 * at.sites;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::int8_t* J = couplings.data() + r % given * bonds + d * at.sites;
            for (std::uint32_t i = 0; i < at.sites; ++i) {
                const std::uint32_t bit = std::uint32_t{J[at.number[i]] < 0} << (r % 32);
                word[2 * d * at.sites + i] |= bit;
                word[(2 * d + 1) * at.sites + at.near[2 * d * at.sites + i]] |= bit;
            }
        }
    }
}

void GlassMemory::set_spins(const std::vector<std::uint64_t>& canonical) {
    const SitesView at = table_.view();
    const Shape shape = setup_.shape();
    if (canonical.size() != static_cast<std::size_t>(shape.spin_words()))
        throw InputError(fmt::format("{} words of spins, where the lattices have {}", canonical.size(),
                                     shape.spin_words()));
    std::uint32_t* spin = spins_.data();
    for (std::int64_t word = 0; word < setup_.words; ++word)
        for (std::int64_t replica = 0; replica < setup_.replicas; ++replica) {
            const std::uint64_t* from = canonical.data() + (replica * shape.packs64() + word / 2) * at.sites;
            for (std::uint32_t i = 0; i < at.sites; ++i)
                *spin++ = static_cast<std::uint32_t>(from[at.number[i]] >> (word % 2 * 32));
        }
}

std::vector<std::uint64_t> GlassMemory::canonical(std::span<const std::uint32_t> spins) const {
    const SitesView at = table_.view();
    const Shape shape = setup_.shape();
    std::vector<std::uint64_t> result(static_cast<std::size_t>(shape.spin_words()));
    const std::uint32_t* spin = spins.data();
    for (std::int64_t word = 0; word < setup_.words; ++word)
        for (std::int64_t replica = 0; replica < setup_.replicas; ++replica) {
            std::uint64_t* to = result.data() + (replica * shape.packs64() + word / 2) * at.sites;
            for (std::uint32_t i = 0; i < at.sites; ++i)
                to[at.number[i]] |= std::uint64_t{*spin++} << (word % 2 * 32);
        }
    return result;
}

std::vector<std::int32_t> GlassMemory::energies(std::span<const std::uint32_t> spins) const {
    const SitesView at = table_.view();
    std::vector<std::int32_t> result(std::size_t{32} * setup_.words * setup_.replicas);
    for (int word = 0; word < setup_.words; ++word)
        for (int replica = 0; replica < setup_.replicas; ++replica) {
            const std::uint32_t* lattice =
                spins.data() + (static_cast<std::size_t>(word) * setup_.replicas + replica) * at.sites;
            std::uint32_t plane[28] = {};  // of the number of unsatisfied bonds
            for (std::size_t k = 0; k < 6; k += 2) {
                const std::uint32_t* near = at.near + k * at.sites;
                const std::uint32_t* bond =
                    bonds_.data() + (static_cast<std::size_t>(word) * 6 + k) * at.sites;
                for (std::uint32_t i = 0; i < at.sites; ++i)
                    add_to_planes(plane, lattice[i] ^ lattice[near[i]] ^ bond[i]);
            }
            for (int lane = 0; lane < 32; ++lane) {
                std::int32_t unsatisfied = 0;
                for (int j = 0; j < 28; ++j)
                    unsatisfied |= static_cast<std::int32_t>(plane[j] >> lane & 1) << j;
                result[(static_cast<std::size_t>(replica) * setup_.words + word) * 32 + lane] =
                    2 * unsatisfied - 3 * static_cast<std::int32_t>(at.sites);
            }
        }
    return result;
}

}  // namespace psflip
