#pragma once

#include <cstdint>

#include "sweep/cpu/plane_source_simd.hpp"
#include "sweep/replicas/replica_rule_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Updates words whose lanes are (replica, slot) pairs, with a random number for every lane (see
/// plane_source_simd.hpp; purpose replica_bits). Thresholds depend on the lane, so their bit planes are
/// words. Neighbouring words of a register may belong to one site or to two.
///
/// While one register is updated, the numbers of the next register are made. Each round waits for the
/// previous round, and the processor finds work in between:
///
///   register n + 1:  rounds 1 and 2 | round 3 | 4      | 5      | 6      | 7      | ... 10 -> its planes
///   register n:                     | bonds   | 2 of 8 planes each, lowest first  | queue, spins
///
/// The plain rule in three dimensions takes 278 operations and 126 loads per 512 lanes, if the number of
/// words of a site is even:
///
///   Philox                          13 for the first two rounds, 4 x (7 rounds of 6), 2 x 12 for the last
///   neighbours and bonds            17
///   comparison of planes            8 x 4
///   queue, flip and masks           24
template <class Rule>
class ReplicaSource : public PlaneSource<ReplicaSource<Rule>, Rule> {
    using Base = PlaneSource<ReplicaSource, Rule>;
    friend Base;
    using Base::full_calls, Base::keys_, Base::sweep_;
    static constexpr int site_bits = 28;  ///< of the queue: the word of the site lies above
    static constexpr int max_registers = 240 / word_lanes32;

    const ReplicaSweepTask& task_;
    const ReplicaTables& tables_;
    const int registers_;  ///< registers of a period
    const std::uint32_t period_sites_;
    const bool pairs_;  ///< both 32-lane words of 64 bits belong to one site
    const std::uint32_t pack_;
    const Native64 pack_key_;
    alignas(64) std::uint32_t lane_number_[word_lanes32];
    Word ahead_[4 * full_calls];  ///< planes of the register that is updated next
    /// Holds the data of a register of the period. They are next to the planes above, not in a table
    /// elsewhere, because loads wait for stores to equal places of other pages (of 4 KiB).
    struct PeriodRegister {
        Native64 product[2];  ///< first products of the sites' numbers
        typename Base::Rounds rounds[full_calls][2];
        alignas(64) std::uint32_t early[4 * full_calls][Rule::own_thresholds][word_lanes32];
        alignas(64) std::uint32_t entry[word_lanes32], used[word_lanes32];
    };
    PeriodRegister registers_of_period_[max_registers];
    alignas(64) std::uint32_t fields_[ReplicaLayout::max_words];

  public:
    explicit ReplicaSource(const ReplicaSweepTask& task)
        : Base(task.key, task.spins, task.always),
          task_(task),
          tables_(*task.tables),
          registers_(task.layout.period() / word_lanes32),
          period_sites_(static_cast<std::uint32_t>(2 * task.layout.period() / task.layout.words())),
          pairs_(task.layout.words() % 2 == 0),
          pack_(counter(0).pack_purpose),
          pack_key_(broadcast64(pack_) ^ keys_(0, 1)) {
        for (int lane = 0; lane < word_lanes32; ++lane) lane_number_[lane] = lane;
        for (int reg = 0; reg < registers_; ++reg) fill(registers_of_period_[reg], reg * word_lanes32);
    }

    /// Names a register by its number in the period of rows (`part`). The sites of the register are
    /// first_site + ReplicaTables::site.
    struct Place {
        unsigned part;
        std::uint32_t first_site;
    };
    Place after(Place place) const {
        if (++place.part == static_cast<unsigned>(registers_)) place = {0, place.first_site + period_sites_};
        return place;
    }

    void begin(std::int64_t sweep) {
        if (sweep == sweep_) return;
        sweep_ = sweep;
        for (int w = 0; w < ReplicaLayout::max_words; ++w) fields_[w] = counter(w).fields;
        for (int reg = 0; reg < registers_; ++reg) {
            alignas(64) std::uint32_t fields[word_lanes32];
            for (int lane = 0; lane < word_lanes32; ++lane)
                fields[lane] = fields_[tables_.word[reg * word_lanes32 + lane]];
            for (int parity = 0; parity < 2; ++parity)
                for (int call = 0; call < full_calls; ++call)
                    registers_of_period_[reg].rounds[call][parity] = this->first_rounds(
                        load32(fields).v >> (32 * parity) | broadcast64(this->digit(call)));
        }
    }

    /// Makes the random numbers of the first register that is updated.
    void prepare(Place place) {
        PhiloxLanes c[2 * full_calls];
        start(place, c);
        this->make_planes(c, ahead_);
    }

    /// Returns the new spins of a register. Its first word has the index `in_row` in the row and `position`
    /// in the spins. The random numbers of this register exist already. Makes the numbers of the register
    /// `next`.
    template <class Row>
    Word update(const Row& row, int in_row, std::uint32_t position, Place place, Place next) {
        PhiloxLanes c[2 * full_calls];
        start(next, c);
        run_rounds(2, 3, c, keys_);
        const Word own = load32(row.own + in_row);
        const auto sites = read_sites(Rule{}, row, in_row);
        const ThresholdChoice<Word, Rule::selectors> choice =
            choose_thresholds(Rule{}, own, sites, ahead_[0], this->always());
        const PeriodRegister& part = registers_of_period_[place.part];
        Word below{}, open = choice.open & load32(part.used);
        const auto compare = [&](int k) {
            const Word t = Rule::chosen(choice.selector, [&](int c) { return load32(part.early[k][c]); });
            const Word r = ahead_[k];
            below = borrow(below, t, r);
            open = and_equal(open, t, r);
        };
#pragma GCC unroll 8
        for (int round = 3; round < philox_rounds - 1; ++round) {
            run_rounds(round, round + 1, c, keys_);
            const int left = 4 * full_calls - 2 * (round - 3);
            if (left > 0) compare(left - 1), compare(left - 2);
        }
        this->last_rounds(c, ahead_);
        below = this->queued(choice, below, open, position + load_numbers(lane_number_),
                             place.first_site + load_numbers(part.entry));
        return xor_or(own, choice.flips, below);
    }

  private:
    Counter counter(std::uint32_t word) const {
        return make_counter(Purpose::replica_bits, 0, sweep_ < 0 ? 0 : sweep_, word, 0, 0, task_.realization);
    }

    void fill(PeriodRegister& part, int at) const {
        constexpr int unit = ReplicaLayout::unit, rows = 4 * full_calls * Rule::own_thresholds;
        const std::uint32_t* const early = tables_.early.data() + at / unit * rows * unit + at % unit;
        for (int lane = 0; lane < word_lanes32; ++lane) {
            const std::uint32_t site = tables_.site[at + lane];
            part.product[lane % 2][lane / 2] = std::uint64_t{philox_m0} * site;
            part.entry[lane] = site + (tables_.word[at + lane] << site_bits);
            part.used[lane] = tables_.used[at + lane];
        }
        for (int k = 0; k < rows; ++k)
            store32(part.early[k / Rule::own_thresholds][k % Rule::own_thresholds], load32(early + k * unit));
    }

    /// Does the first two rounds of Philox for the random numbers of a register.
    void start(Place place, PhiloxLanes (&c)[2 * full_calls]) const {
        const PeriodRegister& part = registers_of_period_[place.part];
        const Native64 first = broadcast64(std::uint64_t{philox_m0} * place.first_site);
        Native64 p0, p1;
        for (int parity = 0; parity < 2; ++parity) {
            if (parity == 0 || !pairs_) {
                p0 = first + part.product[parity];
                p1 = multiply_low32((p0 >> 32) ^ pack_key_, broadcast64(philox_m1));
            }
            for (int call = 0; call < full_calls; ++call)
                c[2 * call + parity] = this->second_round(part.rounds[call][parity], p0, p1);
        }
    }

    UndecidedEntries entries(Native32, Native32 entry) const {
        const Native32 word = entry >> site_bits;
        return {entry & ((1u << site_bits) - 1), word, (Native64)lookup(fields_, word), broadcast32(pack_)};
    }
    Word late_plane(int k, int c, const UndecidedEntries& entries) const {
        return {(Native64)lookup(
            tables_.late.data() + (k * Rule::own_thresholds + c) * ReplicaLayout::max_words, entries.number)};
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
