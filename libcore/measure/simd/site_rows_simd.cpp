// Counts of distances in rows with one bit per site, compiled once per instruction set.

#include "measure/site_rows.hpp"

#include <algorithm>
#include <bit>

#include "base/aligned.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

#ifdef __AVX512F__
/// Returns whether one instruction counts the bits of each 64-bit word of a register. Two words of 512 bits
/// then take four instructions instead of about seven.
bool counts_in_registers() {
    return __builtin_cpu_supports("avx512vpopcntdq");
}

[[gnu::target("avx512vpopcntdq")]] std::int64_t differing_in_registers(const std::uint64_t* a,
                                                                       const std::uint64_t* b,
                                                                       std::int64_t words) {
    __m512i sum = _mm512_setzero_si512();
    std::int64_t i = 0;
    for (; i + word_lanes64 <= words; i += word_lanes64)
        sum = _mm512_add_epi64(
            sum, _mm512_popcnt_epi64(_mm512_xor_si512(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i))));
    std::int64_t total = _mm512_reduce_add_epi64(sum);
    for (; i < words; ++i) total += std::popcount(a[i] ^ b[i]);
    return total;
}
#endif

/// Counts the bits that differ between arrays of words.
class Differences {
  public:
    void add(const std::uint64_t* a, const std::uint64_t* b, std::int64_t words) {
#ifdef __AVX512F__
        if (counts_in_registers()) {
            rest_ += differing_in_registers(a, b, words);
            return;
        }
#endif
        constexpr int together = 8;
        std::int64_t i = 0;
        for (; i + together * word_lanes64 <= words; i += together * word_lanes64) {
            Word differ[together];
            for (int w = 0; w < together; ++w) {
                const std::int64_t at = i + w * word_lanes64;
                differ[w] = load_unaligned(a + at) ^ load_unaligned(b + at);
            }
            sum_.add(differ);
        }
        for (; i + word_lanes64 <= words; i += word_lanes64) {
            const Word differ[1] = {load_unaligned(a + i) ^ load_unaligned(b + i)};
            sum_.add(differ);
        }
        for (; i < words; ++i) rest_ += std::popcount(a[i] ^ b[i]);
    }
    std::int64_t total() {
        return sum_.total() + rest_;
    }

  private:
    BitSum sum_;
    std::int64_t rest_ = 0;
};

/// Rows that are compared while they are in the first-level cache.
constexpr std::int64_t rows_together = 16;

/// Counts along x. The bits of each row are written twice, one copy behind the other, and moved by each
/// number of bits below 64 once.
class RowsAlongX {
  public:
    explicit RowsAlongX(const SiteRowsTask& task)
        : task_(task),
          words_(words_of_row(task.L)),
          moved_words_((task.distances / 64 + words_ + word_lanes64 - 1) / word_lanes64 * word_lanes64),
          twice_words_(std::max(2 * words_, moved_words_) + 1),
          twice_(rows_together * twice_words_),
          moved_(rows_together * moved_words_) {}

    void count(std::int64_t first, std::int64_t end) {
        for (std::int64_t y = first; y < end; ++y) write_twice(y, twice_.data() + (y - first) * twice_words_);
        for (int shift = 0; shift < 64 && shift <= task_.distances; ++shift) {
            for (std::int64_t i = 0; i < end - first; ++i)
                move(twice_.data() + i * twice_words_, shift, moved_.data() + i * moved_words_);
            for (int k = shift; k <= task_.distances; k += 64)
                if (k > 0) task_.counts[k] += differing(first, end, k / 64);
        }
    }

  private:
    const std::uint64_t* row(std::int64_t y) const { return task_.rows + y * words_; }

    /// Writes the bits of a row and, from bit L on, the same bits again.
    void write_twice(std::int64_t y, std::uint64_t* to) const {
        const int rest = task_.L % 64, whole = task_.L / 64;
        std::copy_n(row(y), words_, to);
        for (int i = 0; i < words_; ++i)
            if (rest == 0) {
                to[words_ + i] = row(y)[i];
            } else {
                to[whole + i] |= row(y)[i] << rest;
                to[whole + i + 1] = row(y)[i] >> (64 - rest);
            }
    }

    /// Writes the bits of a row from bit `shift` on, periodically.
    void move(const std::uint64_t* twice, int shift, std::uint64_t* to) const {
        for (int i = 0; i < moved_words_; ++i)
            to[i] = shift == 0 ? twice[i] : twice[i] >> shift | twice[i + 1] << (64 - shift);
    }

    /// A row whose length is not a multiple of 64 ends within a word.
    std::int64_t differing(std::int64_t first, std::int64_t end, int begin) const {
        const int whole = task_.L / 64;
        const std::uint64_t last = (std::uint64_t{1} << task_.L % 64) - 1;
        Differences differences;
        std::int64_t rest = 0;
        for (std::int64_t y = first; y < end; ++y) {
            const std::uint64_t* moved = moved_.data() + (y - first) * moved_words_ + begin;
            differences.add(row(y), moved, whole);
            if (last != 0) rest += std::popcount((row(y)[whole] ^ moved[whole]) & last);
        }
        return differences.total() + rest;
    }

    const SiteRowsTask& task_;
    int words_, moved_words_, twice_words_;
    AlignedVector<std::uint64_t> twice_, moved_;  ///< (row; word)
};

/// Counts along y (step 1) or z (step L). `step` is the number of rows from one site to the next. L such
/// steps are a period, and the rows first, ..., end - 1 are in one period.
void count_across_rows(const SiteRowsTask& task, std::int64_t first, std::int64_t end, std::int64_t step) {
    const int words = words_of_row(task.L);
    const std::int64_t period = task.L * step, begin = first / period * period;
    for (int k = 1; k <= task.distances; ++k) {
        Differences differences;
        for (std::int64_t y = first, here; y < end; y += here) {
            const std::int64_t other = begin + (y - begin + k * step) % period;
            here = std::min(end - y, begin + period - other);
            differences.add(task.rows + y * words, task.rows + other * words, here * words);
        }
        task.counts[k] += differences.total();
    }
}

void count(const SiteRowsTask& task) {
    const int words = words_of_row(task.L);
    for (std::int64_t i = task.first * words; i < task.end * words; ++i)
        task.counts[0] += std::popcount(task.rows[i]);
    RowsAlongX along_x(task);
    for (std::int64_t first = task.first, end; first < task.end; first = end) {
        end = std::min({task.end, first + rows_together, (first / task.L + 1) * task.L});
        along_x.count(first, end);
        std::int64_t step = 1;
        for (int axis = 1; axis < task.dimension; ++axis, step *= task.L)
            count_across_rows(task, first, end, step);
    }
}

}  // namespace
}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::SiteRowsKernels psflip::SiteRowsKernels::PSFLIP_SIMD_LEVEL = {psflip::PSFLIP_SIMD_LEVEL::count};
