// Sweeps by the class rule: compiled once per instruction set (see word/word_simd.hpp).
//
// Operations per 512 spins: class_rule.hpp; one load more for each neighbour whose bond can be absent.

#include "sweep/cpu/class_rule_simd.hpp"
#include "sweep/cpu/sweep_loop_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

template <int Degree>
void class_sweep_of(const SweepTask& task) {
    if (task.rule.field && task.rule.absent)
        sweep_by<WordClassRule<Degree, true, true>>(task);
    else if (task.rule.field)
        sweep_by<WordClassRule<Degree, true, false>>(task);
    else if (task.rule.absent)
        sweep_by<WordClassRule<Degree, false, true>>(task);
    else
        sweep_by<WordClassRule<Degree, false, false>>(task);
}

}  // namespace

void class_sweep(const SweepTask& task) {
    if (task.rule.degree == 6)
        class_sweep_of<6>(task);
    else
        class_sweep_of<4>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
