#pragma once

#include "sweep/cuda/class_comparison_cuda.cuh"
#include "sweep/cuda/class_lattices_cuda.cuh"

namespace psflip {

/// The class rule with a random number for every spin, as SharedNumbers.
template <int Degree, bool Field, bool Absent>
struct OwnNumbers {
    using Rule = ClassUpdate<Degree, Field, Absent>;
    static constexpr bool clustered = false;  ///< random numbers take far more time than device memory

    template <class Place>
    __device__ __forceinline__ static void update(const SweepArgs&, const ClassArgs& table,
                                                  const typename Rule::Shared& shared, Place at,
                                                  const SlotRange& slots, const typename Rule::Site& site,
                                                  const SiteDraw& d) {
        at.skip(slots.part);
#pragma unroll 1
        for (std::uint32_t quad = slots.first / 4 + slots.part; quad * 4 < slots.end; quad += slots.step) {
#pragma unroll 1
            for (std::uint32_t slot = max(slots.first, quad * 4); slot < min(slots.end, quad * 4 + 4);
                 ++slot) {
                const auto draw = [&](std::uint32_t digit, std::uint32_t w) {
                    return philox(make_counter(Purpose::metropolis_bits, d.site, d.sweep, slot, d.replica,
                                               digit, d.first_realization / 32 + w),
                                  d.seed);
                };
                at.store(slot % 4, updated_independent<Degree, Field, Absent>(
                                       table, shared, at.load(slot % 4), site, draw, slot));
            }
            at.skip(slots.step);
        }
    }
};

/// f(Chosen<Update>{}) with the numbers and the rule of a batch; not the plain rule in three dimensions.
/// Everything that is compiled stands here.
template <class UpdateOfSites>
struct Chosen {
    using Update = UpdateOfSites;
};
template <class Rule, class F>
auto with_shared_numbers(int share, const F& f) {
    if (share == 32) return f(Chosen<SharedNumbers<Rule, 32>>{});
    if (share == 64) return f(Chosen<SharedNumbers<Rule, 64>>{});
    return f(Chosen<SharedNumbers<Rule, 128>>{});
}
template <int Degree, bool Field, bool Absent, class F>
auto with_numbers(int share, const F& f) {
    if (share == 1) return f(Chosen<OwnNumbers<Degree, Field, Absent>>{});
    return with_shared_numbers<ClassUpdate<Degree, Field, Absent>>(share, f);
}
template <int Degree, class F>
auto with_class_rule(const SweepRule& rule, int share, const F& f) {
    if (rule.field)
        return rule.absent ? with_numbers<Degree, true, true>(share, f)
                           : with_numbers<Degree, true, false>(share, f);
    return rule.absent ? with_numbers<Degree, false, true>(share, f)
                       : with_numbers<Degree, false, false>(share, f);
}
template <class F>
auto with_update(const SweepRule& rule, int share, const F& f) {
    if (rule.plain && share > 1) return with_shared_numbers<PlanarRule>(share, f);
    return rule.degree == 6 ? with_class_rule<6>(rule, share, f) : with_class_rule<4>(rule, share, f);
}

}  // namespace psflip
