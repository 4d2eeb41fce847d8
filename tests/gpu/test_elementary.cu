#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "model/elementary.hpp"
#include "random/philox.hpp"

using namespace psflip;

namespace {

using Traits = RealTraits<float>;
constexpr std::uint64_t all_words = std::uint64_t{1} << 32;
enum Function { root, inverse, fraction, signed_number, angle, sign, functions };

/// Counts words w of which the device makes other numbers than the definitions of RealTraits: (function).
__global__ void count_differences(unsigned long long* counts) {
    unsigned long long differ[functions] = {};
    for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all_words;
         i += gridDim.x * blockDim.x) {
        const auto w = static_cast<std::uint32_t>(i);
        const float x = Traits::real(w);
        if (x >= 1e-30f && x <= 1e30f) differ[root] += Traits::usual_root(x) != __fsqrt_rn(x);
        if (std::abs(x) >= 1e-30f && std::abs(x) <= 1e30f)
            differ[inverse] += Traits::usual_inverse(x) != __frcp_rn(x);
        const auto of = [](float k, float factor) { return __fmul_rn(__fadd_rn(k, 0.5f), factor); };
        const auto k = [](std::uint32_t word) {
            return static_cast<float>(static_cast<std::int32_t>(word) >> 8);
        };
        differ[fraction] += Traits::positive_fraction(w) != of(static_cast<float>(w >> 9), 0x1p-23f);
        differ[signed_number] += Traits::signed_fraction(w) != of(k(w), 0x1p-23f);
        differ[angle] += Traits::octant_angle(w) != __fmul_rn(of(k(w << 2), 0x1p-23f), 0.78539816339744831f);
        differ[sign] += Traits::turned(w, 0.75f) != (w >> 31 ? -0.75f : 0.75f);
    }
    for (int f = 0; f < functions; ++f)
        if (differ[f] > 0) atomicAdd(counts + f, differ[f]);
}

/// Counts doubles of which the device makes other roots (counts[0]) or inverses (counts[1]) than IEEE 754:
/// 2^32 random numbers, squares of random numbers, and the numbers next to these squares.
__global__ void count_differences_of_doubles(unsigned long long* counts) {
    using Double = RealTraits<double>;
    unsigned long long differ[2] = {};
    const auto check = [&](double x) {
        differ[0] += Double::usual_root(x) != __dsqrt_rn(x);
        differ[1] += Double::usual_inverse(-x) != __drcp_rn(-x);
    };
    for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all_words;
         i += gridDim.x * blockDim.x) {
        const RandomBlock block = philox({static_cast<std::uint32_t>(i), 0, 0, 0}, 1);
        constexpr std::uint64_t one = std::uint64_t{1023} << 52;
        const std::uint64_t mantissa = std::uint64_t{block.word[0]} << 20 | block.word[1] >> 12,
                            exponent = std::uint64_t{block.word[2] % 200} << 52;
        check(Double::real((one - (std::uint64_t{100} << 52)) + exponent + mantissa));
        const double number = Double::real(one + mantissa);
        const std::uint64_t square = Double::bits(__dmul_rn(number, number));
        for (std::uint64_t next = square - 1; next <= square + 1; ++next) check(Double::real(next));
    }
    for (int f = 0; f < 2; ++f)
        if (differ[f] > 0) atomicAdd(counts + f, differ[f]);
}

}  // namespace

TEST_CASE(
    "the device makes the numbers of the host from all random words, and rounds roots and inverses "
    "correctly") {
    DeviceBuffer<unsigned long long> counts(functions, "counts");
    counts.zero(nullptr);
    launch(count_differences, dim3(1024), dim3(256), 0, nullptr, counts.data());
    std::vector<unsigned long long> found(functions);
    counts.download(found, nullptr);
    CHECK(found == std::vector<unsigned long long>(functions, 0));
}

TEST_CASE("the device rounds roots and inverses of doubles correctly") {
    DeviceBuffer<unsigned long long> counts(2, "counts");
    counts.zero(nullptr);
    launch(count_differences_of_doubles, dim3(1024), dim3(256), 0, nullptr, counts.data());
    std::vector<unsigned long long> found(2);
    counts.download(found, nullptr);
    CHECK(found == std::vector<unsigned long long>(2, 0));
}
