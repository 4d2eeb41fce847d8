// Compiles the fused kernel of the class rule without absent bonds: models with a field, and heat bath.
// Threads have 128 lanes, as in the wide form of fused_cuda.cu, without the gauge. Exchanges follow the rule
// of model/exchange_rule.hpp instead of tables.

#include "sweep/fused/fused_periods_cuda.cuh"

namespace psflip {

namespace {

template <class Rule, int Share>
__global__ void __launch_bounds__(fused_threads, 1)
    fused_class(const __grid_constant__ FusedArgs a, const __grid_constant__ ClassArgs table) {
    __shared__ typename Rule::Shared shared;
    Rule::fill(shared, table);  // run_periods has a barrier before the first sweep
    run_periods<FusedBlock<uint4, false>>(
        a, [&](const auto& held, const ThreadGroup& group, std::uint64_t sweep) {
            WideClassSweeper<Rule, Share>{a, table, shared, held, group}.run(sweep, a.sweeps_per_swap);
        });
}

template <class Rule>
const void* kernel_of(int share) {
    return with_share(share,
                      [](auto n) { return reinterpret_cast<const void*>(fused_class<Rule, n.value>); });
}

}  // namespace

const void* fused_class_kernel(const SweepRule& rule, int share) {
    return rule.field ? kernel_of<ClassUpdate<6, true, false>>(share)
                      : kernel_of<ClassUpdate<6, false, false>>(share);
}

}  // namespace psflip
