#pragma once

#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Loads spins, neighbours and couplings of the sites (h, y, z) of one colour, for any y. A thread takes
/// `Words` of the four 32-lane words of a local index, from `first_word` on. own() loads the site. here()
/// loads the neighbour along x that has its h. The other neighbours are beside() along x, above() and below()
/// along y, across() along z.
template <int Words, class Lattice = SitesArgs>
struct Column {
    const Lattice& a;
    std::uint32_t first_word, h, z, colour;

    using Lanes = LocalWords<Words>;

    __device__ __forceinline__ std::uint32_t row(std::uint32_t c, std::uint32_t y, std::uint32_t z_) const {
        return (c != 0 ? a.colour_words : 0) + (y + a.ny * z_) * a.row_words;
    }
    __device__ __forceinline__ bool odd(std::uint32_t y) const { return (colour + y + z) & 1; }
    __device__ __forceinline__ std::uint32_t local_index(std::uint32_t y) const {
        return 2 * ((y + a.ny * z) * a.row_words + h) + odd(y);
    }
    __device__ __forceinline__ Lanes load(const uint4* array, std::uint32_t at) const {
        return load_words<Lattice, Words>(array, at, first_word);
    }
    __device__ __forceinline__ Lanes own(const uint4* array, std::uint32_t y) const {
        return load(array, row(colour, y, z) + h);
    }
    __device__ __forceinline__ Lanes here(const uint4* array, std::uint32_t y) const {
        return load(array, row(colour ^ 1, y, z) + h);
    }
    /// Loads the neighbour at +x in odd rows, else at -x.
    __device__ __forceinline__ Lanes beside(const uint4* array, std::uint32_t y) const {
        const bool up = odd(y);
        const std::uint32_t from = row(colour ^ 1, y, z), last = a.row_words - 1;
        if (h == (up ? last : 0))
            return load_stepped<Lattice, Words>(array, from + (up ? 0 : last), first_word, a.step[0], up);
        return load(array, from + (up ? h + 1 : h - 1));
    }
    __device__ __forceinline__ Lanes above(const uint4* array, std::uint32_t y) const {
        if (y + 1 < a.ny) return here(array, y + 1);
        return load_stepped<Lattice, Words>(array, row(colour ^ 1, 0, z) + h, first_word, a.step[1], true);
    }
    __device__ __forceinline__ Lanes below(const uint4* array, std::uint32_t y) const {
        if (y > 0) return here(array, y - 1);
        return load_stepped<Lattice, Words>(array, row(colour ^ 1, a.ny - 1, z) + h, first_word, a.step[1],
                                            false);
    }
    /// Loads the neighbour at +z or -z.
    __device__ __forceinline__ Lanes across(const uint4* array, std::uint32_t y, bool up) const {
        const std::uint32_t edge = up ? a.nz - 1 : 0, other = up ? 0 : a.nz - 1;
        if (z == edge)
            return load_stepped<Lattice, Words>(array, row(colour ^ 1, y, other) + h, first_word, a.step[2],
                                                up);
        return load(array, row(colour ^ 1, y, up ? z + 1 : z - 1) + h);
    }
};

/// Holds the neighbours of a site in the order here, beside, +y, -y, +z, -z. `here` is at +x in even rows,
/// otherwise at -x.
template <int Degree, int Words>
struct Near {
    LocalWords<Words> of[Degree];
};

template <int Degree, int Words, class Lattice>
__device__ __forceinline__ void load_across(const Column<Words, Lattice>& column, const uint4* array,
                                            std::uint32_t y, Near<Degree, Words>& near) {
    if constexpr (Degree == 6) {
        near.of[4] = column.across(array, y, true);
        near.of[5] = column.across(array, y, false);
    }
}

/// Loads bonds in the order of Near. An array of couplings has a bond at the site from which it leads one
/// step up.
template <int Degree, int Words, class Lattice>
__device__ __forceinline__ Near<Degree, Words> load_bonds(const Column<Words, Lattice>& column,
                                                          std::uint32_t y) {
    const std::uint32_t all = 2 * column.a.colour_words;
    const uint4 *x = column.a.couplings, *up = x + all;
    Near<Degree, Words> bond;
    if (column.odd(y)) {
        bond.of[0] = column.here(x, y);
        bond.of[1] = column.own(x, y);
    } else {
        bond.of[0] = column.own(x, y);
        bond.of[1] = column.beside(x, y);
    }
    bond.of[2] = column.own(up, y);
    bond.of[3] = column.below(up, y);
    if constexpr (Degree == 6) {
        bond.of[4] = column.own(up + all, y);
        bond.of[5] = column.across(up + all, y, false);
    }
    return bond;
}

/// Sets the bond words of a site for its 32-lane word w. A set bit means an unsatisfied bond.
template <bool Glass, int Degree, int Words>
__device__ __forceinline__ void unsatisfied(const LocalWords<Words>& own, const Near<Degree, Words>& near,
                                            const Near<Degree, Words>& bond, int w, DeviceWord (&e)[Degree]) {
#pragma unroll
    for (int k = 0; k < Degree; ++k) {
        const DeviceWord spin{own.word[w]}, other{near.of[k].word[w]};
        if constexpr (Glass)
            e[k] = xor3(spin, other, DeviceWord{bond.of[k].word[w]});
        else
            e[k] = spin ^ other;
    }
}

}  // namespace psflip
