#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "random/philox.hpp"
#include "sweep/vector/vector_ensemble.hpp"

namespace psflip::naive {

/// Updates the lattices of a setup one site after the other, by the scalar site rule. `spins` has the order
/// of VectorEnsemble::spins.
template <class T>
class Vectors {
  public:
    explicit Vectors(const VectorSetup& setup)
        : setup_(setup),
          widths_(static_cast<std::size_t>(setup.states()), 2.0),
          terms_(setup.terms()),
          key_(setup.key()) {
        renewed.resize(static_cast<std::size_t>(setup.states()));
    }

    std::vector<double> spins;
    std::vector<std::uint64_t> renewed;
    void set_widths(const std::vector<double>& widths) { widths_ = widths; }

    /// Sets temperatures and field from here on. Random numbers remain the numbers of the setup.
    void set_conditions(const std::vector<double>& betas, double field) {
        setup_.betas = betas;
        setup_.model.field = field;
    }

    /// Does the sweeps first, ..., first + count - 1. With tiles, these are whole steps.
    void sweep(VectorUpdate update, std::int64_t first, std::int64_t count) {
        for (std::int64_t number = first; number < first + count; number += setup_.hits)
            setup_.tile > 0 ? step(update, number) : sweep(update, number);
    }
    void sweep(VectorUpdate update, std::int64_t number) {
        for (std::int64_t state = 0; state < setup_.states(); ++state)
            for (int colour = 0; colour < 2; ++colour)
                for (std::int64_t site = 0; site < setup_.sites(); ++site)
                    if (colour_of(site) == colour) renew(update, number, state, site);
    }

    /// Returns the energy by term from the definition, in long double, with the bonds from every site to its
    /// neighbours one step up.
    std::array<long double, 4> energies(std::int64_t state) const {
        std::array<long double, 4> sum{};
        for (std::int64_t site = 0; site < setup_.sites(); ++site) add_energies(state, site, sum);
        return sum;
    }

  private:
    using Spin3 = std::array<long double, 3>;

    /// Updates every tile of one colour `hits` times, one tile after the other, then all tiles of the other
    /// colour.
    void step(VectorUpdate update, std::int64_t number) {
        const bool odd = number / setup_.hits % 2 == 1,
                   other_tiles = odd && setup_.tile_order != TileOrder::fixed,
                   other_sites = odd && setup_.tile_order == TileOrder::reversed;
        const int edge = setup_.tile, deep = setup_.dimension() == 3 ? edge : 1;
        for (const int tile_colour : {other_tiles ? 1 : 0, other_tiles ? 0 : 1})
            for (int z = 0; z < setup_.depth(); z += deep)
                for (int y = 0; y < setup_.L; y += edge)
                    for (int x = 0; x < setup_.L; x += edge)
                        if ((x / edge + y / edge + z / deep) % 2 == tile_colour)
                            for (std::int64_t state = 0; state < setup_.states(); ++state)
                                for (int hit = 0; hit < setup_.hits; ++hit)
                                    renew_tile(update, number + hit, state, {x, y, z}, other_sites);
    }
    /// Updates the sites of one colour of a tile, then the other sites.
    void renew_tile(VectorUpdate update, std::int64_t number, std::int64_t state, std::array<int, 3> origin,
                    bool other_sites) {
        const std::int64_t L = setup_.L;
        for (const int colour : {other_sites ? 1 : 0, other_sites ? 0 : 1})
            for (int z = origin[2]; z < origin[2] + (setup_.dimension() == 3 ? setup_.tile : 1); ++z)
                for (int y = origin[1]; y < origin[1] + setup_.tile; ++y)
                    for (int x = origin[0]; x < origin[0] + setup_.tile; ++x)
                        if ((x + y + z) % 2 == colour) renew(update, number, state, x + L * (y + L * z));
    }

    int coordinate(std::int64_t site, int d) const {
        for (; d > 0; --d) site /= setup_.L;
        return static_cast<int>(site % setup_.L);
    }
    int colour_of(std::int64_t site) const {
        return (coordinate(site, 0) + coordinate(site, 1) + coordinate(site, 2)) & 1;
    }
    /// Returns the site one step along d, or -1 behind an open boundary.
    std::int64_t step(std::int64_t site, int d, bool up) const {
        std::int64_t stride = 1;
        for (int i = 0; i < d; ++i) stride *= setup_.L;
        const int at = coordinate(site, d), to = up ? at + 1 : at - 1;
        if (to >= 0 && to < setup_.L) return site + (up ? stride : -stride);
        return setup_.open() ? -1 : site + (up ? -stride : stride) * (setup_.L - 1);
    }
    double& component(std::int64_t state, std::int64_t site, int k) {
        return spins[static_cast<std::size_t>((state * setup_.components() + k) * setup_.sites() + site)];
    }
    double component(std::int64_t state, std::int64_t site, int k) const {
        return const_cast<Vectors*>(this)->component(state, site, k);
    }
    bool is_b(std::int64_t state, std::int64_t site) const {
        return !setup_.species.empty() &&
               setup_.species[static_cast<std::size_t>(setup_.realization(state) * setup_.sites() + site)] ==
                   1;
    }
    double coupling(std::int64_t state, std::int64_t site, int d) const {
        return setup_.couplings[static_cast<std::size_t>(
            (setup_.realization(state) * setup_.dimension() + d) * setup_.sites() + site)];
    }

    template <VectorTerms terms, int N>
    VectorSite<T, N> read(std::int64_t state, std::int64_t site) {
        const VectorConstants<T> constants = setup_.template constants<T>();
        const bool b = is_b(state, site);
        VectorSite<T, N> of{};
        LocalField<terms, T, N> field(constants, b);
        for (int d = 0; d < setup_.dimension(); ++d)
            for (bool up : {false, true}) {
                const std::int64_t other = step(site, d, up);
                VectorNeighbour<T, N> j{};
                if (other >= 0) {
                    for (int k = 0; k < N; ++k) j.spin.c[k] = static_cast<T>(component(state, other, k));
                    j.species = is_b(state, other);
                    if (terms == VectorTerms::bonds)
                        j.coupling = static_cast<T>(coupling(state, up ? site : other, d));
                }
                j.sign = constants.sign(colour_of(site), up);
                field.add(j);
            }
        for (int k = 0; k < N; ++k) of.spin.c[k] = static_cast<T>(component(state, site, k));
        of.field = field.sum(constants, b);
        of.anisotropy = field.anisotropy(constants, b);
        of.beta = static_cast<T>(setup_.betas[static_cast<std::size_t>(setup_.slot(state))]);
        of.width = static_cast<T>(widths_[static_cast<std::size_t>(state)]);
        return of;
    }

    template <VectorUpdate update, VectorTerms terms, int N>
    void renew_by(std::int64_t number, std::int64_t state, std::int64_t site) {
        const RandomBlock block = philox(
            make_counter(Purpose::vector_update, static_cast<std::uint32_t>(site),
                         static_cast<std::uint64_t>(number), static_cast<std::uint32_t>(setup_.slot(state)),
                         static_cast<std::uint32_t>(setup_.replica(state)), 0,
                         static_cast<std::uint32_t>(setup_.first_realization + setup_.realization(state))),
            key_);
        const auto outcome =
            updated<update, terms == VectorTerms::species>(read<terms, N>(state, site), block.word);
        for (int k = 0; k < N; ++k) component(state, site, k) = static_cast<double>(outcome.spin.c[k]);
        if (update != VectorUpdate::over_relaxation)
            renewed[static_cast<std::size_t>(state)] += outcome.renewed;
    }
    void renew(VectorUpdate update, std::int64_t number, std::int64_t state, std::int64_t site) {
        with_terms(terms_, setup_.components(), [&]<VectorTerms terms, int N>() {
            with_update<N>(update,
                           [&]<VectorUpdate one>() { this->renew_by<one, terms, N>(number, state, site); });
        });
    }

    Spin3 spin(std::int64_t state, std::int64_t site) const {
        Spin3 s{};
        for (int k = 0; k < setup_.components(); ++k) s[k] = component(state, site, k);
        return s;
    }
    void add_energies(std::int64_t state, std::int64_t site, std::array<long double, 4>& sum) const {
        const ModelSection& of = setup_.model;
        const Spin3 s = spin(state, site);
        const bool b = is_b(state, site);
        if (of.gaussian()) {
            sum[3] -= of.field * s[0];
        } else {
            sum[2] -= of.anisotropy[b] * s[0] * s[0];
            sum[3] -= of.field * of.moments[b] * s[2];
        }
        for (int d = 0; d < setup_.dimension(); ++d) {
            const std::int64_t other = step(site, d, true);
            if (other < 0) continue;
            const Spin3 t = spin(state, other);
            const int pair = b + is_b(state, other);
            const long double J = setup_.couplings.empty() ? of.exchange[pair] : coupling(state, site, d);
            sum[0] -= J * (s[0] * t[0] + s[1] * t[1] + s[2] * t[2]);
            if (!of.has_dm()) continue;
            const auto n = dm_direction(of);
            const long double D =
                of.dm[pair] * (of.dm_pattern == DmPattern::constant ? 1 : 1 - 2 * colour_of(site));
            sum[1] -= D * (n[0] * (s[1] * t[2] - s[2] * t[1]) + n[1] * (s[2] * t[0] - s[0] * t[2]) +
                           n[2] * (s[0] * t[1] - s[1] * t[0]));
        }
    }

    VectorSetup setup_;
    std::vector<double> widths_;
    VectorTerms terms_;
    std::uint64_t key_;
};

}  // namespace psflip::naive
