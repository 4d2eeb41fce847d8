#pragma once

namespace psflip {

/// Names the instruction sets that the word kernels are compiled for. `scalar` is the baseline of the
/// processor family.
enum class SimdLevel { scalar, avx2, avx512 };

/// Returns the level in use: PSFLIP_SIMD=scalar|avx2|avx512 if set, otherwise the best of the processor.
/// Errors: InputError for another value; EnvironmentError for a level that the processor lacks.
SimdLevel simd_level();
const char* name(SimdLevel level);
bool processor_has(SimdLevel level);
/// Returns the best other level of this processor, or `level` if it has no other. A second calculation by it
/// shares as little as possible with the first.
SimdLevel level_other_than(SimdLevel level);

/// Returns the functions compiled for a level. A table `Kernels` declares
/// `static const Kernels scalar, avx2, avx512`; sources that are compiled once per level define them.
template <class Kernels>
const Kernels& kernels_of(SimdLevel level) {
#ifdef __x86_64__
    if (level == SimdLevel::avx512) return Kernels::avx512;
    if (level == SimdLevel::avx2) return Kernels::avx2;
#endif
    (void)level;
    return Kernels::scalar;
}

/// Slots of the CPU's working word: 4 temperatures x 128 realizations = 512 bits.
inline constexpr int slots_per_word = 4;

}  // namespace psflip
