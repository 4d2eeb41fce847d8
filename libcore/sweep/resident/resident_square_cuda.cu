// Compiles the resident kernels in two dimensions. The plain rule with a random number for every spin (share
// 1) has a kernel as in resident_cuda.cu, with four bonds and two thresholds. Other rules and shares have the
// class kernel.

#include "sweep/resident/resident_class_kernel_cuda.cuh"
#include "sweep/resident/resident_independent_cuda.cuh"

namespace psflip {

namespace {

__global__ void __launch_bounds__(resident_threads, 1)
    resident_planar(const __grid_constant__ SweepArgs a, const __grid_constant__ ClassArgs table,
                    const __grid_constant__ ResidentPlan plan, const __grid_constant__ Layers slab,
                    const __grid_constant__ SweepBurst burst) {
    sweep_independent<4>(
        a, plan, slab, burst,
        [&](const ResidentBlock& held) {
            if (burst.energy) start_counts(a, table, held, burst);
        },
        [&](const ResidentBlock& held, SharedLattices& block, const uint4*) {
            if (burst.energy) count_slots<4, false, false>(a, table, slab, held, burst, block);
        });
}

}  // namespace

ResidentForms resident_square_forms(const SweepRule& rule, int share) {
    if (rule.plain && share == 1) return {reinterpret_cast<const void*>(resident_planar), nullptr};
    if (rule.plain) return resident_rule_forms(std::type_identity<PlanarRule>{}, share);
    return with_class_rule<4>(rule, [share](auto of_sites) { return resident_rule_forms(of_sites, share); });
}

}  // namespace psflip
