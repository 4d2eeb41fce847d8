#pragma once

// Updates several spins at once on the GPU. Tests also call this code on the host.

#include <cmath>
#include <type_traits>

#include "random/philox.hpp"
#include "sweep/vector/vector_rule.hpp"

namespace psflip {

/// Returns 2^x with a relative error of at most 2^-22.
PSFLIP_HD float rough_power_of_two(float x) {
#ifdef __CUDA_ARCH__
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
#else
    return std::exp2(x);
#endif
}

/// Tells which of W proposals are accepted, as accepted(). Almost all decisions follow from a rough
/// exponential whose error is below `margin`. Else all W decisions are made again. With numbers u of at least
/// 2^-33, the rounded exponent has an error of at most 33 * 2.3 * 2^-24.
template <class T, int N, int W>
PSFLIP_HD void decide(const VectorProposal<T, N> (&proposals)[W], const RandomBlock (&blocks)[W],
                      bool (&are_accepted)[W]) {
    constexpr float margin = 0x1p-17f;
    bool undecided = false;
    for (int j = 0; j < W; ++j) {
        const float power = rough_power_of_two(static_cast<float>(proposals[j].gain) * 1.44269504f),
                    u = static_cast<float>(RealTraits<T>::positive_fraction(blocks[j].word[2]));
        are_accepted[j] = u * (1.0f + margin) < power;
        undecided |= !are_accepted[j] && !(u * (1.0f - margin) > power);
    }
    if (undecided)
        for (int j = 0; j < W; ++j) are_accepted[j] = accepted(proposals[j].gain, blocks[j].word[2]);
}

/// Updates the spins of W sites. words(j) returns the random words of site j. Returns the number of renewed
/// spins.
template <VectorUpdate update, bool anisotropic, class T, int N, int W, class Words>
PSFLIP_HD unsigned update_spins(const VectorSite<T, N> (&sites)[W], const Words& words,
                                Spin<T, N> (&spins)[W]) {
    unsigned renewed = 0;
    if constexpr (proposes(update, N) && !std::is_class_v<T>) {
        VectorProposal<T, N> proposals[W];
        RandomBlock blocks[W];
        bool are_accepted[W];
        for (int j = 0; j < W; ++j) {
            blocks[j] = words(j);
            proposals[j] = proposal<update, anisotropic>(sites[j], blocks[j].word);
        }
        decide(proposals, blocks, are_accepted);
        for (int j = 0; j < W; ++j) {
            spins[j] = choose_spin<T, N>(are_accepted[j], proposals[j].spin, sites[j].spin);
            renewed += are_accepted[j];
        }
    } else {
        for (int j = 0; j < W; ++j) {
            const VectorOutcome<T, N> outcome = updated<update, anisotropic>(sites[j], words(j).word);
            spins[j] = outcome.spin;
            renewed += outcome.renewed;
        }
    }
    return renewed;
}

}  // namespace psflip
