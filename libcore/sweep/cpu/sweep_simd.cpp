// Sweeps by the plain rule: compiled once per instruction set (see word/word_simd.hpp).
//
// Per 512 spins and without the random numbers in three dimensions: 15 logic operations, 13 loads and 1
// store; in two: 9, 9 and 1. Shared numbers: shared_source_simd.hpp; a number for every spin:
// independent_source_simd.hpp.

#include "sweep/cpu/sweep_loop_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void plain_sweep(const SweepTask& task) {
    if (task.rule.degree == 6)
        sweep_by<PlainRule<6>>(task);
    else
        sweep_by<PlainRule<4>>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
