#include <algorithm>
#include <cmath>
#include <queue>

#include "reference/reference.hpp"

namespace psflip::reference {

namespace {

constexpr std::uint32_t for_cluster_bond = 18, for_wolff_site = 19;

}  // namespace

/// Returns whether the bond from a site to its next neighbour along an axis connects a cluster.
bool Realization::active(int site, int axis, std::int64_t step, int slot, int replica) const {
    const std::vector<int>& s = spins_[replica][slot];
    if (bond(site, axis) == 0 || s[site] != s[neighbours_[site][2 * axis]]) return false;
    const double p = 1.0 - std::exp(-2.0 / world_.temperatures[slot]);
    return block(for_cluster_bond, site, step, slot, replica, 0, number_)[axis] <
           std::min(std::llround(4294967296.0 * p), 4294967295ll);
}

/// Returns the sites that active bonds connect with `seed`.
std::vector<int> Realization::cluster(int seed, std::int64_t step, int slot, int replica) const {
    std::vector<bool> found(static_cast<std::size_t>(world_.sites()));
    std::vector<int> sites;
    std::queue<int> open;
    const auto add = [&](int site) {
        if (found[site]) return;
        found[site] = true;
        sites.push_back(site);
        open.push(site);
    };
    for (add(seed); !open.empty(); open.pop())
        for (int axis = 0; axis < world_.dimension; ++axis) {
            const int site = open.front(), after = neighbours_[site][2 * axis],
                      before = neighbours_[site][2 * axis + 1];
            if (active(site, axis, step, slot, replica)) add(after);
            if (active(before, axis, step, slot, replica)) add(before);
        }
    return sites;
}

/// Adds |C|^2, and |F_C(k)|^2 with cosines and sines in units of 2^-16 along all axes.
void Realization::add_cluster(const std::vector<int>& sites, unsigned __int128& square,
                              unsigned __int128& modes) const {
    square += static_cast<unsigned __int128>(sites.size()) * sites.size();
    for (int axis = 0, stride = 1; axis < world_.dimension; ++axis, stride *= world_.L) {
        __int128 re = 0, im = 0;
        for (const int site : sites) {
            const double angle = 2 * std::acos(-1.0) * (site / stride % world_.L) / world_.L;
            re += std::llround(65536 * std::cos(angle));
            im += std::llround(65536 * std::sin(angle));
        }
        modes += static_cast<unsigned __int128>(re * re + im * im);
    }
}

void Realization::swendsen_wang(std::int64_t sweep, int slot, int replica) {
    const std::vector<int> old = spins_[replica][slot];
    std::vector<int> next(old.size(), 0);
    unsigned __int128 square = 0, modes = 0;
    for (int site = 0; site < world_.sites(); ++site) {
        if (next[site] != 0) continue;  // of a cluster with a smaller site
        const auto words = block(for_cluster_bond, site, sweep, slot, replica, 0, number_);
        const std::vector<int> members = cluster(site, sweep, slot, replica);
        add_cluster(members, square, modes);
        for (const int member : members) next[member] = words[3] >= 2147483648u ? +1 : -1;
    }
    const double N = world_.sites();
    improved_[replica][slot] = {static_cast<double>(square) / (N * N),
                                static_cast<double>(modes) / 4294967296.0 / (N * N)};
    spins_[replica][slot] = next;
}

void Realization::wolff(std::int64_t step, int slot, int replica) {
    const auto words = block(for_wolff_site, 0, step, slot, replica, 0, number_);
    const unsigned __int128 number = words[0] + 4294967296ull * words[1];
    const auto seed = static_cast<int>(number * static_cast<unsigned>(world_.sites()) >> 64);
    for (const int site : cluster(seed, step, slot, replica)) spins_[replica][slot][site] *= -1;
}

void Realization::cluster_sweep(std::int64_t sweep) {
    for (int replica = 0; replica < world_.replicas; ++replica)
        for (int slot = 0; slot < world_.slots(); ++slot) {
            if (world_.swendsen_wang) swendsen_wang(sweep, slot, replica);
            for (int c = 0; c < world_.wolff_clusters; ++c)
                wolff(sweep * world_.wolff_clusters + c, slot, replica);
        }
}

}  // namespace psflip::reference
