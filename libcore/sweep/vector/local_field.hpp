#pragma once

#include "sweep/vector/vector_rule.hpp"

namespace psflip {

/// Says which terms of the energy a sweep computes.
enum class VectorTerms {
    exchange,  ///< the exchange, with one J for all bonds
    species,   ///< exchange, Dzyaloshinskii-Moriya vectors, anisotropy and field, for two species
    bonds      ///< the exchange, with a J for each bond, and a field
};

/// Holds the parameters of a model in the precision of the spins. `exchange` (J) and `dm` (D) belong to bonds
/// aa, ab and bb of species a and b. `anisotropy` (K) and `moment` belong to species a and b. `axis` is the
/// unit vector n along the Dzyaloshinskii-Moriya vectors D n.
template <class T>
struct VectorConstants {
    T exchange[3], dm[3], axis[3], anisotropy[2], moment[2];
    T field;
    bool alternating;

    /// Returns the sign of D for the bond of a site of this colour with its neighbour one step up or down an
    /// axis.
    PSFLIP_HD T sign(int colour, bool up) const { return T((alternating ? colour == 0 : up) ? 1.0 : -1.0); }
};

/// Describes a neighbour that adds to a local field. Members that the terms do not need are not set.
template <class R, int N>
struct VectorNeighbour {
    Spin<R, N> spin;                       ///< 0 across an open boundary
    typename RealTraits<R>::Mask species;  ///< set if the neighbour is b
    R coupling;
    R sign;  ///< VectorConstants::sign
};

/// Computes the local field F of a site, whose energy is -F.S - K (S^x)^2. Add the neighbours in the order x,
/// y, z, first down, then up. The two along x may change places, because the sum keeps its bits. The
/// Dzyaloshinskii-Moriya energy of neighbours i and j is -D n.(S_i x S_j) = -D S_i.(S_j x n). Seen from site
/// j, D has the opposite sign.
template <VectorTerms terms, class R, int N>
class LocalField {
    using Scalar = typename RealTraits<R>::Scalar;
    using Mask = typename RealTraits<R>::Mask;
    using Constants = VectorConstants<Scalar>;

  public:
    LocalField() = default;
    PSFLIP_HD LocalField(const Constants& constants, Mask species) {
        for (int k = 0; k < N; ++k) exchange_.c[k] = dm_.c[k] = R(0.0);
        if constexpr (terms == VectorTerms::species)
            for (int other = 0; other < 2; ++other) {
                exchange_of_[other] = of(species, constants.exchange[1 + other], constants.exchange[other]);
                dm_of_[other] = of(species, constants.dm[1 + other], constants.dm[other]);
            }
    }

    PSFLIP_HD void add(const VectorNeighbour<R, N>& j) {
        if constexpr (terms == VectorTerms::exchange) {
            for (int k = 0; k < N; ++k) exchange_.c[k] = exchange_.c[k] + j.spin.c[k];
        } else if constexpr (terms == VectorTerms::bonds) {
            for (int k = 0; k < N; ++k) exchange_.c[k] = exchange_.c[k] + j.coupling * j.spin.c[k];
        } else {
            const R exchange = RealTraits<R>::choose(j.species, exchange_of_[1], exchange_of_[0]);
            const R dm = j.sign * RealTraits<R>::choose(j.species, dm_of_[1], dm_of_[0]);
            for (int k = 0; k < N; ++k) {
                exchange_.c[k] = exchange_.c[k] + exchange * j.spin.c[k];
                dm_.c[k] = dm_.c[k] + dm * j.spin.c[k];
            }
        }
    }

    /// Returns the part of F from the exchange, the sum of J S_j over the neighbours j.
    PSFLIP_HD Spin<R, N> exchange(const Constants& constants) const {
        Spin<R, N> field = exchange_;
        if constexpr (terms == VectorTerms::exchange)
            for (int k = 0; k < N; ++k) field.c[k] = R(constants.exchange[0]) * field.c[k];
        return field;
    }
    /// Returns the part of F from Dzyaloshinskii-Moriya vectors: the sum of D S_j over the neighbours j,
    /// times n (vector product).
    PSFLIP_HD Spin<R, N> dm(const Constants& constants) const {
        const R x(constants.axis[0]), y(constants.axis[1]), z(constants.axis[2]);
        return {{dm_.c[1] * z - dm_.c[2] * y, dm_.c[2] * x - dm_.c[0] * z, dm_.c[0] * y - dm_.c[1] * x}};
    }
    /// Returns F. The external field h lies along the last component.
    PSFLIP_HD Spin<R, N> sum(const Constants& constants, Mask species) const {
        Spin<R, N> field = exchange(constants);
        if constexpr (terms == VectorTerms::species) {
            const Spin<R, N> twist = dm(constants);
            for (int k = 0; k < N; ++k) field.c[k] = field.c[k] + twist.c[k];
            field.c[N - 1] = field.c[N - 1] + moment(constants, species) * R(constants.field);
        } else if constexpr (terms == VectorTerms::bonds) {
            field.c[N - 1] = field.c[N - 1] + R(constants.field);
        }
        return field;
    }
    PSFLIP_HD static R moment(const Constants& constants, Mask species) {
        return of(species, constants.moment[1], constants.moment[0]);
    }
    PSFLIP_HD static R anisotropy(const Constants& constants, Mask species) {
        return of(species, constants.anisotropy[1], constants.anisotropy[0]);
    }

  private:
    PSFLIP_HD static R of(Mask species, Scalar b, Scalar a) {
        return RealTraits<R>::choose(species, R(b), R(a));
    }

    Spin<R, N> exchange_, dm_;
    R exchange_of_[2], dm_of_[2];
};

/// Holds the part of a site in each term of the energy of its lattice.
template <class R>
struct SiteTerms {
    R exchange, dm, anisotropy, field;
};

/// Returns the energies of a site: its bonds with the neighbours one step up, its anisotropy and its field.
/// Add only these neighbours to `up` before the call. Terms that a model does not have are 0.
template <VectorTerms terms, class R, int N>
PSFLIP_HD SiteTerms<R> site_terms(const Spin<R, N>& spin, const LocalField<terms, R, N>& up,
                                  const VectorConstants<typename RealTraits<R>::Scalar>& constants,
                                  typename RealTraits<R>::Mask species) {
    const R none(0.0);
    SiteTerms<R> of{none - product(spin, up.exchange(constants)), none, none, none};
    if constexpr (terms == VectorTerms::species) {
        of.dm = none - product(spin, up.dm(constants));
        of.anisotropy = none - up.anisotropy(constants, species) * (spin.c[0] * spin.c[0]);
        of.field = none - up.moment(constants, species) * R(constants.field) * spin.c[N - 1];
    } else if constexpr (terms == VectorTerms::bonds) {
        of.field = none - R(constants.field) * spin.c[N - 1];
    }
    return of;
}

/// Converts real numbers x to integers, whose sum does not depend on their order. x is rounded to a multiple
/// of a unit, which is a power of two. |x| must be below 2^50 units.
class FixedPoint {
  public:
    explicit FixedPoint(double unit) : unit_(unit), offset_(unit * 0x1.8p52) {}
    double unit() const { return unit_; }
    /// Returns 1.5 * 2^52 units. In x + offset, the last bit of the mantissa is worth one unit. So x in units
    /// is bits(x + offset) - bits(offset). A sum over n numbers x may add bits(x + offset) instead, and
    /// subtract n * bits(offset) at the end.
    PSFLIP_HD double offset() const { return offset_; }
    PSFLIP_HD std::int64_t of(double x) const {
        return static_cast<std::int64_t>(RealTraits<double>::bits(x + offset_) -
                                         RealTraits<double>::bits(offset_));
    }

  private:
    double unit_, offset_;
};

/// The number of energies of a lattice, and the number of all its sums. The sums are in this order: energies
/// (exchange, Dzyaloshinskii-Moriya, anisotropy, field), then magnetisations (sublattice, species,
/// component). Sublattice 0 has the sites of even x + y + z.
inline constexpr int energy_sums = 4, vector_sums = energy_sums + 2 * 2 * 3;
/// Returns the index of a magnetisation in this order.
constexpr int magnetisation_sum(int sublattice, int species, int component) {
    return energy_sums + (sublattice * 2 + species) * 3 + component;
}

/// Holds the units for sums over at most 2^30 sites. In absolute value, a site adds at most `largest` to a
/// sum of energies, and at most 1 to a sum of magnetisations.
struct VectorUnits {
    FixedPoint energy, magnetisation{0x1p-31};
    explicit VectorUnits(double largest) : energy(unit_above(largest) * 0x1p-31) {}

  private:
    static double unit_above(double largest) {
        double unit = 1.0;
        while (unit < largest) unit *= 2.0;
        while (unit * 0.5 >= largest && unit > 0x1p-900) unit *= 0.5;
        return unit;
    }
};

/// Calls f<terms, components>() with the terms and the number of components as template arguments. With one
/// component, the terms are `bonds`.
template <class F>
void with_terms(VectorTerms terms, int components, const F& f) {
    if (components == 1) return f.template operator()<VectorTerms::bonds, 1>();
    switch (terms) {
        case VectorTerms::exchange:
            return f.template operator()<VectorTerms::exchange, 3>();
        case VectorTerms::species:
            return f.template operator()<VectorTerms::species, 3>();
        case VectorTerms::bonds:
            return f.template operator()<VectorTerms::bonds, 3>();
    }
}

/// Calls f<update>() with the update as template argument. Spins with one component have only heat_bath and
/// metropolis.
template <int components, class F>
void with_update(VectorUpdate update, const F& f) {
    if (update == VectorUpdate::heat_bath) return f.template operator()<VectorUpdate::heat_bath>();
    if constexpr (components == 3) {
        if (update == VectorUpdate::cone) return f.template operator()<VectorUpdate::cone>();
        if (update == VectorUpdate::over_relaxation)
            return f.template operator()<VectorUpdate::over_relaxation>();
    }
    f.template operator()<VectorUpdate::metropolis>();
}

}  // namespace psflip
