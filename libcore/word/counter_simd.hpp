#pragma once

// Counts bits in the lanes of SIMD registers.

#include <bit>

#include "word/bit_counter.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Writes the counts of all lanes to `out`, with the axes (slot of the register, realization of the column).
template <int Planes>
inline void unpack_counter(const BitCounter<Word, Planes>& counter, std::int32_t* out) {
    alignas(64) std::uint32_t plane[Planes][word_lanes32];
    for (int p = 0; p < Planes; ++p) *reinterpret_cast<Native64*>(plane[p]) = counter.plane[p].v;
    for (int lane = 0; lane < word_lanes32; ++lane) {
        std::uint32_t number[32] = {};
        for (int p = 0; p < Planes; ++p)
            for (std::uint32_t bit = 0; bit < 32; ++bit) number[bit] += (plane[p][lane] >> bit & 1u) << p;
        for (int bit = 0; bit < 32; ++bit) out[32 * lane + bit] = static_cast<std::int32_t>(number[bit]);
    }
}

/// Counts in six planes (`few`) and adds these counts to `total` before they can overflow. Call flush()
/// before reading `total`.
template <int Planes>
struct BufferedCounter {
    BitCounter<Word, Planes> total;
    BitCounter<Word, 6> few;
    int room = 63;  ///< bits per lane that `few` can still count

    BufferedCounter() {
        total.clear();
        few.clear();
    }
    /// Adds N bits per lane.
    template <int N>
    void add(const Word (&bits)[N]) {
        if (room < N) flush();
        few.add(bits);
        room -= N;
    }
    /// Adds `few` to `total` and empties `few`.
    void flush() {
        total.add_number(few.plane);
        few.clear();
        room = 63;
    }
};

/// Counts the set bits of all words together. Counts of lanes are added up before they can overflow.
class BitSum {
  public:
    BitSum() { few_.clear(); }
    /// Adds the set bits of N words.
    template <int N>
    void add(const Word (&words)[N]) {
        if (room_ < N) flush();
        few_.add(words);
        room_ -= N;
    }
    /// Returns the number of set bits of all words that were added.
    std::int64_t total() {
        flush();
        return total_;
    }

  private:
    static constexpr int planes = 6, most = (1 << planes) - 1;

    void flush() {
        for (int p = 0; p < planes; ++p)
            for (int i = 0; i < word_lanes64; ++i)
                total_ += std::int64_t{std::popcount(few_.plane[p].v[i])} << p;
        few_.clear();
        room_ = most;
    }

    BitCounter<Word, planes> few_;
    int room_ = most;
    std::int64_t total_ = 0;
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
