#pragma once

#include <cstring>

#include "sweep/cpu/class_rule_simd.hpp"
#include "sweep/cpu/plain_rule_simd.hpp"
#include "sweep/sites/sites_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// The number of local indices in a register.
inline constexpr int register_indices = word_bytes / 16;

/// Moves lanes to the next subdomain, or to the previous one, in every local index of the register.
inline Word stepped(Word from, const LaneStep& step, bool forward) {
    const auto stride = static_cast<int>(step.stride), group = static_cast<int>(step.group);
    if (group > 32) {  // the 128 lanes in a ring: halves change places
        Native64 swapped;
        for (int i = 0; i < word_lanes64; ++i) swapped[i] = from.v[i ^ 1];
        return forward ? Word{from.v >> stride | swapped << (64 - stride)}
                       : Word{from.v << stride | swapped >> (64 - stride)};
    }
    const Word stay{broadcast64(step.staying[forward] * 0x100000001ull)};
    const int back = group - stride;
    const Word near{forward ? from.v >> stride : from.v << stride},
        far{forward ? from.v << back : from.v >> back};
    return replace(far, stay, near);
}

/// Names a row of one colour and the rows of its neighbours, by their first words in arrays of all local
/// indices.
struct SiteRow {
    std::int64_t own, here, near[4];  ///< here: other colour, same y and z; near: +y, -y, +z, -z
    bool wraps[4];                    ///< the row of the neighbour lies in the next subdomain
    bool odd;                         ///< x = 2 h + odd
    std::uint32_t first_index;        ///< local index of x = 0

    SiteRow(const SiteLanes& lanes, int colour, int y, int z) {
        const int ny = lanes.extent[1], nz = lanes.extent[2];
        const auto row = [&](int c, int y_, int z_) {
            return c * lanes.colour_indices() + (y_ + std::int64_t{ny} * z_) * lanes.row_words();
        };
        own = row(colour, y, z);
        here = row(1 - colour, y, z);
        wraps[0] = y + 1 == ny;
        wraps[1] = y == 0;
        wraps[2] = z + 1 == nz;
        wraps[3] = z == 0;
        near[0] = row(1 - colour, wraps[0] ? 0 : y + 1, z);
        near[1] = row(1 - colour, wraps[1] ? ny - 1 : y - 1, z);
        near[2] = row(1 - colour, y, wraps[2] ? 0 : z + 1);
        near[3] = row(1 - colour, y, wraps[3] ? nz - 1 : z - 1);
        odd = (colour + y + z) % 2;
        first_index = static_cast<std::uint32_t>(lanes.extent[0] * (y + ny * z));
    }
};

/// Loads words of an array at the neighbours of the sites h, h + 1, ... of a row, for a register. Lanes are
/// moved to the lanes of these sites.
struct SiteArray {
    const std::uint64_t* words;
    const SiteLanes& lanes;

    Word at(std::int64_t word) const { return load(words + 2 * word); }
    /// Returns the words of neighbour k of SiteRow::near.
    Word near(const SiteRow& row, int k, int h) const {
        const Word w = at(row.near[k] + h);
        return row.wraps[k] ? stepped(w, lanes.step[1 + k / 2], k % 2 == 0) : w;
    }
    /// Loads the neighbour at +x if the row is odd, else at -x. The other one is at `here` + h.
    Word beside(const SiteRow& row, int h) const {
        const int length = lanes.row_words();
        if (row.odd ? h + register_indices < length : h > 0)
            return load_unaligned(words + 2 * (row.here + h + (row.odd ? 1 : -1)));
        return at_edge(row, h);
    }

  private:
    Word at_edge(const SiteRow& row, int h) const {
        std::uint64_t found[2 * register_indices];
        const std::uint64_t* from = words + 2 * row.here;
        const int wrapping = row.odd ? register_indices - 1 : 0, other = row.odd ? 0 : 1;
        LaneBits bits;
        std::memcpy(&bits, from + (row.odd ? 0 : 2 * (lanes.row_words() - 1)), sizeof bits);
        bits = lanes.step[0](bits, row.odd);
        std::memcpy(found + 2 * other, from + 2 * (row.odd ? h + 1 : h), 16 * (register_indices - 1));
        std::memcpy(found + 2 * wrapping, &bits, sizeof bits);
        return load_unaligned(found);
    }
};

/// Loads neighbours and bonds of the sites h, h + 1, ... of a row. near(k) and bond(k) belong to neighbour k,
/// in the order here, beside, +y, -y, +z, -z.
template <int Degree, bool Glass>
struct SiteNeighbours {
    const SitesTask& task;
    const SiteRow& row;
    int h;

    SiteArray array(const std::uint64_t* words) const { return {words, *task.lanes}; }
    Word near(int k) const {
        const SiteArray spins = array(task.spins);
        if (k == 0) return spins.at(row.here + h);
        return k == 1 ? spins.beside(row, h) : spins.near(row, k - 2, h);
    }
    /// An array of couplings has a bond at the site from which it leads one step up.
    Word bond(int k) const {
        if constexpr (!Glass) {
            return Word{};
        } else {
            const SiteArray J = array(task.couplings + 2 * (k / 2) * task.lanes->local_indices());
            if (k == 0) return J.at((row.odd ? row.here : row.own) + h);
            if (k == 1) return row.odd ? J.at(row.own + h) : J.beside(row, h);
            return k % 2 == 0 ? J.at(row.own + h) : J.near(row, k - 2, h);
        }
    }
    /// Sets the bit of e[k] in the lanes whose bond k is unsatisfied.
    void unsatisfied(Word own, Word (&e)[Degree]) const {
#pragma GCC unroll 6
        for (int k = 0; k < Degree; ++k) e[k] = Glass ? xor3(own, near(k), bond(k)) : own ^ near(k);
    }
    template <class Site>
    Site read(Word own) const {
        Site site;
        if constexpr (requires { site.e; }) {
            unsatisfied(own, site.e);
        } else {
#pragma GCC unroll 6
            for (int k = 0; k < Degree; ++k) {
                site.near[k] = near(k);
                site.bond[k] = bond(k);
            }
        }
        return site;
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
