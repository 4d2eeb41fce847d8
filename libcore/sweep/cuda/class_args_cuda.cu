#include "sweep/cuda/class_args_cuda.cuh"

#include "model/model.hpp"
#include "sweep/cuda/class_update_cuda.cuh"

namespace psflip {

namespace {

/// Sets the planes for every number w of thresholds passed: class v accepts iff v >= w. No more than `count`
/// thresholds are passed. Padding is one more only if R is the largest number.
template <int Degree, bool Field, bool Absent>
void set_planes(ClassArgs& args, std::type_identity<ClassUpdate<Degree, Field, Absent>>) {
    using Rule = ClassRule<Degree, Field, Absent>;
    for (std::uint32_t passed = 0; passed <= Rule::classes; ++passed) {
        std::uint32_t accept[2][Rule::classes];
        for (int s = 0; s < 2; ++s)
            for (std::uint32_t v = 0; v < Rule::classes; ++v)
                accept[s][v] = v >= passed || v >= args.count[s] ? ~0u : 0u;
        typename Rule::template Offset<std::uint32_t> offset;
        if constexpr (Field)
            offset = Rule::offset(accept[0], accept[1]);
        else
            offset = Rule::offset(accept[0]);
        for (int s = 0; s < (Field ? 2 : 1); ++s) {
            const auto& p = offset.of[s].p;
            args.planes[s][Rule::classes - passed] = {p[0], p[1], p[2], p[3]};
        }
    }
}

void set_planes(ClassArgs&, std::type_identity<PlanarRule>) {}  // the plain rule has none

/// Sets the thresholds of demons, or the threshold of the bonds of clusters.
void set_thresholds(ClassArgs& args, const SweepRule& rule, const AcceptanceTable& table) {
    const int all = rule.thresholds(), of_bonds = all - (rule.field ? max_field_demon : 0);
    for (std::size_t i = 0; i < table.thresholds.size(); ++i) {
        const auto slot = static_cast<int>(i) / all, v = static_cast<int>(i) % all;
        args.thresholds[slot][v < of_bonds ? 0 : 1][v < of_bonds ? v : v - of_bonds] = table.thresholds[i];
    }
}

}  // namespace

ClassArgs class_args(const Model& model, const SweepRule& rule, const std::vector<double>& betas,
                     const uint4* absent, const std::int32_t* bonds) {
    ClassArgs args{};
    args.absent = absent;
    args.bonds = bonds;
    if (rule.has_demons() || rule.has_clusters()) {
        set_thresholds(args, rule, acceptance_table(model, rule, betas, 1));
        return args;
    }
    for (std::size_t slot = 0; slot < betas.size(); ++slot) {
        const ClassTable table(model, betas[slot], rule.absent ? Classes::with_absent : Classes::unsatisfied);
        args.by_half = rule.absent && table.isolated_by_half() ? ~0u : 0u;
        for (int s = 0; s < 2; ++s) {
            const ClassTable::List& list = table.thresholds(s == 0 ? -1 : +1);
            args.count[s] = static_cast<std::uint32_t>(list.count);  // equal at all temperatures
            for (int k = 0; k < 4; ++k) args.count_bits[s][k] = (args.count[s] >> k & 1) != 0 ? ~0u : 0u;
            for (int v = 0; v < ClassArgs::max_classes; ++v)
                args.thresholds[slot][s][v] = v < list.count ? list.threshold[v] : ~0u;
        }
    }
    with_rule(rule, [&](auto of_sites) { set_planes(args, of_sites); });
    return args;
}

}  // namespace psflip
