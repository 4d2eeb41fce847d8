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

/// Returns f(Chosen<Update>{}) with the update by a rule for share 32, 64 or 128.
template <class Rule, class F>
auto with_numbers(Chosen<Rule>, int share, const F& f) {
    return with_share(share, [&](auto n) { return f(Chosen<SharedNumbers<Rule, n.value>>{}); });
}
/// Returns the same for any share.
template <int Degree, bool Field, bool Absent, class F>
auto with_numbers(Chosen<ClassUpdate<Degree, Field, Absent>>, int share, const F& f) {
    using Rule = ClassUpdate<Degree, Field, Absent>;
    if (share == 1) return f(Chosen<OwnNumbers<Degree, Field, Absent>>{});
    return with_share(share, [&](auto n) { return f(Chosen<SharedNumbers<Rule, n.value>>{}); });
}

}  // namespace psflip
