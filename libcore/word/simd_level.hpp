#pragma once

// Selects the instruction set of the CPU kernels at run time.

namespace psflip {

/// Lists the instruction sets for which the CPU kernels are compiled. `scalar` is the baseline of the
/// processor family (SSE2 on x86-64).
enum class SimdLevel { scalar, avx2, avx512 };

/// Returns the level in use: the environment variable PSFLIP_SIMD=scalar|avx2|avx512 if set, else the best
/// level of the processor. Errors: InputError for any other value of PSFLIP_SIMD, EnvironmentError for a
/// level that the processor lacks.
SimdLevel simd_level();
const char* name(SimdLevel level);
bool processor_has(SimdLevel level);
/// Returns the best level of this processor other than `level`, or `level` if there is none. `audit` repeats
/// a calculation with it, so that both calculations share as little code as possible.
SimdLevel level_other_than(SimdLevel level);

/// Returns the table of the functions that are compiled for a level. The type `Kernels` of the table declares
/// `static const Kernels scalar, avx2, avx512`. Sources that are compiled once per level define these three
/// tables.
template <class Kernels>
const Kernels& kernels_of(SimdLevel level) {
#ifdef __x86_64__
    if (level == SimdLevel::avx512) return Kernels::avx512;
    if (level == SimdLevel::avx2) return Kernels::avx2;
#endif
    (void)level;
    return Kernels::scalar;
}

/// The number of slots (temperatures) in a memory word on CPUs: 4 slots x 128 realizations = 512 bits.
inline constexpr int slots_per_word = 4;

}  // namespace psflip
