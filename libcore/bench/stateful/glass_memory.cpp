#include "bench/stateful/glass_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "lattice/packing.hpp"

namespace psflip {
namespace {

GlassSetup without_couplings(GlassSetup setup) {
    setup.couplings.clear();
    return setup;
}

/// Counts in the 32 lanes of words. plane[j] has bit j of each counter.
class LaneCounters {
  public:
    void add(std::uint32_t carry) {
        for (int j = 0; carry != 0; ++j) {
            const std::uint32_t both = plane_[j] & carry;
            plane_[j] ^= carry;
            carry = both;
        }
    }
    std::int32_t operator[](int lane) const {
        std::int32_t count = 0;
        for (int j = 0; j < 30; ++j) count |= static_cast<std::int32_t>(plane_[j] >> lane & 1) << j;
        return count;
    }

  private:
    std::uint32_t plane_[30] = {};
};

}  // namespace

GlassMemory::GlassMemory(const GlassSetup& setup)
    : setup_(without_couplings(setup)),
      geometry_(make_geometry(setup.L)),
      near_(geometry_.sites),
      number_(geometry_.sites) {
    with_places(setup.site_order, [&](auto order) {
        for (unsigned colour = 0; colour < 2; ++colour)
            for (unsigned i = 0; i < geometry_.colour_sites; ++i) {
                const Place place = order.place(geometry_, colour, i);
                const Neighbours near = order.neighbours(geometry_, colour, place);
                near_[near.own] = near;
                number_[near.own] = order.number(geometry_, place);
            }
    });
    spins_.resize(std::size_t{geometry_.sites} * setup.words * setup.replicas);
    bonds_.resize(std::size_t{geometry_.sites} * setup.words * 6);
    pack_bonds(setup.couplings);
    set_spins(random_spins(setup.shape(), setup.seed));
}

GlassView GlassMemory::view() {
    return {spins_.data(),
            bonds_.data(),
            geometry_,
            static_cast<std::uint32_t>(setup_.words),
            static_cast<std::uint32_t>(setup_.replicas),
            {},
            setup_.layout,
            setup_.seed,
            0};
}

void GlassMemory::pack_bonds(const std::vector<std::int8_t>& couplings) {
    const std::size_t sites = geometry_.sites, of_word = 6 * sites;
    const std::size_t given = couplings.size() / (3 * sites), words = given / 32;
    for (std::size_t r = 0; r < std::min<std::size_t>(given, std::size_t{32} * setup_.words); ++r) {
        std::uint32_t* word = bonds_.data() + r / 32 * of_word;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::int8_t* J = couplings.data() + (3 * r + d) * sites;
            for (std::size_t i = 0; i < sites; ++i) {
                const std::uint32_t bit = std::uint32_t{J[number_[i]] < 0} << (r % 32);
                word[d * sites + i] |= bit;
                word[(3 + d) * sites + near_[i].site[d]] |= bit;
            }
        }
    }
    for (std::size_t i = words * of_word; i < bonds_.size(); ++i) bonds_[i] = bonds_[i - words * of_word];
}

void GlassMemory::set_spins(const std::vector<std::uint64_t>& canonical) {
    const Shape shape = setup_.shape();
    if (canonical.size() != static_cast<std::size_t>(shape.spin_words()))
        throw InputError(fmt::format("{} words of spins are given, but the lattices have {}",
                                     canonical.size(), shape.spin_words()));
    std::uint32_t* spin = spins_.data();
    for (std::int64_t word = 0; word < setup_.words; ++word)
        for (const std::uint32_t number : number_)
            for (std::int64_t replica = 0; replica < setup_.replicas; ++replica) {
                const std::int64_t pack = replica * shape.packs64() + word / 2;
                *spin++ =
                    static_cast<std::uint32_t>(canonical[pack * geometry_.sites + number] >> (word % 2 * 32));
            }
}

std::vector<std::uint64_t> GlassMemory::canonical(std::span<const std::uint32_t> spins) const {
    const Shape shape = setup_.shape();
    std::vector<std::uint64_t> result(static_cast<std::size_t>(shape.spin_words()));
    const std::uint32_t* spin = spins.data();
    for (std::int64_t word = 0; word < setup_.words; ++word)
        for (const std::uint32_t number : number_)
            for (std::int64_t replica = 0; replica < setup_.replicas; ++replica) {
                const std::int64_t pack = replica * shape.packs64() + word / 2;
                result[pack * geometry_.sites + number] |= std::uint64_t{*spin++} << (word % 2 * 32);
            }
    return result;
}

std::vector<std::int32_t> GlassMemory::energies(std::span<const std::uint32_t> spins) const {
    const std::size_t sites = geometry_.sites, R = setup_.replicas;
    std::vector<std::int32_t> result(std::size_t{32} * setup_.words * R);
    for (std::size_t word = 0; word < static_cast<std::size_t>(setup_.words); ++word)
        for (std::size_t replica = 0; replica < R; ++replica) {
            const std::uint32_t* lattice = spins.data() + word * sites * R + replica;
            const std::uint32_t* bonds = bonds_.data() + word * 6 * sites;
            LaneCounters unsatisfied;
            for (std::size_t i = 0; i < sites; ++i)
                for (std::size_t d = 0; d < 3; ++d)
                    unsatisfied.add(lattice[i * R] ^ lattice[near_[i].site[d] * R] ^ bonds[d * sites + i]);
            for (int lane = 0; lane < 32; ++lane)
                result[(replica * setup_.words + word) * 32 + lane] =
                    2 * unsatisfied[lane] - 3 * static_cast<std::int32_t>(sites);
        }
    return result;
}

std::vector<std::int32_t> GlassMemory::overlaps(std::span<const std::uint32_t> spins) const {
    const std::size_t sites = geometry_.sites, R = setup_.replicas;
    std::vector<std::int32_t> result;
    for (std::size_t a = 0; a < R; ++a)
        for (std::size_t b = a + 1; b < R; ++b)
            for (std::size_t word = 0; word < static_cast<std::size_t>(setup_.words); ++word) {
                const std::uint32_t* lattices = spins.data() + word * sites * R;
                LaneCounters differ;
                for (std::size_t i = 0; i < sites; ++i) differ.add(lattices[i * R + a] ^ lattices[i * R + b]);
                for (int lane = 0; lane < 32; ++lane)
                    result.push_back(static_cast<std::int32_t>(sites) - 2 * differ[lane]);
            }
    return result;
}

}  // namespace psflip
