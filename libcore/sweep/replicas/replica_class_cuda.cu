#include "sweep/replicas/replica_kernel_cuda.cuh"

namespace psflip {
namespace {

template <int Degree>
ReplicaKernel replica_kernel_of(const SweepRule& rule) {
    if (rule.field)
        return rule.absent ? replica_sweeps<ClassReplicaRule<Degree, true, true>, 1>
                           : replica_sweeps<ClassReplicaRule<Degree, true, false>, 1>;
    return rule.absent ? replica_sweeps<ClassReplicaRule<Degree, false, true>, 1>
                       : replica_sweeps<ClassReplicaRule<Degree, false, false>, 1>;
}

}  // namespace

ReplicaKernel class_replica_kernel(const SweepRule& rule) {
    return rule.degree == 6 ? replica_kernel_of<6>(rule) : replica_kernel_of<4>(rule);
}

}  // namespace psflip
