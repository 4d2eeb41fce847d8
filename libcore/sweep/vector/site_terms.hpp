#pragma once

#include "sweep/vector/local_field.hpp"

namespace psflip {

/// What a site gives to the sums of its lattice.
template <class R>
struct SiteTerms {
    R exchange, dm, anisotropy, field;
};

/// Energies of a site: its bonds with the neighbours one step up, which are all that `up` has, its anisotropy
/// and its field. Terms that a model does not have are 0.
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

/// Real numbers added up as integers, which give the same sum in any order: x is rounded to a multiple of a
/// unit, a power of two; |x| < 2^50 units.
class FixedPoint {
  public:
    explicit FixedPoint(double unit) : unit_(unit), offset_(unit * 0x1.8p52) {}
    double unit() const { return unit_; }
    /// x + offset has multiples of the unit as its last bits; the offset's bits are taken off again, here or
    /// from the sum.
    PSFLIP_HD double offset() const { return offset_; }
    PSFLIP_HD std::int64_t of(double x) const {
        return static_cast<std::int64_t>(RealTraits<double>::bits(x + offset_) -
                                         RealTraits<double>::bits(offset_));
    }

  private:
    double unit_, offset_;
};

/// The sums of a lattice: energies by term and magnetisations (sublattice, species, component), sublattice 0
/// being that of even x + y + z.
inline constexpr int energy_sums = 4, vector_sums = energy_sums + 2 * 2 * 3;
constexpr int magnetisation_sum(int sublattice, int species, int component) {
    return energy_sums + (sublattice * 2 + species) * 3 + component;
}

/// Units of the sums of at most 2^30 sites: of energies, where a site's share is at most `largest`, and of
/// magnetisations.
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

}  // namespace psflip
