#pragma once

#include "bench/bench_rows.hpp"
#include "bench/stateful/glass.hpp"

namespace psflip {

/// Measures the relaxation of the glass from random spins at one temperature. It records the energy per site
/// e(t) and chi(t) = L^3 <q^2>, with the overlap q of two replicas, after t = 1, 2, 4, ... sweeps, up to
/// `sweeps`. Averages are over replicas (e) or pairs of replicas (chi), and over realizations. All words have
/// the same 32 realizations, but different initial spins and random numbers. Errors are from the scatter of
/// words, so generators can be compared for equal couplings.
///
/// Fields: lists t, e, e_error, chi, chi_error. Errors: InputError as make_glass, and for fewer than two
/// words or replicas.
BenchRow glass_relaxation(const BackendChoice& choice, const GlassSetup& setup, int sweeps);

}  // namespace psflip
