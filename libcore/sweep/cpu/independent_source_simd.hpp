#pragma once

#include <cstdint>

#include "sweep/cpu/plain_rule_simd.hpp"
#include "sweep/cpu/plane_source_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Updates spins with a random number for every spin (share 1; see plane_source_simd.hpp).
///
/// With the plain rule in three dimensions, the number of unsatisfied bonds, 0, 1 or 2, chooses the threshold
/// exp(-12 beta), exp(-8 beta) or exp(-4 beta). Updates take about 290 operations per 512 spins:
///
///   Philox                          14 for the first two rounds, 4 x (7 rounds of 6), 2 x 12 for the last
///   comparison of planes            8 x 4
///   bonds and flip                  15
///   queue of undecided lanes        15, and 15 for each of 1.7 entries
template <class Rule>
class IndependentSource : public PlaneSource<IndependentSource<Rule>, Rule> {
    using Base = PlaneSource<IndependentSource, Rule>;
    friend Base;
    using Base::full_calls, Base::keys_, Base::sweep_;
    static constexpr int lanes = 16;  ///< 32-lane groups of a 512-bit word

    const SweepTask& task_;
    const Lattice& lattice_;
    alignas(64) std::uint32_t plane_[32][Rule::own_thresholds][lanes];  ///< bits of the thresholds: 0 or ~0
    alignas(64) std::uint32_t fields_[lanes], pack_[lanes];
    alignas(64) std::uint32_t lane_number_[lanes];
    typename Base::Rounds rounds_[registers][full_calls][2];  ///< last axis: parity of the 32-lane group
    Native64 pack_key_[registers][2];

  public:
    static constexpr bool by_chunk = false;

    IndependentSource(const SweepTask& task, const Lattice& lattice)
        : Base(task.key, task.spins, task.always), task_(task), lattice_(lattice) {
        for (int lane = 0; lane < lanes; ++lane) {
            lane_number_[lane] = lane;
            pack_[lane] =
                make_counter(Purpose::metropolis_bits, 0, 0, 0, 0, 0, task.first_realization / 32 + lane % 4)
                    .pack_purpose;
            for (int k = 0; k < 32; ++k)
                for (int c = 0; c < Rule::own_thresholds; ++c)
                    plane_[k][c][lane] = 0u - (task.thresholds[4 * c + lane / 4] >> (31 - k) & 1u);
        }
    }

    void prepare(const Chunk&, int) {}

    void begin(const Chunk& chunk) {
        if (chunk.sweep() == sweep_) return;
        sweep_ = chunk.sweep();
        for (int lane = 0; lane < lanes; ++lane)
            fields_[lane] = make_counter(Purpose::metropolis_bits, 0, sweep_, task_.first_slot + lane / 4,
                                         task_.replica, 0, 0)
                                .fields;
        for (int reg = 0; reg < registers; ++reg)
            for (int parity = 0; parity < 2; ++parity) {
                pack_key_[reg][parity] = (lanes64(pack_, reg) >> (32 * parity)) ^ keys_(0, 1);
                for (int call = 0; call < full_calls; ++call)
                    rounds_[reg][call][parity] = this->first_rounds(lanes64(fields_, reg) >> (32 * parity) |
                                                                    broadcast64(this->digit(call)));
            }
    }

    /// Returns the new spin of the h-th site of a row.
    Word update(Word own, const typename Rule::Site& of_site, const Row& row, int h, int, int reg, int) {
        const std::uint32_t site = lattice_.site(row, h);
        Word plane[4 * full_calls];
        planes(site, reg, plane);
        const auto choice = Rule::choice(own, of_site, plane[0], this->always());
        const Native32 first = Native32{} + static_cast<std::uint32_t>((row.own + h) * lanes);
        const Word below = this->lanes_below(
            choice, choice.open, plane,
            [&](int k, int c) { return load32(plane_[k][c] + reg * word_lanes32); },
            first + load_numbers(lane_number_ + reg * word_lanes32), Native32{} + site);
        return xor_or(own, choice.flips, below);
    }

  private:
    static Native64 lanes64(const std::uint32_t* from, int reg) {
        return load32(from + reg * word_lanes32).v;
    }

    /// Makes the first (most significant) bit planes of the numbers of all lanes of a site.
    void planes(std::uint32_t site, int reg, Word (&plane)[4 * full_calls]) const {
        const std::uint64_t p0 = std::uint64_t{philox_m0} * site;
        const Native64 high = broadcast64(p0 >> 32), low = broadcast64(p0);
        PhiloxLanes c[2 * full_calls];
        for (int parity = 0; parity < 2; ++parity) {
            const Native64 p1 = multiply_low32(high ^ pack_key_[reg][parity], broadcast64(philox_m1));
            for (int call = 0; call < full_calls; ++call)
                c[2 * call + parity] = this->second_round(rounds_[reg][call][parity], low, p1);
        }
        this->make_planes(c, plane);
    }

    UndecidedEntries entries(Native32 group, Native32 site) const {
        const Native32 lane = group & (lanes - 1);
        return {site, lane, (Native64)lookup(fields_, lane), (Native64)lookup(pack_, lane)};
    }
    Word late_plane(int k, int c, const UndecidedEntries& entries) const {
        return {(Native64)lookup(plane_[k][c], entries.number)};
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
