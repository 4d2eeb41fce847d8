// Compiles the resident kernels in two dimensions.

#include "sweep/resident/resident_class_kernel_cuda.cuh"

namespace psflip {

ResidentForms resident_square_forms(const SweepRule& rule, int share) {
    if (rule.plain && share == 1) return independent_forms<IndependentPlain<4>>();
    if (rule.plain) return resident_rule_forms(std::type_identity<PlanarRule>{}, share);
    return with_class_rule<4>(rule, [share](auto of_sites) { return resident_rule_forms(of_sites, share); });
}

}  // namespace psflip
