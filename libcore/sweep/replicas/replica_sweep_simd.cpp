// Sweeps by the plain rule where lanes are replicas: compiled once per instruction set (see
// word/word_simd.hpp).

#include "sweep/replicas/replica_loop_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void plain_replica_sweep(const ReplicaSweepTask& task) {
    if (task.rule.degree == 6)
        sweep_rows<PlainRule<6>>(task);
    else
        sweep_rows<PlainRule<4>>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
