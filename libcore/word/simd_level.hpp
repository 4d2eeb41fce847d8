#pragma once

namespace psflip {

/// The instruction sets that the word kernels are compiled for. `scalar` is the baseline of the processor
/// family.
enum class SimdLevel { scalar, avx2, avx512 };

/// The level in use: PSFLIP_SIMD=scalar|avx2|avx512 where set, else the best the processor has. Throws
/// InputError for another value and EnvironmentError for a level the processor lacks.
SimdLevel simd_level();
const char* name(SimdLevel level);
bool processor_has(SimdLevel level);
/// The best level of this processor but that one, for a second calculation that shares as little as possible
/// with the first; that one where there is no other.
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

/// Slots and realizations of the CPU's working word: 4 temperatures x 128 realizations = 512 bits.
inline constexpr int slots_per_word = 4;

}  // namespace psflip
