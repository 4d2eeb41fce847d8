#pragma once

#include "sweep/cpu/plane_source_simd.hpp"
#include "sweep/sites/site_rows_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Draws a number for every spin of a lattice whose subdomains are lanes (see plane_source_simd.hpp).
///
/// The Philox calls of a register differ in the local index (word 0 of the counter) and in the 32-lane group
/// (word 2). In the first two rounds, all calls of a register need two multiplications together.
template <class Rule>
class SiteNumbers : public PlaneSource<SiteNumbers<Rule>, Rule> {
    using Base = PlaneSource<SiteNumbers, Rule>;
    friend Base;
    using Base::full_calls, Base::sweep_;

    const SitesTask& task_;
    /// (32-lane group of a register): number of the group; local index minus the local index of the first
    /// group.
    alignas(64) std::uint32_t group_[word_lanes32], index_[word_lanes32];
    typename Base::Rounds rounds_[full_calls][2];  ///< by parity of the group
    Native64 indices_;                             ///< as index_, for pairs of groups

  public:
    explicit SiteNumbers(const SitesTask& task) : Base(task.key, task.spins, task.always), task_(task) {
        for (int group = 0; group < word_lanes32; ++group) {
            group_[group] = group;
            index_[group] = 2 * (group / lane_words);
        }
        for (int i = 0; i < word_lanes64; ++i) indices_[i] = index_[2 * i];
    }

    void begin(std::int64_t sweep) {
        if (sweep == sweep_) return;
        sweep_ = sweep;
        const Native64 all = fields(load_numbers(group_));
        for (int parity = 0; parity < 2; ++parity)
            for (int call = 0; call < full_calls; ++call)
                rounds_[call][parity] =
                    this->first_rounds(all >> (32 * parity) | broadcast64(this->digit(call)));
    }

    /// Returns the new spins of the local indices index, index + 2, ... of a register. `word` is the number
    /// of its first word in the lattice. Lanes that are not `active` do not change.
    [[gnu::always_inline]] Word update(Word own, const typename Rule::Site& site, std::uint32_t index,
                                       std::int64_t word, Word active) {
        Word plane[4 * full_calls];
        planes(index, plane);
        const auto choice = Rule::choice(own, site, plane[0], this->always());
        const Word below = this->lanes_below(
            choice, choice.open & active, plane, [&](int k, int c) { return plane_of(k, c); },
            Native32{} + static_cast<std::uint32_t>(word * lane_words) + load_numbers(group_),
            Native32{} + index + load_numbers(index_));
        return own ^ (active & (choice.flips | below));
    }

  private:
    Counter counter() const {
        return make_counter(Purpose::site_bits, 0, static_cast<std::uint64_t>(sweep_), task_.slot,
                            task_.replica, 0, task_.realization);
    }
    Native64 fields(Native32 group) const {
        return (Native64)((group & (lane_words - 1)) << lane_word_shift | counter().fields);
    }
    Word plane_of(int k, int c) const {
        return {broadcast64(std::uint64_t{0} - (task_.thresholds[c] >> (31 - k) & 1u))};
    }

    void planes(std::uint32_t index, Word (&plane)[4 * full_calls]) const {
        const Native64 p0 = multiply_low32(broadcast64(index) + indices_, broadcast64(philox_m0));
        const Native64 c2 = (p0 >> 32) ^ broadcast64(counter().pack_purpose) ^ this->keys_(0, 1);
        const Native64 p1 = multiply_low32(c2, broadcast64(philox_m1));
        PhiloxLanes c[2 * full_calls];
        for (int parity = 0; parity < 2; ++parity)
            for (int call = 0; call < full_calls; ++call)
                c[2 * call + parity] = this->second_round(rounds_[call][parity], p0, p1);
        this->make_planes(c, plane);
    }

    UndecidedEntries entries(Native32 group, Native32 site) const {
        return {site, group, fields(group), broadcast32(counter().pack_purpose)};
    }
    Word late_plane(int k, int c, const UndecidedEntries&) const { return plane_of(k, c); }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
