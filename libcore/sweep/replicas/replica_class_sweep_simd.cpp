// Sweeps by the class rule where lanes are replicas: compiled once per instruction set (see
// word/word_simd.hpp).

#include "sweep/replicas/replica_loop_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

template <int Degree>
void class_sweep_of(const ReplicaSweepTask& task) {
    if (task.rule.field && task.rule.absent)
        sweep_rows<WordClassRule<Degree, true, true>>(task);
    else if (task.rule.field)
        sweep_rows<WordClassRule<Degree, true, false>>(task);
    else if (task.rule.absent)
        sweep_rows<WordClassRule<Degree, false, true>>(task);
    else
        sweep_rows<WordClassRule<Degree, false, false>>(task);
}

}  // namespace

void class_replica_sweep(const ReplicaSweepTask& task) {
    if (task.rule.degree == 6)
        class_sweep_of<6>(task);
    else
        class_sweep_of<4>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
