#pragma once

// Defines formulas and ranges for the rows of observable_table (observables.hpp).

#include "measure/sums.hpp"

namespace psflip {

/// Says how an observable follows from the sums of a run (thermal/thermal_means.hpp):
/// - mean: the mean of one sum,
/// - signed_mean: the mean of one sum of a quantity that has a sign, such as q or m (see Formula),
/// - pair_product: <x>_ab <y>_cd averaged over disjoint pairs of replicas,
/// - slope: the derivative of a mean with respect to beta,
/// - susceptibility: beta N (<x^2> - <x>^2) of one component x of Sum::directions,
/// - special: code for this observable alone.
enum class How { mean, signed_mean, pair_product, slope, susceptibility, special };

/// Names the sums behind an observable. `part` is the component of `sum` in each replica or pair. `other` is
/// the second sum of a pair_product, slope or susceptibility. A quantity with a sign has a
/// longer autocorrelation time than its square. Blocks must be long compared with the longer time, the time
/// of the quantity itself. Two sums give this time: `memory` sums the quantity, and `square` sums its square,
/// both in component `memory_part`. Usually `memory` equals `sum`. For part_mean, `memory` sums the quantity
/// over both species.
struct Formula {
    How how = How::special;
    Sum sum = Sum::end;
    int part = 0;
    Sum other = Sum::end;
    Sum memory = Sum::end, square = Sum::end;
    int memory_part = 0;
};
namespace formula {
inline constexpr Formula special = {};
constexpr Formula mean(Sum sum, int part = 0) {
    return {How::mean, sum, part};
}
constexpr Formula signed_mean(Sum sum, Sum square, int part = 0) {
    return {How::signed_mean, sum, part, Sum::end, sum, square, part};
}
/// Returns the formula for one component (0, 1, 2) of the magnetisation per site of one species (0, 1) on one
/// sublattice (0: even, 1: odd). The autocorrelation time is computed from the sum over both species.
constexpr Formula part_mean(int sublattice, int species, int component) {
    const int direction = (sublattice == 0 ? even_direction : odd_direction) + component;
    return {How::signed_mean, Sum::magnetisation_parts, 6 * sublattice + 3 * species + component,
            Sum::end,         Sum::directions,          Sum::directions2,
            direction};
}
/// Returns the formula for the average of <x>_ab <y>_cd over disjoint pairs ab and cd of replicas.
constexpr Formula pair_product(Sum x, Sum y) {
    return {How::pair_product, x, 0, y};
}
/// Returns the formula for the derivative of `moment` with respect to beta. `product` sums the product of
/// moment and energy. The energy is E_a + E_b if the moment belongs to a pair of replicas, or E if it belongs
/// to one replica.
constexpr Formula slope(Sum moment, Sum product) {
    return {How::slope, moment, 0, product};
}
constexpr Formula susceptibility(int direction) {
    return {How::susceptibility, Sum::directions,  direction, Sum::directions2,
            Sum::directions,     Sum::directions2, direction};
}
}  // namespace formula

/// Says whether values of an observable may be missing (NaN): never, only in runs with one replica, or in all
/// runs.
enum class Missing { never, with_one_replica, always };
/// Holds the range of an observable, in units of `scale`.
struct Allowed {
    double low, high;
    Scale scale;
    Missing missing;
};
namespace allowed {
inline constexpr Allowed energy = {-1.0, 1.0, Scale::energy, Missing::never},
                         energy_square = {-1.0, 1.0, Scale::energy_squared, Missing::never},
                         moment = {0.0, 1.0, Scale::one, Missing::never},
                         component = {-1.0, 1.0, Scale::one, Missing::never},
                         overlap_moment = {0.0, 1.0, Scale::one, Missing::with_one_replica},
                         overlap = {-1.0, 1.0, Scale::one, Missing::with_one_replica},
                         replicon = {-3.0, 4.0, Scale::one, Missing::with_one_replica},
                         square = {0.0, 1.0, Scale::one, Missing::always},
                         product = {-1.0, 1.0, Scale::one, Missing::always},
                         anything = {-1.0, 1.0, Scale::anything, Missing::never},
                         anything_of_pairs = {-1.0, 1.0, Scale::anything, Missing::with_one_replica};
}  // namespace allowed

/// Says whether `measure` computes the noise that realizations have in common because they share random
/// numbers (thermal/shared_noise.hpp).
enum class SharedNoise { unknown, known };

}  // namespace psflip
