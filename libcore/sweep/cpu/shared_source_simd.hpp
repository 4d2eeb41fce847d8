#pragma once

#include <cstdint>

#include "random/philox_simd.hpp"
#include "sweep/cpu/plain_rule_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// Updates spins with one random number R for `Share` realizations (a pack). One Philox call gives the numbers
// of four slots of a (site, pack). A 512-bit register makes 8 calls:
//
//   list of the sites of a plane -> calls -> numbers (site, pack, slot), 4 bytes each
//     share 128, 64: prepare() compares 4 or 2 sites at once with thresholds -> offset (plain rule in three
//                    dimensions: the 3 masks);
//                    the update only spreads the offset over the realizations
//     share 32:      a site fills a register: the update spreads the numbers, then compares them
//
// Operations of the plain rule in three dimensions: 8 Philox calls take 58, so 512 spins take 7 (share 128),
// 15 (64) or 29 (32). Masks take 6 for 4 sites (share 128), 2 sites (64) or 1 site (32). Spreading takes 3, 3
// or 1.

/// Returns a register with a number in each 32-bit element (slot, quarter of the column). `blocks` has the
/// numbers as (pack, slot), for the 128 / Share packs of a column and 4 slots.
template <int Share>
inline Native32 spread(const std::uint32_t* blocks, int reg) {
    constexpr int quarters = Share / 32;
#if defined(__AVX512F__)
    (void)reg;
    const auto index = [](int slot, int quarter) { return quarter / quarters * 4 + slot; };
    const __m512i order =
        _mm512_setr_epi32(index(0, 0), index(0, 1), index(0, 2), index(0, 3), index(1, 0), index(1, 1),
                          index(1, 2), index(1, 3), index(2, 0), index(2, 1), index(2, 2), index(2, 3),
                          index(3, 0), index(3, 1), index(3, 2), index(3, 3));
    __m512i words;
    if constexpr (Share == 128)
        words = _mm512_castsi128_si512(_mm_load_si128(reinterpret_cast<const __m128i*>(blocks)));
    if constexpr (Share == 64)
        words = _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(blocks)));
    if constexpr (Share == 32) words = _mm512_load_si512(blocks);
    return (Native32)_mm512_permutexvar_epi32(order, words);
#else
    Native32 lanes;
    for (int lane = 0; lane < word_lanes32; ++lane)
        lanes[lane] = blocks[lane % 4 / quarters * 4 + reg * word_slots + lane / 4];
    return lanes;
#endif
}

/// ByChunk: one loop runs through all sites of a chunk (chunk_view_simd.hpp), not row by row. Each value has
/// its own class, so that the compiler inlines the functions of each into one loop.
template <class RuleOfSites, int Share, bool ByChunk>
class SharedSource {
  public:
    using Rule = RuleOfSites;
    static constexpr bool by_chunk = ByChunk;

  private:
    static constexpr int packs = 128 / Share;
    static constexpr bool offsets = packs < 4;  ///< buffers hold offsets; otherwise numbers
    static constexpr int kinds = offsets ? Rule::offset_words : 1;
    static constexpr int pack_registers = packs > word_lanes64 ? packs / word_lanes64 : 1;
    static constexpr int buffer_words = (chunk_sites * packs + word_lanes64) * 4;

    const SweepTask& task_;
    const Lattice& lattice_;
    const PhiloxKeys keys_;
    Native32 thresholds_[Rule::thresholds]
                        [registers];  ///< in the order of the buffer (share 32: of the spin word)
    /// (call of a chunk): number of its site if the chunk is red and begins at y = z = 0. In the sliced
    /// order, the low half is u and the high half is v.
    alignas(64) std::uint64_t sites_[chunk_sites * packs + word_lanes64] = {};
    alignas(64) std::uint64_t pack_[pack_registers * word_lanes64];
    alignas(64) std::uint32_t buffer_[2][kinds][buffer_words];

  public:
    SharedSource(const SweepTask& task, const Lattice& lattice)
        : task_(task), lattice_(lattice), keys_(task.key) {
        for (int c = 0; c < Rule::thresholds; ++c)
            for (int reg = 0; reg < registers; ++reg)
                for (int lane = 0; lane < word_lanes32; ++lane)
                    thresholds_[c][reg][lane] =
                        task.thresholds[4 * c + (offsets ? lane % 4 : reg * word_slots + lane / 4)];
        for (int p = 0; p < pack_registers * word_lanes64; ++p) {
            const int lane = p / word_lanes64 * word_lanes64 + call_lane(p % word_lanes64);
            pack_[lane] =
                make_counter(Purpose::metropolis, 0, 0, 0, 0, 0, task.first_realization / Share + p % packs)
                    .pack_purpose;
        }
        list_sites();
    }

    /// Makes the numbers of a chunk in one of two buffers.
    void prepare(const Chunk& chunk, int buffer) {
        const PhiloxSites philox(
            make_counter(Purpose::metropolis, 0, chunk.sweep(), task_.first_slot / 4, task_.replica, 0, 0),
            keys_);
        const bool sliced = lattice_.held.sliced();
        const std::uint64_t L = lattice_.L, z = lattice_.held.plane(chunk.w);
        const Native64 first = broadcast64(L * (chunk.v_begin + L * z) + 2 * chunk.h_begin);
        const Native64 odd = broadcast64((chunk.colour + chunk.v_begin + chunk.w) & 1);
        const int calls = chunk.sites() * packs;
        for (int i = 0; i < calls; i += word_lanes64) {
            const auto listed = *reinterpret_cast<const Native64*>(sites_ + i);
            const Native64 sites = sliced ? sliced_sites(listed, chunk, z) : (listed ^ odd) + first;
            const Native64 pack =
                *reinterpret_cast<const Native64*>(pack_ + i % (pack_registers * word_lanes64));
            store_numbers(buffer, 4 * i, philox(sites, pack));
        }
    }

    /// Returns the new spin of site i of the chunk.
    Word update(Word own, const typename Rule::Site& site, const Row&, int, int i, int reg,
                int buffer) const {
        const std::uint32_t* numbers = buffer_[buffer][0] + i * packs * 4;
        // Hides how the address was computed. The compiler would keep an address for each kind in a register.
        if constexpr (kinds > 1) asm("" : "+r"(numbers));
        Word offset[Rule::offset_words];
        if constexpr (offsets)
            for (int k = 0; k < kinds; ++k)
                offset[k] = {(Native64)spread<Share>(numbers + k * buffer_words, reg)};
        else
            make_offset(spread<Share>(numbers, reg), reg, offset);
        return Rule::updated(own, site, offset);
    }

    void begin(const Chunk&) {}
    void make_room() {}
    void finish() {}

  private:
    void list_sites() {
        const int row = lattice_.length < chunk_sites ? lattice_.length : chunk_sites;
        for (int i = 0; i < lattice_.rows_per_chunk() * row; ++i)
            for (int pack = 0; pack < packs; ++pack) {
                const int call = i * packs + pack, y = i / row, h = i % row;
                const int lane = call / word_lanes64 * word_lanes64 + call_lane(call % word_lanes64);
                sites_[lane] = lattice_.held.sliced() ? h | std::uint64_t(y) << 32
                                                      : 2 * h + (y & 1) + std::uint64_t(lattice_.L) * y;
            }
    }
    /// Returns the numbers of the sites (x, y, z) = (x', y' + x', z' + y') in plane z'. The list gives u = x'
    /// and v = y'.
    Native64 sliced_sites(Native64 listed, const Chunk& chunk, std::uint64_t plane) const {
        const Native64 L = broadcast64(lattice_.L);
        const auto wrap = [&](Native64 a) { return a - (L & (Native64)(a >= L)); };
        const Native64 x = (listed & broadcast64(0xFFFFFFFFu)) + broadcast64(chunk.h_begin),
                       v = (listed >> 32) + broadcast64(chunk.v_begin);
        return x + L * (wrap(v + x) + L * wrap(v + broadcast64(plane)));
    }

    void make_offset(Native32 numbers, int reg, Word (&offset)[Rule::offset_words]) const {
        Word below[Rule::thresholds];
        for (int c = 0; c < Rule::thresholds; ++c) {
            below[c] = less(numbers, thresholds_[c][reg]);
            if constexpr (Rule::has_always)
                below[c] = below[c] | Word{broadcast64(task_.always[c] * 0x100000001ull)};
        }
        Rule::offset(below, offset);
    }

    void store_numbers(int buffer, int at, const PhiloxLanes& words) {
        Native64 blocks[2];
        make_blocks(words, blocks);
        for (int half = 0; half < 2; ++half, at += word_lanes32) {
            if constexpr (offsets) {
                Word offset[Rule::offset_words];
                make_offset((Native32)blocks[half], 0, offset);
                for (int k = 0; k < kinds; ++k) put(buffer_[buffer][k] + at, offset[k].v);
            } else {
                put(buffer_[buffer][0] + at, blocks[half]);
            }
        }
    }
    static void put(std::uint32_t* to, Native64 v) { *reinterpret_cast<Native64*>(to) = v; }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
