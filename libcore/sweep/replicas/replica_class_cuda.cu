#include "sweep/replicas/replica_kernel_cuda.cuh"

namespace psflip {

ReplicaKernel class_replica_kernel(const SweepRule& rule) {
    const auto kernel = [&]<class Rule>() -> ReplicaKernel { return replica_sweeps<Rule, 1>; };
    return rule.degree == 6 ? with_class_rule<6>(rule, kernel) : with_class_rule<4>(rule, kernel);
}

}  // namespace psflip
