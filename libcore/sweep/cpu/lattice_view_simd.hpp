#pragma once

#include <cstdint>

#include "lattice/neighbours_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Gives access to the spins of one register, which are some slots of a slot quad. Also gives access to the
/// couplings and absent bonds of the column.
struct LatticeView {
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    const std::uint64_t* absent;
    std::int64_t sites;

    Word spin(std::int64_t site) const { return load(spins + site * 2 * slots_per_word); }
    Word coupling(int direction, std::int64_t site) const {
        return broadcast128(couplings + (direction * sites + site) * 2);
    }
    Word is_absent(int direction, std::int64_t site) const {
        return broadcast128(absent + (direction * sites + site) * 2);
    }
    /// Computes the bond words of the h-th site of a row, whose spin is `own`. Set bits are unsatisfied
    /// bonds.
    template <int Degree>
    void unsatisfied(const Row& row, Word own, int h, int length, Word (&e)[Degree]) const {
        bond_words(
            row, h, length,
            [&](std::int64_t neighbour, int direction, std::int64_t from) {
                return xor3(coupling(direction, from), own, spin(neighbour));
            },
            e);
    }
    /// Computes the bond words as `unsatisfied`. Set bits are bonds that are present and unsatisfied.
    template <int Degree>
    void present_unsatisfied(const Row& row, Word own, int h, int length, Word (&e)[Degree]) const {
        bond_words(
            row, h, length,
            [&](std::int64_t neighbour, int direction, std::int64_t from) {
                return xor_unless(own ^ coupling(direction, from), spin(neighbour),
                                  is_absent(direction, from));
            },
            e);
    }
};

/// Reads the words at the bonds of the h-th site of a row, in the order of bond_words.
struct SiteOfRow {
    const LatticeView& view;
    const Row& row;
    int h, length;

    template <int Degree>
    void unsatisfied(Word own, Word (&e)[Degree]) const {
        view.unsatisfied(row, own, h, length, e);
    }
    template <int Degree>
    void spins(Word (&to)[Degree]) const {
        bond_words(
            row, h, length, [&](std::int64_t neighbour, int, std::int64_t) { return view.spin(neighbour); },
            to);
    }
    template <int Degree>
    void couplings(Word (&to)[Degree]) const {
        bond_words(
            row, h, length,
            [&](std::int64_t, int direction, std::int64_t from) { return view.coupling(direction, from); },
            to);
    }
    template <int Degree>
    void absent(Word (&to)[Degree]) const {
        bond_words(
            row, h, length,
            [&](std::int64_t, int direction, std::int64_t from) { return view.is_absent(direction, from); },
            to);
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
