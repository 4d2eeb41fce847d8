#pragma once

#include "bench/bench_rows.hpp"
#include "bench/stateful/glass.hpp"

namespace psflip {

/// Relaxation of the glass from random spins at one temperature: after t = 1, 2, 4, ... sweeps, up to
/// `sweeps`, the energy per site e(t) and chi(t) = L^3 <q^2>, q the overlap of two replicas; averages over
/// replicas or pairs and over realizations. Words have the same 32 realizations, starts and numbers of their
/// own: errors are those of the average over words, which share the disorder, so that generators can be
/// compared with the same couplings. Fields: t, e, e_error, chi, chi_error, lists. InputError as make_glass,
/// and for fewer than two words or replicas.
BenchRow glass_relaxation(const BackendChoice& choice, const GlassSetup& setup, int sweeps);

}  // namespace psflip
