#pragma once

#include <cstdint>

#include "sweep/demon_rule.hpp"
#include "sweep/replicas/replica_site.hpp"

namespace psflip {

/// Points to what the update by demons reads and writes in a realization: to the first word of a colour.
struct ReplicaColours {
    std::uint32_t* mine;          ///< of the colour that is updated
    const std::uint32_t* others;  ///< of the other colour
    const std::uint8_t* bonds;    ///< of the colour that is updated
};

/// Visits the sites of a chain in the order of its demon, for one word of 32 lanes. A thread of a GPU serves
/// one such chain. In three dimensions, an update reads the spins, four of the six neighbours and a byte of
/// bonds. The other two neighbours are kept from the previous site. All words of `together` rows are read
/// before the first is written.
template <int Degree, class Word>
class ReplicaChain {
    static constexpr int together = 4;

    const ReplicaColours& at_;
    const ReplicaColumn& column_;
    const std::uint32_t L_, depth_, row_, plane_;
    const int colour_;

    struct SiteWords {
        std::uint32_t own, side, after, above, below, bonds;
    };

    /// y, z: coordinates of the site at index `place`; up, down: index distances to its neighbours along z,
    /// modulo 2^32.
    PSFLIP_HD SiteWords load(std::uint32_t place, std::uint32_t y, std::uint32_t z, std::uint32_t up,
                             std::uint32_t down) const {
        const bool next = ReplicaLayout::other_is_next(colour_, static_cast<int>(y), static_cast<int>(z));
        SiteWords words{};
        words.own = at_.mine[place];
        words.side = at_.others[place + (next ? column_.on : column_.back)];
        words.after = at_.others[y + 1 == L_ ? place + row_ - plane_ : place + row_];
        if constexpr (Degree == 6) {
            words.above = at_.others[place + up];
            words.below = at_.others[place + down];
        }
        words.bonds = at_.bonds[place];
        return words;
    }

    /// here, before: the neighbours with the site's index in their rows, at y and at y - 1.
    PSFLIP_HD std::uint32_t updated(const SiteWords& words, std::uint32_t here, std::uint32_t before,
                                    Demons<Word>& demons) const {
        const Word own{words.own};
        Word bond[Degree];
        spread_bonds(words.bonds, bond);
        const std::uint32_t near[6] = {here, words.side, words.after, before, words.above, words.below};
        Word e[Degree];
        PSFLIP_UNROLL
        for (int k = 0; k < Degree; ++k) e[k] = xor3(own, Word{near[k]}, bond[k]);
        return demon_updated_spin(own, e, demons).bits;
    }

  public:
    PSFLIP_HD ReplicaChain(const ReplicaLayout& layout, const ReplicaColours& at, const ReplicaColumn& column,
                           int colour)
        : at_(at),
          column_(column),
          L_(static_cast<std::uint32_t>(layout.L)),
          depth_(static_cast<std::uint32_t>(layout.depth)),
          row_(static_cast<std::uint32_t>(layout.row_stride())),
          plane_(L_ * row_),
          colour_(colour) {}

    /// Returns the number of the first site, at which the demon is drawn.
    PSFLIP_HD std::uint32_t first_site(std::uint32_t first_y, std::uint32_t first_z) const {
        const bool next =
            ReplicaLayout::other_is_next(colour_, static_cast<int>(first_y), static_cast<int>(first_z));
        return L_ * (first_y + L_ * first_z) + column_.site + (next ? 1 : 0);
    }

    /// Updates the chain whose first site lies in row first_y of plane first_z.
    PSFLIP_HD void march(const DemonChains& chains, std::uint32_t first_y, std::uint32_t first_z,
                         Demons<Word>& demons) const {
        const std::uint32_t rows = static_cast<std::uint32_t>(chains.rows),
                            planes = static_cast<std::uint32_t>(chains.planes), all = depth_ * plane_;
        const std::uint32_t end_y = first_y + rows < L_ ? first_y + rows : L_,
                            end_z = first_z + planes < depth_ ? first_z + planes : depth_;
        for (std::uint32_t z = first_z; z < end_z; ++z) {
            const std::uint32_t up = z + 1 == depth_ ? plane_ - all : plane_,
                                down = z == 0 ? all - plane_ : 0 - plane_;
            std::uint32_t place = (first_y + L_ * z) * row_ + column_.at;
            std::uint32_t before = at_.others[first_y == 0 ? place + plane_ - row_ : place - row_],
                          here = at_.others[place];
            for (std::uint32_t y = first_y; y < end_y; y += together, place += together * row_) {
                SiteWords words[together];
                PSFLIP_UNROLL
                for (std::uint32_t i = 0; i < together; ++i)
                    if (y + i < end_y) words[i] = load(place + i * row_, y + i, z, up, down);
                PSFLIP_UNROLL
                for (std::uint32_t i = 0; i < together; ++i) {
                    if (y + i >= end_y) break;
                    at_.mine[place + i * row_] = updated(words[i], here, before, demons);
                    before = here;
                    here = words[i].after;
                }
            }
        }
    }
};

}  // namespace psflip
