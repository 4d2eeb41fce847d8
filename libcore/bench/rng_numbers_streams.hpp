#pragma once

#include "bench/rng_numbers.hpp"
#include "random/generators/generator_list.hpp"
#include "random/generators/stream_set.hpp"

namespace psflip {

/// What loops and kernels of Numbers get: numbers each stream gives in a call and gave before it.
struct NumbersView {
    std::uint32_t streams, run;
    std::uint64_t each, drawn;

    PSFLIP_HD std::uint64_t element(std::uint64_t stream, std::uint64_t j) const {
        return (j / run * streams + stream) * run + j % run;
    }
};

/// number / range in single precision; the factor 1 / range is rounded once.
PSFLIP_HD float fraction(std::uint32_t number, float over_range) {
    return static_cast<float>(number) * over_range;
}

/// A call of one stream that nobody shares.
template <class G>
PSFLIP_HD void fill_by_stream(const NumbersView& of, const StreamsView<G>& streams, std::uint32_t stream,
                              float over_range, float* out) {
    G numbers = streams.stream(stream, of.drawn);
    for (std::uint64_t row = 0; row < of.each / of.run; ++row) {
        float* place = out + (row * of.streams + stream) * of.run;
        for (std::uint32_t k = 0; k < of.run; ++k) place[k] = fraction(numbers.next(), over_range);
    }
    numbers.store(streams.words(stream));
}
template <class G>
PSFLIP_HD std::uint64_t odd_of_stream(const NumbersView& of, const StreamsView<G>& streams,
                                      std::uint32_t stream) {
    G numbers = streams.stream(stream, of.drawn);
    std::uint64_t odd = 0;
    for (std::uint64_t j = 0; j < of.each; ++j) odd += numbers.next() & 1u;
    numbers.store(streams.words(stream));
    return odd;
}

}  // namespace psflip
