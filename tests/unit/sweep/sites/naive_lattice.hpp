#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "disorder/couplings.hpp"
#include "model/class_table.hpp"
#include "random/philox.hpp"
#include "sweep/sites/large_lattice.hpp"

namespace psflip::test {

/// Does the work of LargeLattice by plain loops over sites, with one spin per byte. Subdomains, random
/// numbers and order of updates follow large_lattice.hpp and random/purposes.hpp, in independent code.
class NaiveLattice {
  public:
    NaiveLattice(const LargeLatticeSetup& setup, std::vector<std::int8_t> spins)
        : setup_(setup),
          L_(setup.L),
          dimension_(setup.model.dimension),
          table_(setup.model, setup.beta, Classes::unsatisfied),
          key_(setup.model.random_key(setup.seed, setup.L)),
          spins_(std::move(spins)) {
        const CouplingsLaw law{.seed = setup.seed, .model = setup.model, .L = setup.L};
        couplings_ = generate_couplings(law, setup.realization, 1, 1);
    }

    void step() {
        if (setup_.tile == 0) {
            for (int colour = 0; colour < 2; ++colour)
                update_if(completed_, [&](const std::vector<int>& x) { return parity(x, 1) == colour; });
            ++completed_;
            return;
        }
        const bool odd = completed_ / setup_.hits % 2 == 1,
                   other_tiles = odd && setup_.tile_order != TileOrder::fixed,
                   other_sites = odd && setup_.tile_order == TileOrder::reversed;
        for (int tiles = 0; tiles < 2; ++tiles)
            for (int hit = 0; hit < setup_.hits; ++hit)
                for (int colour = 0; colour < 2; ++colour)
                    update_if(completed_ + hit, [&](const std::vector<int>& x) {
                        return parity(x, setup_.tile) == (other_tiles ? 1 - tiles : tiles) &&
                               parity(x, 1) == (other_sites ? 1 - colour : colour);
                    });
        completed_ += setup_.hits;
    }
    const std::vector<std::int8_t>& spins() const { return spins_; }
    LatticeSums sums() const {
        LatticeSums sums;
        for (std::size_t site = 0; site < spins_.size(); ++site) {
            sums.magnetisation += spins_[site];
            for (int d = 0; d < dimension_; ++d)
                sums.bonds -= spins_[site] * J(d, site) * spins_[neighbour(site, d, 1)];
        }
        return sums;
    }

  private:
    std::vector<int> coordinates(std::size_t site) const {
        std::vector<int> x;
        for (int d = 0; d < dimension_; ++d, site /= L_) x.push_back(static_cast<int>(site % L_));
        return x;
    }
    static int parity(const std::vector<int>& x, int edge) {
        int sum = 0;
        for (const int coordinate : x) sum += coordinate / edge;
        return sum % 2;
    }
    std::size_t neighbour(std::size_t site, int d, int by) const {
        std::size_t stride = 1;
        for (int i = 0; i < d; ++i) stride *= L_;
        const std::size_t x = site / stride % L_;
        return site - x * stride + (x + L_ + by) % L_ * stride;
    }
    int J(int d, std::size_t site) const { return couplings_[d * spins_.size() + site]; }

    /// Returns the random number of a site. Its bit 31 - k is bit lane % 32 of word k % 4 of Philox with
    /// digit k / 4.
    std::uint32_t number(std::int64_t sweep, const std::vector<int>& x) const {
        const int subdomains[2][3] = {{8, 16, 1}, {4, 4, 8}};
        int lane = 0, local_index = 0, lane_stride = 1, index_stride = 1;
        for (int d = 0; d < dimension_; ++d) {
            const int count = subdomains[dimension_ == 3][d], extent = L_ / count;
            lane += x[d] / extent * lane_stride;
            local_index += x[d] % extent * index_stride;
            lane_stride *= count;
            index_stride *= extent;
        }
        std::uint32_t number = 0;
        for (int k = 0; k < 32; ++k) {
            const Counter counter{static_cast<std::uint32_t>(local_index), static_cast<std::uint32_t>(sweep),
                                  static_cast<std::uint32_t>(sweep >> 32) | setup_.slot << 16 |
                                      setup_.replica << 22 | static_cast<std::uint32_t>(k / 4) << 25 |
                                      static_cast<std::uint32_t>(lane / 32) << 28,
                                  setup_.realization | 8u << 24};
            number |= (philox(counter, key_).word[k % 4] >> lane % 32 & 1u) << (31 - k);
        }
        return number;
    }
    template <class Chosen>
    void update_if(std::int64_t sweep, const Chosen& chosen) {
        for (std::size_t site = 0; site < spins_.size(); ++site) {
            const std::vector<int> x = coordinates(site);
            if (!chosen(x)) continue;
            int unsatisfied = 0;
            for (int d = 0; d < dimension_; ++d) {
                const std::size_t above = neighbour(site, d, 1), below = neighbour(site, d, -1);
                unsatisfied += spins_[site] * spins_[above] * J(d, site) < 0;
                unsatisfied += spins_[site] * spins_[below] * J(d, below) < 0;
            }
            if (unsatisfied >= table_.v_min(number(sweep, x), spins_[site])) spins_[site] *= -1;
        }
    }

    LargeLatticeSetup setup_;
    int L_, dimension_;
    ClassTable table_;
    std::uint64_t key_;
    std::vector<std::int8_t> spins_, couplings_;
    std::int64_t completed_ = 0;
};

}  // namespace psflip::test
