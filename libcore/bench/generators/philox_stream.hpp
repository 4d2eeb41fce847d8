#pragma once

#include "bench/generators/streams.hpp"
#include "random/philox.hpp"

namespace psflip {

/// Uses Philox4x32 with this number of rounds as a stream with a seed. Number n is word n % 4 of the call
/// with counter (n / 4, 0, 0) and the seed of the stream as key. The key is the whole memory of a stream and
/// never changes. Sweeps with Philox use the counters of random/purposes.hpp, not streams.
template <int Rounds>
class PhiloxOfRounds {
  public:
    static constexpr const char* name = Rounds == 7 ? "Philox4x32-7" : "Philox4x32-10";
    static constexpr int rounds = Rounds;
    static constexpr int words = 2;
    static constexpr int accesses = 0;
    static constexpr std::uint64_t range = std::uint64_t{1} << 32;

    static void seed(StreamWords words, std::uint64_t seed) {
        words[0] = static_cast<std::uint32_t>(seed);
        words[1] = static_cast<std::uint32_t>(seed >> 32);
    }
    PSFLIP_HD PhiloxOfRounds(StreamWords words, std::uint64_t drawn)
        : key_(words[0] | static_cast<std::uint64_t>(words[1]) << 32), drawn_(drawn) {
        if (drawn_ % 4 != 0) block_ = call();
    }
    PSFLIP_HD std::uint32_t next() {
        if (drawn_ % 4 == 0) block_ = call();
        const std::uint64_t word = drawn_++ % 4;
        return word == 0   ? block_.word[0]
               : word == 1 ? block_.word[1]
               : word == 2 ? block_.word[2]
                           : block_.word[3];
    }
    /// Writes the next four numbers, with one call of Philox if the first of them begins a call.
    PSFLIP_HD void next(std::uint32_t (&number)[4]) {
        if (drawn_ % 4 == 0) {
            const RandomBlock block = call();
            for (int j = 0; j < 4; ++j) number[j] = block.word[j];
            drawn_ += 4;
        } else {
            for (int j = 0; j < 4; ++j) number[j] = next();
        }
    }
    PSFLIP_HD void store(StreamWords) const {}

  private:
    PSFLIP_HD RandomBlock call() const {
        const std::uint64_t n = drawn_ / 4;
        return philox<Rounds>({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32), 0, 0},
                              key_);
    }

    std::uint64_t key_, drawn_;
    RandomBlock block_{};
};
using PhiloxStream = PhiloxOfRounds<philox_rounds>;
using Philox7Stream = PhiloxOfRounds<7>;

}  // namespace psflip
