#pragma once

#include <cstdint>
#include <vector>

#include "bench/bench_rows.hpp"
#include "bench/stateful/ferromagnet.hpp"
#include "bench/stateful/glass.hpp"

namespace psflip {

/// Exact -e and C of the ferromagnet on the square lattice at beta = 0.4, L = 1024 (Kaufman's formula); for L
/// from 256 on they are the same to ten digits.
inline constexpr double quality_beta = 0.4, exact_minus_e = 1.10607920375, exact_C = 0.861698356831;

/// Blocks of equal length that errors are made from.
inline constexpr int quality_blocks = 32;

/// Sweeps that are not measured, and those that are, the latter a multiple of quality_blocks and at least 20
/// times as many.
struct QualitySweeps {
    int thermalize = 200, measured = 2048;
};

/// Energy and specific heat of the ferromagnet against exact values (Weigel, arXiv:1101.1427, table 1), from
/// the energy after every sweep: -e = -E/N and C = beta^2 N (<e^2> - <e>^2), errors by the jackknife over 32
/// blocks of consecutive sweeps. At beta = 0.4 energies have an autocorrelation time of 2.7 sweeps, so
/// blocks of 64 sweeps have errors that are too small by a few percent. Fields: minus_e, minus_e_error,
/// minus_e_off (value - exact), minus_e_sigma (over the error), and those of C; the exact ones where they are
/// known. InputError as make_ferromagnet, and for numbers of sweeps that are not as said.
BenchRow ferromagnet_quality(const BackendChoice& choice, const FerromagnetSetup& setup,
                             const QualitySweeps& sweeps);

/// Energies per site and specific heats of the 32 realizations of a word in equilibrium, to be compared with
/// sums over all states of small lattices: means over words and replicas, which have the same couplings,
/// starts and numbers of their own; errors by the jackknife over these copies. Energies are taken every
/// `every` sweeps. Fields: e, e_error, C, C_error, each a list over the realizations.
BenchRow glass_quality(const BackendChoice& choice, const GlassSetup& setup, const QualitySweeps& sweeps,
                       int every);

}  // namespace psflip
