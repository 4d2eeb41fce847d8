#pragma once

// For the device; the host's tests call it, too.

#include "lattice/geometry_cuda.cuh"
#include "random/philox.hpp"
#include "sweep/vector/site_terms.hpp"

namespace psflip {

/// The lattices of a batch in device memory, each in checkerboard order (lattice/layout.hpp): first the sites
/// of colour 0, a component after the other, then those of colour 1.
template <class T>
struct VectorLattices {
    Geometry geometry;  ///< of one plane in two dimensions
    unsigned realizations,
        slots;  ///< a state's number is (replica * slots + slot) * realizations + realization
    unsigned first_realization;
    bool open, planar;            ///< boundaries; two dimensions
    T* spins;                     ///< (state, colour, component, site)
    const std::uint8_t* species;  ///< (realization, colour, site)
    const T* couplings;           ///< (realization, direction, colour, site), 0 across open boundaries
    const T *betas, *widths;      ///< (slot)
};

/// A site of a colour of a state, and its neighbours.
template <class T, VectorTerms terms, int N>
class VectorPlace {
  public:
    PSFLIP_HD VectorPlace(const VectorLattices<T>& of, unsigned state, unsigned colour, unsigned i)
        : of_(of), colour_(colour), i_(i) {
        const Geometry& g = of.geometry;
        // The reciprocal of 1 has no room.
        const unsigned row = g.half == 1 ? i : corrected_quotient(i, g.half, g.half_reciprocal);
        const unsigned z = corrected_quotient(row, g.L, g.L_reciprocal), y = row - z * g.L;
        place_ = {i - row * g.half, y, z, (colour + y + z) & 1u};
        realization_ = state % of.realizations;
        const unsigned above = state / of.realizations;
        slot_ = above % of.slots, replica_ = above / of.slots;
        spins_ = of.spins + std::size_t{state} * 2 * N * g.colour_sites;
    }

    PSFLIP_HD T* own(int k) const { return component(colour_, k) + i_; }
    PSFLIP_HD Spin<T, N> spin() const {
        Spin<T, N> s;
        for (int k = 0; k < N; ++k) s.c[k] = *own(k);
        return s;
    }
    PSFLIP_HD bool species() const { return species_of(colour_, i_); }
    PSFLIP_HD T beta() const { return of_.betas[slot_]; }
    PSFLIP_HD T width() const { return of_.widths[slot_]; }
    PSFLIP_HD RandomBlock words(std::uint64_t key, std::uint64_t sweep) const {
        return philox(make_counter(Purpose::vector_update, standard_site(of_.geometry, place_), sweep, slot_,
                                   replica_, 0, of_.first_realization + realization_),
                      key);
    }

    /// The local field of all neighbours, or of those one step up.
    PSFLIP_HD LocalField<terms, T, N> field(const VectorConstants<T>& constants, bool only_up) const {
        const Geometry& g = of_.geometry;
        LocalField<terms, T, N> sum(constants, species());
        const bool odd = place_.parity != 0;
        const auto both = [&](int direction, unsigned at, unsigned last, unsigned up, unsigned down) {
            if (!only_up) add(sum, constants, direction, false, at == 0, down);
            add(sum, constants, direction, true, at == last, up);
        };
        const unsigned end = g.half - 1, first = i_ - place_.h;
        const unsigned left = first + (place_.h == 0 ? end : place_.h - 1);
        const unsigned right = first + (place_.h == end ? 0u : place_.h + 1);
        both(0, 2 * place_.h + place_.parity, g.L - 1, odd ? right : i_, odd ? i_ : left);
        both(1, place_.y, g.L - 1, place_.y + 1 == g.L ? i_ - g.last_row : i_ + g.half,
             place_.y == 0 ? i_ + g.last_row : i_ - g.half);
        if (!of_.planar)
            both(2, place_.z, g.depth - 1, place_.z + 1 == g.depth ? i_ - g.last_plane : i_ + g.plane,
                 place_.z == 0 ? i_ + g.last_plane : i_ - g.plane);
        return sum;
    }

  private:
    PSFLIP_HD T* component(unsigned colour, int k) const {
        return spins_ + (colour * N + k) * of_.geometry.colour_sites;
    }
    PSFLIP_HD bool species_of(unsigned colour, unsigned i) const {
        if constexpr (terms == VectorTerms::species)
            return of_.species[(std::size_t{realization_} * 2 + colour) * of_.geometry.colour_sites + i] != 0;
        else
            return false;
    }

    /// The neighbour at site `other` of the other colour; `edge`: across a boundary.
    PSFLIP_HD void add(LocalField<terms, T, N>& sum, const VectorConstants<T>& constants, int direction,
                       bool up, bool edge, unsigned other) const {
        VectorNeighbour<T, N> j;
        const bool there = !(edge && of_.open);
        for (int k = 0; k < N; ++k) j.spin.c[k] = there ? component(1 - colour_, k)[other] : T(0);
        j.species = species_of(1 - colour_, other);
        j.sign = constants.sign(static_cast<int>(colour_), up);
        if constexpr (terms == VectorTerms::bonds) {
            const std::size_t array = (std::size_t{realization_} * (of_.planar ? 2 : 3) + direction) * 2;
            j.coupling = of_.couplings[(array + (up ? colour_ : 1 - colour_)) * of_.geometry.colour_sites +
                                       (up ? i_ : other)];
        }
        sum.add(j);
    }

    const VectorLattices<T>& of_;
    unsigned colour_, i_, realization_, slot_, replica_;
    Place place_;
    T* spins_;
};

}  // namespace psflip
