#pragma once

#include <type_traits>

#include "bench/generators/streams.hpp"

namespace psflip {

/// Makes one step x <- multiplier x + increment modulo 2^32 or 2^64. t successive steps are equal to one step
/// with another multiplier and increment.
template <class Word>
struct LcgStep {
    Word multiplier, increment;

    PSFLIP_HD Word operator()(Word x) const { return multiplier * x + increment; }
    /// Returns the step that is equal to this step followed by `next`.
    constexpr LcgStep then(const LcgStep& next) const {
        return {next.multiplier * multiplier, next.multiplier * increment + next.increment};
    }
    /// Returns the step that is equal to t steps: multiplier^t, increment sum_{i=0}^{t-1} multiplier^i.
    constexpr LcgStep power(std::uint64_t t) const {
        LcgStep result{1, 0};
        for (LcgStep square = *this; t > 0; t >>= 1, square = square.then(square))
            if (t & 1) result = result.then(square);
        return result;
    }
};

/// The steps of Weigel's generators (arXiv:1101.1427, section 3.3). After x = 1 they give 1015568748,
/// 1586005467 (32 bits) and 4305628596666905164, 2065925856301512299 (64 bits).
inline constexpr LcgStep<std::uint32_t> lcg32_step = {1664525u, 1013904223u};
inline constexpr LcgStep<std::uint64_t> lcg64_step = {2862933555777941757u, 1442695040888963407u};

/// Implements a linear congruential generator. Either each stream has its own seed, or all T streams share
/// one sequence. In the shared sequence, stream t begins with the state after t steps, and each of its
/// numbers takes T steps at once.
template <class Word>
class Lcg {
  public:
    static constexpr bool wide = sizeof(Word) == 8;
    static constexpr const char* name = wide ? "LCG64" : "LCG32";
    static constexpr int words = wide ? 2 : 1;
    static constexpr int accesses = 0;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;
    static constexpr LcgStep<Word> single = [] {
        if constexpr (wide)
            return lcg64_step;
        else
            return lcg32_step;
    }();

    static void seed(StreamWords words, std::uint64_t seed) { put(words, static_cast<Word>(seed)); }
    /// Seeds stream t of a sequence that starts with the state x. The first number of the stream belongs to
    /// the state after t + 1 single steps.
    static void seed_in_sequence(StreamWords words, Word x, std::uint64_t t, std::uint64_t streams) {
        // One step of length `streams` leads from here to the state after t + 1 single steps.
        put(words, single.power(t + 1).then(single.power(period_below(streams)))(x));
    }
    PSFLIP_HD Lcg(StreamWords words, std::uint64_t, LcgStep<Word> step = single)
        : x_(get(words)), step_(step) {}
    /// Returns the next number: the state, or the upper 32 bits of a 64-bit state.
    PSFLIP_HD std::uint32_t next() {
        x_ = step_(x_);
        return static_cast<std::uint32_t>(wide ? x_ >> (8 * (sizeof(Word) - 4)) : x_);
    }
    PSFLIP_HD Word state() const { return x_; }
    PSFLIP_HD void store(StreamWords words) const { put(words, x_); }

  private:
    /// Returns the number of steps that reverts `streams` steps. The period is 2^32 or 2^64.
    static std::uint64_t period_below(std::uint64_t streams) { return static_cast<Word>(0 - streams); }
    PSFLIP_HD static void put(StreamWords words, Word x) {
        words[0] = static_cast<std::uint32_t>(x);
        if constexpr (wide) words[1] = static_cast<std::uint32_t>(x >> 32);
    }
    PSFLIP_HD static Word get(StreamWords words) {
        if constexpr (wide)
            return words[0] | static_cast<Word>(words[1]) << 32;
        else
            return words[0];
    }

    Word x_;
    LcgStep<Word> step_;
};
using Lcg32 = Lcg<std::uint32_t>;
using Lcg64 = Lcg<std::uint64_t>;

}  // namespace psflip
