#pragma once

#include "sweep/vector/vector_rule.hpp"

namespace psflip {

/// Which terms of the energy a sweep knows.
enum class VectorTerms {
    exchange,  ///< one J for all bonds
    species,   ///< all terms: species, Dzyaloshinskii-Moriya vectors, anisotropy, field
    bonds      ///< a J for each bond, and a field
};

/// The parameters of a model in the precision of the spins.
template <class T>
struct VectorConstants {
    T exchange[3], dm[3], axis[3], anisotropy[2], moment[2];
    T field;
    bool alternating;

    /// The sign of D for the bond with a neighbour of a site of colour 0 or 1, up along its axis or down.
    PSFLIP_HD T sign(int colour, bool up) const { return T((alternating ? colour == 0 : up) ? 1.0 : -1.0); }
};

/// A neighbour as a local field is made of it; what the terms do not ask for is not set.
template <class R, int N>
struct VectorNeighbour {
    Spin<R, N> spin;                       ///< 0 behind an open boundary
    typename RealTraits<R>::Mask species;  ///< whether it is b
    R coupling;
    R sign;  ///< VectorConstants::sign
};

/// The local field F of a site, so that its energy is -F.S - K (S^x)^2, from its neighbours in the order of
/// x, y, z, down and up; these two of x in any order.
/// D n.(S_i x S_j) = D S_i.(S_j x n), and for the bond from j to i the opposite sign.
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

    /// J sum S_j, the part of the exchange.
    PSFLIP_HD Spin<R, N> exchange(const Constants& constants) const {
        Spin<R, N> field = exchange_;
        if constexpr (terms == VectorTerms::exchange)
            for (int k = 0; k < N; ++k) field.c[k] = R(constants.exchange[0]) * field.c[k];
        return field;
    }
    /// (sum D S_j) x n.
    PSFLIP_HD Spin<R, N> dm(const Constants& constants) const {
        const R x(constants.axis[0]), y(constants.axis[1]), z(constants.axis[2]);
        return {{dm_.c[1] * z - dm_.c[2] * y, dm_.c[2] * x - dm_.c[0] * z, dm_.c[0] * y - dm_.c[1] * x}};
    }
    /// All of it; the field of H lies along the last component.
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

}  // namespace psflip
