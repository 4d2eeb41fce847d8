#pragma once

// Seeds many streams of one generator and owns their memory.

#include <algorithm>
#include <type_traits>
#include <vector>

#include "bench/generators/lcg.hpp"
#include "bench/generators/streams.hpp"

namespace psflip {

/// Holds the data that all streams of a set share. Only linear congruential generators have such data: the
/// step from one number of a stream to its next number.
template <class G>
struct StreamStep {
    static StreamStep of(std::uint64_t) { return {}; }
    PSFLIP_HD G stream(StreamWords words, std::uint64_t drawn) const { return G(words, drawn); }
};
template <class Word>
struct StreamStep<Lcg<Word>> {
    LcgStep<Word> step;

    static StreamStep of(std::uint64_t steps) { return {Lcg<Word>::single.power(steps)}; }
    PSFLIP_HD Lcg<Word> stream(StreamWords words, std::uint64_t drawn) const { return {words, drawn, step}; }
};

/// Gives loops and kernels access to many streams of a generator. The caller owns `memory`.
template <class G>
struct StreamsView {
    std::uint32_t* memory;
    std::size_t between_streams, between_words;  ///< distances of successive streams and words, in words
    StreamStep<G> step;

    PSFLIP_HD StreamWords words(std::size_t t) const { return {memory + t * between_streams, between_words}; }
    /// Returns stream t after it gave `drawn` numbers.
    PSFLIP_HD G stream(std::size_t t, std::uint64_t drawn) const { return step.stream(words(t), drawn); }
};

/// Says how the streams of a set are seeded.
struct StreamSeeds {
    std::uint64_t seed = 1;
    /// If true, stream t takes the numbers t, t + T, t + 2 T, ... of one sequence that starts with the state
    /// `seed` (linear congruential generators only). Otherwise every stream has its own seed,
    /// stream_seed(seed, t).
    bool in_sequence = false;
};

/// Owns the memory of `count` streams on the host, one stream after the other.
template <class G>
class StreamSet {
  public:
    StreamSet(std::size_t count, const StreamSeeds& seeds)
        : count_(count),
          step_(StreamStep<G>::of(seeds.in_sequence ? count : 1)),
          memory_(count * static_cast<std::size_t>(G::words)) {
        for (std::size_t t = 0; t < count; ++t) seed(t, seeds);
    }
    std::size_t count() const { return count_; }
    StreamsView<G> view() { return {memory_.data(), static_cast<std::size_t>(G::words), 1, step_}; }

    /// Returns the memory, in which word j of stream t has the index t words + j.
    const std::vector<std::uint32_t>& memory() const { return memory_; }
    /// Returns the memory in the order of a device, in which word j of stream t has the index j T + t.
    std::vector<std::uint32_t> side_by_side() const {
        std::vector<std::uint32_t> result(memory_.size());
        const auto words = static_cast<std::size_t>(G::words);
        constexpr std::size_t tile = 16;  // streams whose words share a cache line
        for (std::size_t first = 0; first < count_; first += tile)
            for (std::size_t j = 0; j < words; ++j)
                for (std::size_t t = first; t < std::min(first + tile, count_); ++t)
                    result[j * count_ + t] = memory_[t * words + j];
        return result;
    }

  private:
    void seed(std::size_t t, const StreamSeeds& seeds) {
        if constexpr (requires { &G::seed_in_sequence; }) {
            if (seeds.in_sequence) {
                using Word = std::remove_cvref_t<decltype(G::single.multiplier)>;
                return G::seed_in_sequence(view().words(t), static_cast<Word>(seeds.seed), t, count_);
            }
        }
        G::seed(view().words(t), stream_seed(seeds.seed, t));
    }

    std::size_t count_;
    StreamStep<G> step_;
    std::vector<std::uint32_t> memory_;
};

}  // namespace psflip
