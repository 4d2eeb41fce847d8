#include "word/simd_level.hpp"

#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace psflip {

const char* name(SimdLevel level) {
    switch (level) {
        case SimdLevel::avx512:
            return "avx512";
        case SimdLevel::avx2:
            return "avx2";
        default:
            return "scalar";
    }
}

bool processor_has(SimdLevel level) {
#ifdef __x86_64__
    __builtin_cpu_init();
    switch (level) {
        case SimdLevel::avx512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
        case SimdLevel::avx2:
            return __builtin_cpu_supports("avx2");
        default:
            return true;
    }
#else
    return level == SimdLevel::scalar;
#endif
}

SimdLevel level_other_than(SimdLevel level) {
    for (SimdLevel other : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::scalar})
        if (other != level && processor_has(other)) return other;
    return level;
}

SimdLevel simd_level() {
    const char* wanted = std::getenv("PSFLIP_SIMD");
    for (SimdLevel level : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::scalar}) {
        if (!wanted || !*wanted) {
            if (processor_has(level)) return level;
        } else if (std::string(wanted) == name(level)) {
            if (processor_has(level)) return level;
            throw EnvironmentError("PSFLIP_SIMD=" + std::string(wanted) + ": this processor has no " +
                                   wanted + "; unset PSFLIP_SIMD to take the best it has");
        }
    }
    throw InputError("PSFLIP_SIMD=" + std::string(wanted) + " is unknown; use scalar, avx2 or avx512");
}

}  // namespace psflip
