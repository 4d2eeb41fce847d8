#pragma once

// Does the work of one stream for rng_numbers.hpp, in loops on the CPU and in kernels.

#include "bench/generators/generator_list.hpp"
#include "bench/generators/stream_set.hpp"
#include "bench/rng_numbers.hpp"

namespace psflip {

/// Holds the arguments of loops and kernels: the numbers that each stream gives in this call (`each`) and
/// gave before (`drawn`).
struct NumbersView {
    std::uint32_t streams, run;
    std::uint64_t each, drawn;

    PSFLIP_HD std::uint64_t element(std::uint64_t stream, std::uint64_t j) const {
        return (j / run * streams + stream) * run + j % run;
    }
};

/// Returns number / range in single precision. The factor 1 / range is rounded once.
PSFLIP_HD float fraction(std::uint32_t number, float over_range) {
    return static_cast<float>(number) * over_range;
}

/// Stores four numbers as fractions at once. The address `place` must be a multiple of 16 bytes.
template <class G>
PSFLIP_HD void store_four_fractions(G& numbers, float over_range, float* place) {
    std::uint32_t number[4];
    next_numbers(numbers, number);
#ifdef __CUDA_ARCH__
    // A plain assignment would become four stores.
    __stwb(reinterpret_cast<float4*>(place),
           make_float4(fraction(number[0], over_range), fraction(number[1], over_range),
                       fraction(number[2], over_range), fraction(number[3], over_range)));
#else
    for (int k = 0; k < 4; ++k) place[k] = fraction(number[k], over_range);
#endif
}

/// Fills the numbers of one call, for a stream that belongs to one thread.
template <class G>
PSFLIP_HD void fill_by_stream(const NumbersView& of, const StreamsView<G>& streams, std::uint32_t stream,
                              float over_range, float* out) {
    G numbers = streams.stream(stream, of.drawn);
    for (std::uint64_t row = 0; row < of.each / of.run; ++row) {
        float* place = out + (row * of.streams + stream) * of.run;
        if (of.run % 4 == 0)
            for (std::uint32_t k = 0; k < of.run; k += 4)
                store_four_fractions(numbers, over_range, place + k);
        else
            for (std::uint32_t k = 0; k < of.run; ++k) place[k] = fraction(numbers.next(), over_range);
    }
    numbers.store(streams.words(stream));
}
/// Counts the odd numbers of one call, for a stream that belongs to one thread.
template <class G>
PSFLIP_HD std::uint64_t odd_of_stream(const NumbersView& of, const StreamsView<G>& streams,
                                      std::uint32_t stream) {
    G numbers = streams.stream(stream, of.drawn);
    std::uint64_t odd = 0;
    std::uint64_t j = 0;
    for (; j + 4 <= of.each; j += 4) {
        std::uint32_t number[4];
        next_numbers(numbers, number);
        odd += (number[0] & 1u) + (number[1] & 1u) + (number[2] & 1u) + (number[3] & 1u);
    }
    for (; j < of.each; ++j) odd += numbers.next() & 1u;
    numbers.store(streams.words(stream));
    return odd;
}

}  // namespace psflip
