#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sweep/vector/vector_setup.hpp"

namespace psflip {

/// Places of numbers of canonical order in the order of VectorLattices.
class VectorLayout {
  public:
    explicit VectorLayout(const VectorSetup& setup)
        : L_(static_cast<std::size_t>(setup.L)),
          sites_(static_cast<std::size_t>(setup.sites())),
          components_(static_cast<std::size_t>(setup.components())) {}

    /// Calls pair(canonical, held) for all numbers of spins: canonical is (state, component, site), held is
    /// (state, colour, component, place).
    template <class Pair>
    void for_each_spin_number(std::size_t numbers, Pair pair) const {
        for (std::size_t i = 0; i < numbers; ++i) {
            const auto [colour, place] = of_site(i % sites_);
            const std::size_t array = i / sites_, state = array / components_, k = array % components_;
            pair(i, ((state * 2 + colour) * components_ + k) * (sites_ / 2) + place);
        }
    }
    /// Returns arrays over all sites (.., site) as (.., colour, place).
    template <class To, class From>
    std::vector<To> by_colour(const std::vector<From>& from) const {
        std::vector<To> to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto [colour, place] = of_site(i % sites_);
            to[(i / sites_ * 2 + colour) * (sites_ / 2) + place] = static_cast<To>(from[i]);
        }
        return to;
    }

  private:
    /// Returns the colour of a site, and its place among the sites of the colour.
    std::pair<std::size_t, std::size_t> of_site(std::size_t site) const {
        const std::size_t x = site % L_, row = site / L_;
        return {(x + row % L_ + row / L_) & 1, row * (L_ / 2) + x / 2};
    }

    std::size_t L_, sites_, components_;
};

/// Returns the species of all sites, also if all are a.
inline std::vector<std::uint8_t> species_of_all(const VectorSetup& setup) {
    if (!setup.species.empty()) return setup.species;
    return std::vector<std::uint8_t>(static_cast<std::size_t>(setup.realizations * setup.sites()));
}

}  // namespace psflip
