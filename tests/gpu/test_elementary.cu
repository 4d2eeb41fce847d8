#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "random/philox.hpp"
#include "sweep/vector/vector_setup.hpp"

using namespace psflip;

namespace {

using Traits = RealTraits<float>;
constexpr std::uint64_t all_words = std::uint64_t{1} << 32;
enum Function { root, inverse, fraction, signed_number, angle, sign, fractions_of_doubles, functions };

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
        using Double = RealTraits<double>;
        const auto of_double = [](double k, double factor) { return __dmul_rn(__dadd_rn(k, 0.5), factor); };
        const double near = of_double(static_cast<std::int32_t>(w), 0x1p-31),
                     turn = of_double(static_cast<std::int32_t>(w << 2), 0x1p-31);
        differ[fractions_of_doubles] += Double::positive_fraction(w) != of_double(w, 0x1p-32) ||
                                        Double::signed_fraction(w) != near ||
                                        Double::octant_angle(w) != __dmul_rn(turn, 0.78539816339744831);
    }
    for (int f = 0; f < functions; ++f)
        if (differ[f] > 0) atomicAdd(counts + f, differ[f]);
}

/// Returns whether the device differs from IEEE 754 in the quotient of two random numbers between 2^-most and
/// 2^most. Odd i have numerators next to the product of the denominator and a random number.
template <class T, int most>
__device__ bool quotient_differs(std::uint64_t i) {
    using Of = RealTraits<T>;
    const RandomBlock block = philox({static_cast<std::uint32_t>(i), most, 0, 0}, 1);
    const auto random = [&](int k) {
        constexpr std::uint64_t smallest = 1023 - most, exponents = 2 * most;
        return static_cast<T>(RealTraits<double>::real((smallest + block.word[k] % exponents) << 52 |
                                                       std::uint64_t{block.word[k + 1]} << 20 |
                                                       block.word[k] >> 12));
    };
    const auto is_usual = [](T x) {
        const T largest = static_cast<T>(RealTraits<double>::real(std::uint64_t{1023 + most} << 52));
        return x <= largest && x >= T(1) / largest;
    };
    const T number = random(0), denominator = random(2),
            product = Of::real(Of::bits(number * denominator) + i / 2 % 3 - 1),
            numerator = i % 2 == 0 ? number : product, quotient = numerator / denominator;
    return is_usual(numerator) && is_usual(quotient) &&
           Of::usual_quotient(-numerator, denominator) != -quotient;
}

/// Counts quotients in which the device differs from IEEE 754, of 2^32 random floats (counts[0]) and of 2^32
/// random doubles (counts[1]).
__global__ void count_differences_of_quotients(unsigned long long* counts) {
    unsigned long long differ[2] = {};
    for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < all_words;
         i += gridDim.x * blockDim.x) {
        differ[0] += quotient_differs<float, 99>(i);
        differ[1] += quotient_differs<double, 166>(i);
    }
    for (int f = 0; f < 2; ++f)
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
                            exponent = std::uint64_t{block.word[2] % 332} << 52;
        check(Double::real((one - (std::uint64_t{166} << 52)) + exponent + mantissa));
        const double number = Double::real(one + mantissa);
        const std::uint64_t square = Double::bits(__dmul_rn(number, number));
        for (std::uint64_t next = square - 1; next <= square + 1; ++next) check(Double::real(next));
    }
    for (int f = 0; f < 2; ++f)
        if (differ[f] > 0) atomicAdd(counts + f, differ[f]);
}

constexpr std::uint32_t limit_cases = 1 << 20;

/// Draws a direction by cone (odd i) or by heat bath, in a random case at the limits of the arguments.
template <class T>
PSFLIP_HD Spin<T, 3> direction_at_limits(std::uint32_t i) {
    const double betas[] = {min_beta, 1.0, max_beta}, sizes[] = {0.0, 0.9e-15, 1.1e-15, 1.0, 1e6},
                 widths[] = {min_width, 1.0, 2.0};
    const RandomBlock of = philox({i, 0, 0, 0}, 1), chosen = philox({i, 1, 0, 0}, 1);
    const std::uint32_t heights[] = {0, 0x7fffffff, 0x80000000, 0xffffffff, of.word[2]},
                        height = heights[chosen.word[0] % 5];
    Spin<T, 3> axis = uniform_direction<T>(of.word[0], of.word[1]);
    if (i % 2 == 1) return direction_in_cone(axis, T(widths[chosen.word[1] % 3]), height, of.word[3]);
    for (T& c : axis.c) c = c * T(sizes[chosen.word[2] % 5]);
    return direction_in_field(axis, T(betas[chosen.word[3] % 3]), height, of.word[3]);
}

template <class T>
__global__ void draw_directions_at_limits(Spin<T, 3>* to) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = direction_at_limits<T>(i);
}

}  // namespace

TEST_CASE("the device makes the numbers of the host from all random words, and rounds correctly") {
    const auto counted = [](auto kernel, std::size_t size) {
        DeviceBuffer<unsigned long long> counts(size, "counts");
        counts.zero(nullptr);
        launch(kernel, dim3(1024), dim3(256), 0, nullptr, counts.data());
        std::vector<unsigned long long> found(size);
        counts.download(found, nullptr);
        return found;
    };
    using Counts = std::vector<unsigned long long>;
    CHECK(counted(count_differences, functions) == Counts(functions, 0));
    CHECK(counted(count_differences_of_doubles, 2) == Counts(2, 0));
    CHECK(counted(count_differences_of_quotients, 2) == Counts(2, 0));
}

TEST_CASE_TEMPLATE("heat bath and cone have the bits of the host at the limits of their arguments", T, float,
                   double) {
    DeviceBuffer<Spin<T, 3>> drawn(limit_cases, "directions");
    launch(draw_directions_at_limits<T>, dim3(limit_cases / 256), dim3(256), 0, nullptr, drawn.data());
    std::vector<Spin<T, 3>> found(limit_cases);
    drawn.download(found, nullptr);
    int differ = 0;
    for (std::uint32_t i = 0; i < limit_cases; ++i) {
        const Spin<T, 3> expected = direction_at_limits<T>(i);
        differ += std::memcmp(&expected, &found[i], sizeof expected) != 0 ||
                  !(std::abs(product(expected, expected) - 1) < T(1e-3));
    }
    CHECK(differ == 0);
}
