#include <algorithm>
#include <cmath>

#include "reference/boxes.hpp"
#include "reference/reference.hpp"

namespace psflip::reference {

namespace {

constexpr std::uint32_t for_demon = 12, for_field_demon = 13, for_isolated_spin = 14, for_site_demon = 15,
                        for_replica_demon = 16;

/// [0, all) in boxes of `box`, each cut into pieces of `piece`, of which the last may be shorter: first and
/// end of every piece.
std::vector<std::array<int, 2>> pieces(int all, int box, int piece) {
    std::vector<std::array<int, 2>> cut;
    for (int begin = 0; begin < all; begin += box)
        for (int first = begin; first < begin + box; first += piece)
            cut.push_back({first, std::min(begin + box, first + piece)});
    return cut;
}

}  // namespace

/// The energy of a demon of a chain: how many of P(d >= 1), ..., P(d >= highest) exceed a number that is
/// drawn at the chain's first site. `unit` is the unit of energy.
int Realization::drawn_demon(std::uint32_t purpose, int highest, double unit, int site, std::int64_t sweep,
                             int slot, int replica) const {
    std::uint32_t number = 0;
    std::int64_t lane = world_.replica_lanes ? replica * world_.slots() + slot : number_;
    for (int digit = 0; digit < 8; ++digit) {
        std::array<std::uint32_t, 4> words;
        if (world_.site_lanes) {
            const InBox at(world_, site);
            lane = at.lane;
            words =
                block(for_site_demon, at.position, sweep, slot, replica, digit + 8 * (at.lane / 32), number_);
        } else if (world_.replica_lanes) {
            words = block(for_replica_demon, site, sweep, static_cast<int>(lane / 32), 0, digit, number_);
        } else {
            words = block(purpose, site, sweep, slot, replica, digit, number_ / 32);
        }
        for (int k = 0; k < 4; ++k) number = 2 * number + (words[k] >> (lane % 32) & 1u);
    }
    const auto weight = [&](int d) { return std::exp(-unit / world_.temperatures[slot] * d); };
    double all = 0.0, tail = 0.0;
    for (int d = highest; d >= 0; --d) all += weight(d);
    int energy = 0;
    for (int d = highest; d > 0; --d) {
        tail += weight(d);
        energy += number < std::min(std::llround(4294967296.0 * (tail / all)), 4294967295ll) ? 1 : 0;
    }
    return energy;
}

/// Flips the spin of a site if both demons allow it. With absent bonds or open boundaries, d counts units of
/// 2J up to 7, else units of 4J up to 3; m counts units of 2|h| up to 3.
void Realization::serve(int site, std::int64_t sweep, int slot, int replica, int& d, int& m) {
    int& spin = spins_[replica][slot][site];
    if (isolated_[site] && world_.field == 0.0) {
        const auto words = block(for_isolated_spin, site, sweep, slot / 4, replica, 0, number_ / 32);
        if ((words[slot % 4] >> (number_ % 32) & 1u) != 0) spin = -spin;
        return;
    }
    const bool by_two = world_.p_absent > 0.0 || world_.open;
    const int after = d - cost(replica, slot, site) / (by_two ? 2 : 4);
    const int of_field = world_.field == 0.0 ? m : spin * world_.field > 0.0 ? m - 1 : m + 1;
    if (after < 0 || after > (by_two ? 7 : 3) || of_field < 0 || of_field > 3) return;
    d = after;
    m = of_field;
    spin = -spin;
}

/// With lanes = sites, chains end where boxes end.
void Realization::demon_half_sweep(std::int64_t sweep, int colour) {
    const int L = world_.L, depth = world_.dimension == 3 ? L : 1, n = world_.demon_sites;
    const bool boxes = world_.site_lanes;
    const int width = boxes ? L / boxes_along(world_.dimension, 1) : L,
              height = boxes ? depth / boxes_along(world_.dimension, 2) : depth;
    const bool by_two = world_.p_absent > 0.0 || world_.open;
    const int planes = height == 1 || n < 4 ? 1 : std::clamp(n / width - n / width % 2, 2, height);
    int rows = 1;
    if (n > 1) {
        const int segments = (width + n / planes / 2 * 2 - 1) / (n / planes / 2 * 2);
        rows = (width + segments - 1) / segments;
        rows += rows % 2;
    }
    for (int replica = 0; replica < world_.replicas; ++replica)
        for (int slot = 0; slot < world_.slots(); ++slot)
            for (const auto& [first_z, end_z] : pieces(depth, height, planes))
                for (const auto& [first_y, end_y] : pieces(L, width, rows))
                    for (int h = 0; h < L / 2; ++h) {
                        const auto site_at = [&](int y, int z) {
                            return 2 * h + (colour + y + z) % 2 + L * (y + L * z);
                        };
                        const int first = site_at(first_y, first_z);
                        int d = drawn_demon(for_demon, by_two ? 7 : 3, by_two ? 2.0 : 4.0, first, sweep, slot,
                                            replica);
                        int m = world_.field == 0.0
                                    ? 0
                                    : drawn_demon(for_field_demon, 3, 2.0 * std::abs(world_.field), first,
                                                  sweep, slot, replica);
                        for (int z = first_z; z < end_z; ++z)
                            for (int y = first_y; y < end_y; ++y)
                                serve(site_at(y, z), sweep, slot, replica, d, m);
                    }
}

}  // namespace psflip::reference
