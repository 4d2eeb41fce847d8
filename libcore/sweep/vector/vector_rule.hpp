// Implements the updates of vector spins and of Ising spins with real couplings, for CPU and GPU.
#pragma once

#include "model/elementary.hpp"

namespace psflip {

/// Says how a spin is renewed.
enum class VectorUpdate {
    metropolis,      ///< any direction (Ising: the flip), accepted by Metropolis
    cone,            ///< a direction within a cap about the old direction, accepted by Metropolis
    heat_bath,       ///< drawn from the distribution in the local field; no anisotropy
    over_relaxation  ///< turned by pi about the local field; no anisotropy, no random numbers
};

/// Holds a spin of N components, or a local field. With N = 1, the spin is an Ising spin, +1 or -1.
template <class R, int N>
struct Spin {
    R c[N];
};

template <class R, int N>
PSFLIP_HD R product(const Spin<R, N>& a, const Spin<R, N>& b) {
    R sum = a.c[0] * b.c[0];
    for (int k = 1; k < N; ++k) sum = sum + a.c[k] * b.c[k];
    return sum;
}

template <class R, int N>
PSFLIP_HD Spin<R, N> choose_spin(typename RealTraits<R>::Mask mask, const Spin<R, N>& a,
                                 const Spin<R, N>& b) {
    Spin<R, N> chosen;
    for (int k = 0; k < N; ++k) chosen.c[k] = RealTraits<R>::choose(mask, a.c[k], b.c[k]);
    return chosen;
}

/// Describes a site with the energy -field.spin - anisotropy (spin^x)^2.
template <class R, int N>
struct VectorSite {
    Spin<R, N> spin, field;
    R anisotropy;  ///< K, for rules with anisotropy
    R beta;
    R width;  ///< of a cone: 1 - cosine of the largest angle to the spin, 0..2
};

/// Holds the spin after the update, and whether it was renewed (Ising spins: flipped).
template <class R, int N>
struct VectorOutcome {
    Spin<R, N> spin;
    typename RealTraits<R>::Mask renewed;
};

/// In exp(-x), a larger x counts as this number, because exp(-x) is already below the smallest random number.
inline constexpr double max_exponent = 80.0;
/// A local field with a smaller square counts as 0.
inline constexpr double min_square = 1e-30;

/// Brings a vector of length about 1 back to length 1 by a step of Newton's method.
template <class R>
PSFLIP_HD Spin<R, 3> renormalised(const Spin<R, 3>& s) {
    const R factor = R(1.5) - R(0.5) * product(s, s);
    return {{s.c[0] * factor, s.c[1] * factor, s.c[2] * factor}};
}

/// Returns a uniform direction. z is signed_fraction(height), and `turn` gives the azimuth.
template <class R>
PSFLIP_HD Spin<R, 3> uniform_direction(typename RealTraits<R>::Word height,
                                       typename RealTraits<R>::Word turn) {
    const R z = RealTraits<R>::signed_fraction(height);
    const R radius = RealTraits<R>::usual_root((R(1.0) - z) * (R(1.0) + z));
    const SineCosine<R> azimuth = random_angle<R>(turn);
    return {{radius * azimuth.cosine, radius * azimuth.sine, z}};
}

/// Returns a direction whose component parallel to the unit vector `axis` is `along`, and whose perpendicular
/// part has the length `across`. Its azimuth is random (frame of Duff et al., JCGT 6(1), 2017).
template <class R>
PSFLIP_HD Spin<R, 3> direction_about(const Spin<R, 3>& axis, R along, R across,
                                     typename RealTraits<R>::Word turn) {
    const R x = axis.c[0], y = axis.c[1], z = axis.c[2];
    const R sign = RealTraits<R>::choose(z < R(0.0), R(-1.0), R(1.0));
    const R a = RealTraits<R>::usual_inverse(R(0.0) - (sign + z)), b = x * y * a;
    const SineCosine<R> azimuth = random_angle<R>(turn);
    const R first = across * azimuth.cosine, second = across * azimuth.sine;
    return renormalised<R>({{along * x + (first * (sign * x * x * a + R(1.0)) + second * b),
                             along * y + (first * (sign * b) + second * (y * y * a + sign)),
                             along * z - (first * (sign * x) + second * y)}});
}

/// Returns a uniform direction in a cap about the spin, in which 1 - cosine of the angle to the spin is at
/// most `width`.
template <class R>
PSFLIP_HD Spin<R, 3> direction_in_cone(const Spin<R, 3>& spin, R width, typename RealTraits<R>::Word height,
                                       typename RealTraits<R>::Word turn) {
    const R below = width * RealTraits<R>::positive_fraction(height);
    return direction_about(spin, R(1.0) - below, RealTraits<R>::usual_root(below * (R(2.0) - below)), turn);
}

/// Returns a direction drawn with weight exp(beta field.S). Its component t along the field has weight exp(a
/// t) with a = beta |field|. With a uniform u in (0, 1), t = 1 + ln(1 - (1 - u) (1 - exp(-2 a))) / a.
template <class R>
PSFLIP_HD Spin<R, 3> direction_in_field(const Spin<R, 3>& field, R beta, typename RealTraits<R>::Word height,
                                        typename RealTraits<R>::Word turn) {
    using Traits = RealTraits<R>;
    const R square = product(field, field), none(0.0);
    const auto free = square < R(min_square);
    const R size = Traits::usual_root(Traits::choose(free, R(min_square), square));
    const R inverse = Traits::usual_inverse(size), a = beta * size;
    const Spin<R, 3> axis = choose_spin<R, 3>(
        free, {{none, none, R(1.0)}}, {{field.c[0] * inverse, field.c[1] * inverse, field.c[2] * inverse}});
    const R u = Traits::positive_fraction(height);
    const R missing = none - exponential_less_one(none - smaller(a + a, R(max_exponent)));
    const R fallen = Traits::usual_quotient(logarithm_of_one_less((R(1.0) - u) * missing), a);
    const R below = smaller(none - fallen, R(2.0));
    // `below` is above 1e-22. So only 2 has no usual root, because the root would be of 0.
    const R across = Traits::choose(below < R(2.0), Traits::usual_root(below * (R(2.0) - below)), none);
    return direction_about(axis, R(1.0) - below, across, turn);
}

/// Returns whether a proposal that lowers the energy by x, in units of the temperature, is accepted: u <
/// exp(x) with a uniform u in (0, 1).
template <class R>
PSFLIP_HD typename RealTraits<R>::Mask accepted(R x, typename RealTraits<R>::Word word) {
    const R bounded = larger(smaller(x, R(0.0)), R(-max_exponent));
    return RealTraits<R>::positive_fraction(word) < exponential(bounded);
}

/// Returns whether an update proposes a spin that is accepted or not.
constexpr bool proposes(VectorUpdate update, int components) {
    return update == VectorUpdate::metropolis || (update == VectorUpdate::cone && components == 3);
}

/// Holds a proposed spin, and the energy by which it lowers the energy, in units of the temperature.
template <class R, int N>
struct VectorProposal {
    Spin<R, N> spin;
    R gain;
};

/// Returns the proposal of metropolis or cone. If `anisotropic`, the energy has site.anisotropy.
template <VectorUpdate update, bool anisotropic, class R>
PSFLIP_HD VectorProposal<R, 3> proposal(const VectorSite<R, 3>& site,
                                        const typename RealTraits<R>::Word (&word)[4]) {
    const Spin<R, 3>&old = site.spin, &field = site.field;
    Spin<R, 3> proposed;
    if constexpr (update == VectorUpdate::cone)
        proposed = direction_in_cone(old, site.width, word[0], word[1]);
    else
        proposed = uniform_direction<R>(word[0], word[1]);
    R gain = (proposed.c[0] - old.c[0]) * field.c[0] + (proposed.c[1] - old.c[1]) * field.c[1] +
             (proposed.c[2] - old.c[2]) * field.c[2];
    if constexpr (anisotropic)
        gain = gain + site.anisotropy * (proposed.c[0] * proposed.c[0] - old.c[0] * old.c[0]);
    return {proposed, site.beta * gain};
}

/// Proposes the flip of an Ising spin.
template <VectorUpdate, bool, class R>
PSFLIP_HD VectorProposal<R, 1> proposal(const VectorSite<R, 1>& site,
                                        const typename RealTraits<R>::Word (&)[4]) {
    const R old = site.spin.c[0];
    return {{{R(0.0) - old}}, (R(-2.0) * site.beta) * old * site.field.c[0]};
}

/// Updates a spin of three components. If `anisotropic`, metropolis and cone use site.anisotropy.
template <VectorUpdate update, bool anisotropic, class R>
PSFLIP_HD VectorOutcome<R, 3> updated(const VectorSite<R, 3>& site,
                                      const typename RealTraits<R>::Word (&word)[4]) {
    using Traits = RealTraits<R>;
    const Spin<R, 3>&old = site.spin, &field = site.field;
    if constexpr (update == VectorUpdate::heat_bath) {
        return {direction_in_field(field, site.beta, word[0], word[1]), R(0.0) < R(1.0)};
    } else if constexpr (update == VectorUpdate::over_relaxation) {
        const R square = product(field, field);
        const auto turns = square > R(min_square);
        const R twice = R(2.0) * product(old, field) / Traits::choose(turns, square, R(1.0));
        const Spin<R, 3> turned = renormalised<R>(
            {{twice * field.c[0] - old.c[0], twice * field.c[1] - old.c[1], twice * field.c[2] - old.c[2]}});
        return {choose_spin<R, 3>(turns, turned, old), turns};
    } else {
        const VectorProposal<R, 3> proposed = proposal<update, anisotropic>(site, word);
        const auto renewed = accepted(proposed.gain, word[2]);
        return {choose_spin<R, 3>(renewed, proposed.spin, old), renewed};
    }
}

/// Updates an Ising spin by metropolis or heat_bath.
template <VectorUpdate update, bool, class R>
PSFLIP_HD VectorOutcome<R, 1> updated(const VectorSite<R, 1>& site,
                                      const typename RealTraits<R>::Word (&word)[4]) {
    using Traits = RealTraits<R>;
    const R old = site.spin.c[0];
    if constexpr (update == VectorUpdate::heat_bath) {
        const R x = (site.beta + site.beta) * site.field.c[0],
                size = Traits::choose(x < R(0.0), R(0.0) - x, x);
        const R less = exponential(
            R(0.0) - smaller(size, R(max_exponent)));  // weight of the direction against the field
        const auto up =
            Traits::positive_fraction(word[2]) * (less + R(1.0)) < Traits::choose(x < R(0.0), less, R(1.0));
        const R spin = Traits::choose(up, R(1.0), R(-1.0));
        return {{{spin}}, spin * old < R(0.0)};
    } else {
        const VectorProposal<R, 1> proposed = proposal<update, false>(site, word);
        const auto renewed = accepted(proposed.gain, word[2]);
        return {choose_spin<R, 1>(renewed, proposed.spin, site.spin), renewed};
    }
}

}  // namespace psflip
