#pragma once

#include "lattice/geometry_cuda.cuh"
#include "sweep/cuda/shared_memory_cuda.cuh"
#include "sweep/demon_rule.hpp"

namespace psflip {

// Says where chains of demons find spins and bonds: in device memory, or in the shared memory of a block.

/// Holds a word for each slot of a thread.
template <int Slots>
struct SlotWords {
    std::uint32_t of[Slots];
};

/// Holds the sizes of a batch that chains depend on.
struct ChainSizes {
    DemonChains chains;
    std::uint32_t words;   ///< number of words of a site in a block: 1, 2 or 4
    std::uint32_t number;  ///< number of chains of a colour, times `words`
    // Sizes in shared memory, in words of one slot:
    std::uint32_t column, plane, colour;  ///< words of one h, of one z and of one colour
    std::uint32_t pad;  ///< words after each layer; with them, the chains of a warp use all banks

    __device__ __forceinline__ std::uint32_t plane_place(unsigned of_colour, unsigned z,
                                                         unsigned layer) const {
        return of_colour * colour + z * plane + layer * pad;
    }
};

/// Names a plane, and the layer of planes that holds it. A chain lies in one layer.
struct ChainPlane {
    unsigned z, layer;
};

/// Finds words of one slot or direction in device memory. Their order is (colour, z, y, h, word of the site).
/// A place is an offset in bytes.
struct DevicePlaces {
    std::uint32_t row;  ///< bytes to the next row

    /// Return the two parts of the place of a word. The place is their sum.
    __device__ __forceinline__ std::uint32_t plane_place(const Geometry& g, const ChainSizes&,
                                                         unsigned colour, const ChainPlane& plane) const {
        return 16 * ((colour ? g.colour_sites : 0) + g.plane * plane.z);
    }
    __device__ __forceinline__ std::uint32_t column_place(const Geometry& g, const ChainSizes&, unsigned h,
                                                          unsigned y, unsigned word) const {
        return 16 * (g.half * y + h) + 4 * word;
    }
    __device__ __forceinline__ std::uint32_t rows_after(std::uint32_t place, int rows) const {
        return place + rows * row;
    }
};

/// Gives access to lattices of neighbouring slots in device memory.
template <int Slots>
struct DeviceSlots : DevicePlaces {
    static constexpr bool has_copies = false;
    char* first;             ///< lattice of the first slot
    std::size_t slot_bytes;  ///< bytes of a lattice
    std::uint32_t last_row;  ///< bytes from the first row to the last

    __device__ __forceinline__ DeviceSlots(const Geometry& g, char* lattices)
        : DevicePlaces{16 * g.half},
          first(lattices),
          slot_bytes(std::size_t{16} * g.sites),
          last_row(16 * g.last_row) {}
    template <int Rows>
    __device__ __forceinline__ SlotWords<Slots> load(std::uint32_t place) const {
        SlotWords<Slots> words;
#pragma unroll
        for (int k = 0; k < Slots; ++k)
            words.of[k] =
                *reinterpret_cast<const std::uint32_t*>(first + k * slot_bytes + (place + Rows * row));
        return words;
    }
    template <int Rows>
    __device__ __forceinline__ void store(std::uint32_t place, const SlotWords<Slots>& words) const {
#pragma unroll
        for (int k = 0; k < Slots; ++k)
            *reinterpret_cast<std::uint32_t*>(first + k * slot_bytes + (place + Rows * row)) = words.of[k];
    }
};

/// Gives access to lattices in shared memory. Their words have the axes (colour, z, h, y, word of the site,
/// slot). So one load gets all slots, and rows have a constant distance. A copy of row y = 0 follows the last
/// row.
template <int Slots, int Words>
struct SharedSlots {
    static constexpr bool has_copies = true;
    static constexpr int row = 4 * Slots * Words;
    std::uint32_t first;  ///< address of the first word

    __device__ __forceinline__ std::uint32_t plane_place(const Geometry&, const ChainSizes& s,
                                                         unsigned colour, const ChainPlane& plane) const {
        return first + 4 * Slots * s.plane_place(colour, plane.z, plane.layer);
    }
    __device__ __forceinline__ std::uint32_t column_place(const Geometry&, const ChainSizes& s, unsigned h,
                                                          unsigned y, unsigned word) const {
        return 4 * Slots * (h * s.column + Words * y + word % Words);
    }
    __device__ __forceinline__ std::uint32_t rows_after(std::uint32_t place, int rows) const {
        return place + rows * row;
    }
    template <int Rows>
    __device__ __forceinline__ SlotWords<Slots> load(std::uint32_t at) const {
        SlotWords<Slots> w;
        if constexpr (Slots == 1)
            asm volatile("ld.shared.u32 %0, [%1 + %2];"
                         : "=r"(w.of[0])
                         : "r"(at), "n"(Rows * row)
                         : "memory");
        else if constexpr (Slots == 2)
            asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + %3];"
                         : "=r"(w.of[0]), "=r"(w.of[1])
                         : "r"(at), "n"(Rows * row)
                         : "memory");
        else
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4 + %5];"
                         : "=r"(w.of[0]), "=r"(w.of[1]), "=r"(w.of[2]), "=r"(w.of[3])
                         : "r"(at), "n"(Rows * row)
                         : "memory");
        return w;
    }
    template <int Rows>
    __device__ __forceinline__ void store(std::uint32_t at, const SlotWords<Slots>& w) const {
        if constexpr (Slots == 1)
            asm volatile("st.shared.u32 [%0 + %1], %2;" ::"r"(at), "n"(Rows * row), "r"(w.of[0]) : "memory");
        else if constexpr (Slots == 2)
            asm volatile("st.shared.v2.u32 [%0 + %1], {%2, %3};" ::"r"(at), "n"(Rows * row), "r"(w.of[0]),
                         "r"(w.of[1])
                         : "memory");
        else
            asm volatile("st.shared.v4.u32 [%0 + %1], {%2, %3, %4, %5};" ::"r"(at), "n"(Rows * row),
                         "r"(w.of[0]), "r"(w.of[1]), "r"(w.of[2]), "r"(w.of[3])
                         : "memory");
    }
};

/// Names a chain, and the 32-bit word of each site whose lanes a thread updates.
struct Chain {
    unsigned h, first_y, layer, word;

    /// number: index of (layer, segment, h, word of the block), the word fastest. first_word: the first word
    /// of the block.
    __device__ __forceinline__ Chain(const Geometry& g, const ChainSizes& s, unsigned first_word,
                                     unsigned number) {
        const unsigned chain = number / s.words, row = quotient(chain, g.half_reciprocal),
                       segments = static_cast<unsigned>(s.chains.segments());
        word = first_word + number - chain * s.words;
        h = chain - row * g.half;
        layer = segments == 1 ? row : row / segments;
        first_y = (row - layer * segments) * static_cast<unsigned>(s.chains.rows);
    }
    __device__ __forceinline__ unsigned first_z(const ChainSizes& s) const {
        return layer * static_cast<unsigned>(s.chains.planes);
    }
    __device__ __forceinline__ std::uint32_t first_site(const Geometry& g, const ChainSizes& s,
                                                        unsigned colour) const {
        return standard_site(g, {h, first_y, first_z(s), (colour + first_y + first_z(s)) & 1u});
    }
};

/// Holds the arrays of bonds along x, y and z in device memory.
struct BondArrays {
    const char *x, *y, *z;
};

/// Gives access to bonds in device memory. A bond has the place of the site at which it starts.
struct DeviceBonds : BondArrays, DevicePlaces {
    __device__ __forceinline__ DeviceBonds(const Geometry& g, const uint4* couplings)
        : BondArrays{reinterpret_cast<const char*>(couplings),
                     reinterpret_cast<const char*>(couplings + g.sites),
                     reinterpret_cast<const char*>(couplings + 2 * std::size_t{g.sites})},
          DevicePlaces{16 * g.half} {}
    __device__ __forceinline__ std::uint32_t seam_place(const Geometry& g, const ChainSizes& s,
                                                        unsigned colour, bool is_last, unsigned h,
                                                        unsigned y_row, unsigned word) const {
        return plane_place(g, s, is_last ? colour : 1 - colour, {g.depth - 1, 0}) +
               column_place(g, s, h, y_row, word);
    }
    __device__ __forceinline__ std::uint32_t seam_rows_after(std::uint32_t place, int rows) const {
        return rows_after(place, rows);
    }
    template <int Rows>
    __device__ __forceinline__ SlotWords<2> load(std::uint32_t place) const {
        return {{word(x, place + Rows * row), word(y, place + Rows * row)}};
    }
    template <int Rows>
    __device__ __forceinline__ std::uint32_t load_seam(std::uint32_t place) const {
        return word(z, place + Rows * row);
    }

  private:
    __device__ __forceinline__ static std::uint32_t word(const char* bonds, std::uint32_t at) {
        return __ldg(reinterpret_cast<const std::uint32_t*>(bonds + at));
    }
};

/// Finds words of sites in several arrays in device memory. load() returns one word of each array.
template <int Arrays>
struct DeviceArrays : DevicePlaces {
    const char* arrays[Arrays];

    template <int Rows>
    __device__ __forceinline__ SlotWords<Arrays> load(std::uint32_t place) const {
        SlotWords<Arrays> words;
#pragma unroll
        for (int k = 0; k < Arrays; ++k)
            words.of[k] = __ldg(reinterpret_cast<const std::uint32_t*>(arrays[k] + (place + Rows * row)));
        return words;
    }
};

/// Gives access to bonds in shared memory, in the order of SharedSlots. The bonds along x and y replace two
/// slots. `seams` has the bonds between the last plane and the first: (colour, first or last plane, h, y,
/// word of the site).
template <int Words>
struct SharedBonds : SharedSlots<2, Words> {
    SharedSlots<1, Words> seams;

    __device__ __forceinline__ static std::uint32_t seam_word(const ChainSizes& s, unsigned colour,
                                                              bool is_last, unsigned h, unsigned y,
                                                              unsigned word) {
        return (2 * colour + is_last) * s.plane + h * s.column + Words * y + word;
    }
    __device__ __forceinline__ std::uint32_t seam_place(const Geometry&, const ChainSizes& s, unsigned colour,
                                                        bool is_last, unsigned h, unsigned y,
                                                        unsigned word) const {
        return seams.first + 4 * seam_word(s, colour, is_last, h, y, word % Words);
    }
    __device__ __forceinline__ std::uint32_t seam_rows_after(std::uint32_t place, int rows) const {
        return seams.rows_after(place, rows);
    }
    template <int Rows>
    __device__ __forceinline__ std::uint32_t load_seam(std::uint32_t place) const {
        return seams.template load<Rows>(place).of[0];
    }
};

}  // namespace psflip
