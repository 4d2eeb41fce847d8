#pragma once

// Compares energies from a generator with exact values, which reveals bad generators.

#include <cstdint>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "bench/stateful/glass.hpp"

namespace psflip {

/// The exact -e and C of the ferromagnet on the square lattice at beta = 0.4 and L = 1024 (Kaufman's
/// formula). From L = 256 on, all sizes agree to ten digits.
inline constexpr double quality_beta = 0.4, exact_minus_e = 1.10607920375, exact_C = 0.861698356831;

/// The number of equal blocks for errors.
inline constexpr int quality_blocks = 32;

/// Holds the numbers of sweeps before and during measurements. `measured` is a multiple of quality_blocks and
/// at least 20 times quality_blocks.
struct QualitySweeps {
    int thermalize = 200, measured = 2048;
};

/// Compares energy and specific heat of the ferromagnet with exact values (Weigel, arXiv:1101.1427, table 1).
/// -e = -E/N and C = beta^2 N (<e^2> - <e>^2) are from the energy after every sweep, with errors from the
/// jackknife over 32 blocks of consecutive sweeps. At beta = 0.4 the autocorrelation time of the energy is
/// 2.7 sweeps. Errors from blocks of 64 sweeps are therefore too small by a few percent.
///
/// Fields: minus_e, minus_e_error, minus_e_off (value - exact), minus_e_sigma (off over error), and the
/// corresponding fields of C. Fields with exact values are present only if these are known. Errors:
/// InputError as make_ferromagnet, and for impossible numbers of sweeps.
BenchRow ferromagnet_quality(const BackendChoice& choice, const FerromagnetSetup& setup,
                             const QualitySweeps& sweeps);

/// Measures energies per site and specific heats of the 32 realizations of a word in equilibrium, to compare
/// them with sums over all states of small lattices. Results are means over copies. A copy is a word in a
/// replica. All copies have equal couplings, but different initial spins and random numbers. Errors are from
/// the jackknife over copies. Energies are measured every `every` sweeps. Fields: e, e_error, C, C_error,
/// each a list over the realizations.
BenchRow glass_quality(const BackendChoice& choice, const GlassSetup& setup, const QualitySweeps& sweeps,
                       int every);

}  // namespace psflip
