// Compiles the resident kernels of the class rules in three dimensions.

#include "sweep/resident/resident_class_kernel_cuda.cuh"

namespace psflip {

ResidentForms resident_cubic_class_forms(const SweepRule& rule, int share) {
    return with_class_rule<6>(rule, [share](auto of_sites) { return resident_rule_forms(of_sites, share); });
}

}  // namespace psflip
