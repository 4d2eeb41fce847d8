#pragma once

// Addresses of the words at the bonds of all sites of a chunk. The rows of a chunk lie one after the other in
// memory, so one loop runs through all its sites. The neighbours along x and y, which wrap around, come from
// a table, and the others lie at the place of the site in the planes above and below.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sweep/cpu/lattice_view_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Holds the places of the neighbours of a site within their plane. A place is 8 times the number of sites
/// from the first site of the chunk, so that addresses of couplings, spins and of this struct are 2, 8 and 2
/// times the place.
struct NeighbourPlaces {
    std::int32_t x_plus, x_minus, y_plus, y_minus;
};
inline constexpr std::int64_t place_unit = 8;

/// Holds the places for all chunks of a lattice. Chunks of whole rows have few kinds of tables: the first row
/// is even or odd, and the chunk has the first row of the plane, its last row, both or neither.
class ChunkPlaces {
  public:
    /// Lattices in the standard order, with several rows per chunk.
    static bool fits(const Lattice& lattice) {
        return !lattice.held.sliced() && lattice.rows_per_chunk() > 1;
    }

    explicit ChunkPlaces(const Lattice& lattice) : L_(lattice.L) {
        const int rows = lattice.rows_per_chunk();
        for (int first = 0; first < L_; first += rows)
            for (const bool odd : {false, true})
                if (auto& table = tables_[kind(first, std::min(first + rows, L_), odd)]; table.empty())
                    for (int v = first; v < std::min(first + rows, L_); ++v)
                        add_row(table, lattice.length, first, v, odd != ((v - first) % 2 != 0));
    }
    const NeighbourPlaces* of(const Chunk& chunk) const {
        const bool odd = ((chunk.colour + chunk.v_begin + chunk.w) & 1) != 0;
        return tables_[kind(chunk.v_begin, chunk.v_end, odd)].data();
    }

  private:
    int kind(int begin, int end, bool odd) const { return odd + 2 * (begin == 0) + 4 * (end == L_); }
    void add_row(std::vector<NeighbourPlaces>& table, int length, int first, int v, bool odd) const {
        const auto place = [&](int row, int h) {
            return static_cast<std::int32_t>(place_unit * ((row - first) * length + h));
        };
        const int next = v + 1 == L_ ? 0 : v + 1, previous = v == 0 ? L_ - 1 : v - 1;
        for (int h = 0; h < length; ++h)
            table.push_back({place(v, odd ? (h + 1) % length : h),
                             place(v, odd ? h : (h + length - 1) % length), place(next, h),
                             place(previous, h)});
    }

    int L_;
    std::vector<NeighbourPlaces> tables_[8];
};

/// Gives access to the words at the bonds of the sites of a chunk, in the order of bond_words.
template <int Degree>
class ChunkView {
  public:
    /// first: the first row of the chunk.
    ChunkView(const LatticeView& view, const Row& first, const NeighbourPlaces* places)
        : places_(reinterpret_cast<const char*>(places)), absent_(8 * (view.absent - view.couplings)) {
        const std::int64_t own = first.own, same = first.x_plus;
        const std::int64_t spins[] = {own, same, first.z_plus, first.z_minus};
        const std::int64_t bonds[] = {own,
                                      same,
                                      own + view.sites,
                                      same + view.sites,
                                      own + 2 * view.sites,
                                      first.z_minus + 2 * view.sites};
        for (int k = 0; k < n_spins; ++k) {
            spins_[k] = reinterpret_cast<const char*>(view.spins + spins[k] * 2 * slots_per_word);
            keep_whole(spins_[k]);
        }
        for (int k = 0; k < Degree; ++k) {
            couplings_[k] = reinterpret_cast<const char*>(view.couplings + bonds[k] * 2);
            keep_whole(couplings_[k]);
        }
    }

    /// Reads the words of one site and register, as SiteOfRow.
    struct Site {
        const ChunkView& chunk;
        std::int64_t place;
        int reg;

        std::uint64_t* own() const { return const_cast<std::uint64_t*>(spin_at(0, place)); }
        void unsatisfied(Word own, Word (&e)[Degree]) const {
            for (int k = 0; k < Degree; ++k) e[k] = xor3(broadcast128(bond(k, 0)), own, spin(k));
        }
        void spins(Word (&to)[Degree]) const {
            for (int k = 0; k < Degree; ++k) to[k] = spin(k);
        }
        void couplings(Word (&to)[Degree]) const {
            for (int k = 0; k < Degree; ++k) to[k] = broadcast128(bond(k, 0));
        }
        void absent(Word (&to)[Degree]) const {
            for (int k = 0; k < Degree; ++k) to[k] = broadcast128(bond(k, chunk.absent_));
        }

      private:
        Word spin(int k) const { return load(spin_at(k < 4 ? 1 : k - 2, at(k))); }
        std::int64_t at(int k) const {
            const auto* places = reinterpret_cast<const NeighbourPlaces*>(chunk.places_ + 2 * place);
            return k == 0   ? places->x_plus
                   : k == 1 ? places->x_minus
                   : k == 2 ? places->y_plus
                   : k == 3 ? places->y_minus
                            : place;
        }
        const std::uint64_t* spin_at(int k, std::int64_t at_place) const {
            return reinterpret_cast<const std::uint64_t*>(chunk.spins_[k] + 8 * at_place + reg * word_bytes);
        }
        /// Bonds in positive direction belong to the site, the others to the neighbour.
        const std::uint64_t* bond(int k, std::ptrdiff_t offset) const {
            return reinterpret_cast<const std::uint64_t*>(chunk.couplings_[k] + offset +
                                                          2 * (k % 2 == 0 ? place : at(k)));
        }
    };

  private:
    /// Hides how an address was computed. The compiler would compute parts of it again for each site.
    static void keep_whole(const char*& address) { asm("" : "+r"(address)); }

    static constexpr int n_spins = Degree == 6 ? 4 : 2;  ///< own plane, same plane, planes above and below
    const char *places_, *spins_[n_spins], *couplings_[Degree];
    std::ptrdiff_t absent_;  ///< bytes from a coupling to its absent bond
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
