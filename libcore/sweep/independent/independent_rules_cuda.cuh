#pragma once

#include "sweep/cuda/class_update_cuda.cuh"
#include "sweep/independent/slot_table_cuda.cuh"

namespace psflip {

// Rules for share 1 (independent_cuda.cuh). A rule has these members:
//
//   degree, Args              number of neighbours of a site; arguments in addition to SweepArgs
//   Site, site(...)           bonds of a site, which a thread keeps for all lattices: in registers and in
//                             kept_vectors vectors of shared memory
//   Lanes, start(...)         the comparison of 32 lanes
//   Table                     data of a slot in shared memory
//   selectors                 number of words whose bits in a lane choose its threshold
//   compare_queued(...)       compares a digit of a queued word

/// Holds the result of a digit in queued lanes: lanes below their threshold, and lanes still undecided.
struct QueuedLanes {
    DeviceWord less, equal;
};

/// The plain rule.
template <int Degree>
struct IndependentPlain {
    static constexpr int degree = Degree, selectors = 2, kept_vectors = 0;
    static constexpr bool absent_bonds = false;
    struct Args {
        Args() = default;
        __host__ __device__ Args(const ClassArgs&) {}
    };
    using Lanes = LaneComparison;
    using Table = SlotTable;
    struct Site {
        uint4 bond[Degree];
    };

    __device__ __forceinline__ static Site site(const SweepArgs& a, const Args&, std::uint32_t column,
                                                const NearSites<Degree>& at, uint4*) {
        Site site;
        const std::uint32_t N = a.geometry.sites;
        load_bonds(a.couplings + static_cast<std::size_t>(column) * (Degree / 2) * N, N, at, site.bond);
        return site;
    }
    /// Starts the comparison. Lanes of `valid` compare unless they always flip.
    __device__ __forceinline__ static void start(const Args&, const NearSpins<Degree>& spins,
                                                 const Site& site, DeviceWord valid,
                                                 Lanes (&lanes)[site_words]) {
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            DeviceWord e[Degree];
#pragma unroll
            for (int i = 0; i < Degree; ++i)
                e[i] = xor3(word_of(spins.own, w), word_of(spins.near[i], w), word_of(site.bond[i], w));
            lanes[w].start(e, valid);
        }
    }
    __device__ __forceinline__ static void selectors_of(const Lanes& lanes,
                                                        DeviceWord (&selector)[selectors]) {
        selector[0] = lanes.ones;
        selector[1] = lanes.twos;
    }
    __device__ __forceinline__ static QueuedLanes compare_queued(const Table& table, std::uint32_t digit,
                                                                 const RandomBlock& r,
                                                                 const DeviceWord (&selector)[selectors],
                                                                 DeviceWord undecided) {
        Lanes c{selector[0], selector[1], undecided, {0}, undecided};
        c.template compare<3>(r, table.c4[digit], table.c8[digit], table.c12[digit]);
        return {c.less & undecided, c.equal};
    }
};

/// Holds data of a slot for share 1 with the class rule, in shared memory. Threshold i belongs to spin
/// i / classes and class i % classes.
template <class Update>
struct ClassTableOfSlot : SlotRounds {
    static constexpr int classes = Update::classes, all = Update::spins * classes;
    static constexpr std::uint32_t entries = all;  ///< parts that set_thresholds sets
    static constexpr int high = Update::absent_bonds ? 8 : 4;

    /// Says for each of the first two digits which classes change its planes (bit v). Before, its planes are
    /// all ones in lanes of the classes from `high` on, and zero in all others.
    std::uint32_t changing[2], unused[2];
    uint4 change[2][all];  ///< what a lane adds to the four planes of a digit: 1, 0 or -1
    std::uint32_t threshold[(all + 3) / 4 * 4];

    __device__ __forceinline__ static std::uint32_t digit_of(std::uint32_t threshold, std::uint32_t digit) {
        return threshold << 4 * digit >> 28;
    }
    __device__ __forceinline__ void set_thresholds(const SweepArgs&, const ClassArgs& args,
                                                   std::uint32_t slot, std::uint32_t i) {
        const std::uint32_t s = i / classes, v = i % classes, T = args.thresholds[slot][s][v];
        threshold[i] = T;
#pragma unroll
        for (std::uint32_t digit = 0; digit < 2; ++digit) {
            const std::uint32_t d = digit_of(T, digit), before = v < high ? 0 : 1;
            change[digit][i] = {(d >> 3) - before, (d >> 2 & 1) - before, (d >> 1 & 1) - before,
                                (d & 1) - before};
        }
        if (i < 2) {
            std::uint32_t set = 0;
            for (std::uint32_t n = 0; n < all; ++n) {
                const std::uint32_t of = n / classes, c = n % classes;
                if (c < args.count[of] && digit_of(args.thresholds[slot][of][c], i) != (c < high ? 0 : 15))
                    set |= 1u << c;
            }
            changing[i] = set;
        }
    }
    __device__ __forceinline__ void set_rounds(const SweepArgs& a, std::uint64_t sweep, std::uint32_t replica,
                                               std::uint32_t slot, std::uint32_t digit) {
        set(a, sweep, replica, slot, digit, 0);
    }
};

/// Compares the numbers of 32 lanes with thresholds of the class rule.
template <class Update>
struct ClassComparison {
    static constexpr bool field = Update::spins == 2;
    static constexpr int class_bits = Update::absent_bonds ? 4 : 3, selectors = class_bits + (field ? 1 : 0);

    DeviceWord selector[selectors];  ///< bits of the class and, in a field, the spin
    DeviceWord open;                 ///< lanes that compare
    DeviceWord less, equal;          ///< result of the planes compared so far
    DeviceWord half;                 ///< isolated lanes that flip with probability 1/2

    /// Returns the lanes of class V and, in a field, of spin S (0: -1, 1: +1).
    template <int V, int S>
    __device__ __forceinline__ DeviceWord are() const {
        const DeviceWord low = lop3<1 << V % 8>(selector[2], selector[1], selector[0]);
        if constexpr (Update::absent_bonds && field)
            return lop3<0xf0 & (V < 8 ? 0x33 : 0xcc) & (S == 0 ? 0x55 : 0xaa)>(low, selector[3], selector[4]);
        else if constexpr (Update::absent_bonds)
            return V < 8 ? low & ~selector[3] : low & selector[3];
        else if constexpr (field)
            return S == 0 ? low & ~selector[3] : low & selector[3];
        else
            return low;
    }
    /// Returns the lanes whose class is below a number with these bits (each all ones or 0).
    __device__ __forceinline__ DeviceWord below(const std::uint32_t (&bits)[4]) const {
        DeviceWord less{0};
#pragma unroll
        for (int k = 0; k < class_bits; ++k) less = lop3<0x8e>(selector[k], {bits[k]}, less);
        return less;
    }
    __device__ __forceinline__ DeviceWord flipped(DeviceWord spin) const {
        return lop3<0x4b>(spin, open, less);
    }
};

/// The class rule of an Update (ClassUpdate).
template <class Update>
struct IndependentClass {
    static constexpr int degree = Update::degree, selectors = ClassComparison<Update>::selectors;
    static constexpr bool absent_bonds = Update::absent_bonds;
    /// Absent bonds, then bits of their number. An odd number of vectors has no bank conflicts.
    static constexpr int kept_vectors = absent_bonds ? degree + 3 : 0;
    using Args = ClassArgs;
    using Lanes = ClassComparison<Update>;
    using Table = ClassTableOfSlot<Update>;
    struct Site {
        uint4 bond[degree];
        const uint4* kept;
    };

    __device__ __forceinline__ static Site site(const SweepArgs& a, const Args& args, std::uint32_t column,
                                                const NearSites<degree>& at, uint4* kept) {
        Site site{{}, kept};
        const std::uint32_t N = a.geometry.sites;
        const std::size_t offset = static_cast<std::size_t>(column) * (degree / 2) * N;
        load_bonds(a.couplings + offset, N, at, site.bond);
        if constexpr (absent_bonds) {
            uint4 absent[degree], ones, twos, fours;
            load_bonds(args.absent + offset, N, at, absent);
#pragma unroll
            for (int w = 0; w < site_words; ++w) {
                DeviceWord word[degree];
                words_of_vectors(absent, w, word);
                const BondCount<DeviceWord> n = count_absent(word);
                word_ref(ones, w) = n.ones.bits;
                word_ref(twos, w) = n.twos.bits;
                word_ref(fours, w) = n.fours.bits;
            }
#pragma unroll
            for (int i = 0; i < degree; ++i) kept[i] = absent[i];
            kept[degree] = ones;
            kept[degree + 1] = twos;
            kept[degree + 2] = fours;
        }
        return site;
    }
    __device__ __forceinline__ static void start(const Args& args, const NearSpins<degree>& spins,
                                                 const Site& site, DeviceWord valid,
                                                 Lanes (&lanes)[site_words]) {
        uint4 absent[absent_bonds ? degree : 1], ones{}, twos{}, fours{};
        if constexpr (absent_bonds) {
#pragma unroll
            for (int i = 0; i < degree; ++i) absent[i] = site.kept[i];
            ones = site.kept[degree], twos = site.kept[degree + 1], fours = site.kept[degree + 2];
        }
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            const DeviceWord own = word_of(spins.own, w);
            DeviceWord e[degree];
#pragma unroll
            for (int i = 0; i < degree; ++i) {
                e[i] = xor3(own, word_of(spins.near[i], w), word_of(site.bond[i], w));
                if constexpr (absent_bonds) e[i] = e[i] & ~word_of(absent[i], w);
            }
            Lanes& l = lanes[w];
            const BondCount<DeviceWord> u = count_absent(e);
            if constexpr (absent_bonds) {
                const BondCount<DeviceWord> a{word_of(ones, w), word_of(twos, w), word_of(fours, w)};
                const DeviceWord carry = a.twos & u.ones;
                l.selector[0] = a.ones;
                l.selector[1] = a.twos ^ u.ones;
                l.selector[2] = xor3(a.fours, u.twos, carry);
                l.selector[3] = u.fours ^ majority(a.fours, u.twos, carry);
                l.half = isolated<degree>(a) & DeviceWord{Update::by_half ? args.by_half : 0u};
            } else {
                l.selector[0] = u.ones, l.selector[1] = u.twos, l.selector[2] = u.fours;
                l.half = {0};
            }
            l.open = l.below(args.count_bits[0]);
            if constexpr (Lanes::field) {
                l.selector[Lanes::class_bits] = own;
                l.open = choose(own, l.open, l.below(args.count_bits[1]));
            }
            l.less = {0};
            l.equal = l.open & valid;
            if constexpr (Update::by_half) {
                l.equal = l.equal & ~l.half;
                l.open = l.open | l.half;
            }
        }
    }
    __device__ __forceinline__ static void selectors_of(const Lanes& lanes,
                                                        DeviceWord (&selector)[selectors]) {
#pragma unroll
        for (int i = 0; i < selectors; ++i) selector[i] = lanes.selector[i];
    }
    /// Compares lane by lane, because few lanes of a queued word are undecided.
    __device__ __forceinline__ static QueuedLanes compare_queued(const Table& table, std::uint32_t digit,
                                                                 const RandomBlock& r,
                                                                 const DeviceWord (&selector)[selectors],
                                                                 DeviceWord undecided) {
        QueuedLanes c{{0}, {0}};
#pragma unroll 1
        for (std::uint32_t rest = undecided.bits; rest != 0; rest &= rest - 1) {
            const int lane = __ffs(static_cast<int>(rest)) - 1;
            const auto bit = [lane](std::uint32_t word) { return word >> lane & 1; };
            std::uint32_t v = 0, number = 0;
#pragma unroll
            for (int k = 0; k < Lanes::class_bits; ++k) v |= bit(selector[k].bits) << k;
            if constexpr (Lanes::field) v += bit(selector[Lanes::class_bits].bits) * Update::classes;
#pragma unroll
            for (int k = 0; k < 4; ++k) number |= bit(r.word[k]) << (3 - k);
            const std::uint32_t t = Table::digit_of(table.threshold[v], digit);
            c.less.bits |= (number < t ? 1u : 0u) << lane;
            c.equal.bits |= (number == t ? 1u : 0u) << lane;
        }
        return c;
    }
};

/// Adds the planes of one threshold in the lanes of its class and spin. A lane has only one class, so no sum
/// has a carry, and the multiply-add pipe can make the sums.
template <int V, int S, class Update>
__device__ __forceinline__ void add_threshold(const uint4* change,
                                              const ClassComparison<Update> (&lanes)[site_words],
                                              std::uint32_t (&plane)[site_words][4]) {
    const uint4 c = change[S * Update::classes + V];
#pragma unroll
    for (int w = 0; w < site_words; ++w) {
        const std::uint32_t mask = lanes[w].template are<V, S>().bits;
#pragma unroll
        for (int k = 0; k < 4; ++k) plane[w][k] += mask * word_of(c, k).bits;
    }
}

/// Adds the planes of the thresholds of classes V, V + 1, ...
template <int V, class Update>
__device__ __forceinline__ void add_planes(const uint4* change, std::uint32_t changing,
                                           const ClassComparison<Update> (&lanes)[site_words],
                                           std::uint32_t (&plane)[site_words][4]) {
    if constexpr (V < Update::classes) {
        if (V > 0 && V % 4 == 0 && changing >> V == 0) return;
        if (changing >> V & 1) {
            add_threshold<V, 0>(change, lanes, plane);
            if constexpr (Update::spins == 2) add_threshold<V, 1>(change, lanes, plane);
        }
        add_planes<V + 1>(change, changing, lanes, plane);
    }
}

/// Compares the first two digits for a site in one slot.
template <class Update>
__device__ __forceinline__ void compare_two_digits(const ClassTableOfSlot<Update>& table,
                                                   const SiteRounds<site_words>& site, const PhiloxKeys& keys,
                                                   ClassComparison<Update> (&lanes)[site_words]) {
#pragma unroll 1
    for (int digit = 1; digit >= 0; --digit) {
        std::uint32_t plane[site_words][4];
#pragma unroll
        for (int w = 0; w < site_words; ++w)
#pragma unroll
            for (int k = 0; k < 4; ++k)
                plane[w][k] = lanes[w].selector[ClassComparison<Update>::class_bits - 1].bits;
        add_planes<0>(table.change[digit], table.changing[digit], lanes, plane);
        RandomBlock r[site_words];
        table.draw(keys, site, digit, r);
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            ClassComparison<Update>& l = lanes[w];
#pragma unroll
            for (int k = 3; k >= 0; --k) {
                l.less = lop3<0x8e>({r[w].word[k]}, {plane[w][k]}, l.less);    // ~r & t | ~(r ^ t) & less
                l.equal = lop3<0x90>(l.equal, {r[w].word[k]}, {plane[w][k]});  // equal & ~(r ^ t)
            }
            if constexpr (Update::by_half)
                l.less = replace_by_not(l.less, digit == 0 ? l.half : DeviceWord{0}, {r[w].word[0]});
        }
    }
}

/// Returns f(std::type_identity<Rule>{}) with the rule of a batch for share 1.
template <class F>
auto with_independent(const SweepRule& rule, const F& f) {
    const auto of_class = [&f](auto update) {
        return f(std::type_identity<IndependentClass<typename decltype(update)::type>>{});
    };
    if (rule.degree == 6)
        return rule.plain ? f(std::type_identity<IndependentPlain<6>>{}) : with_class_rule<6>(rule, of_class);
    return rule.plain ? f(std::type_identity<IndependentPlain<4>>{}) : with_class_rule<4>(rule, of_class);
}

}  // namespace psflip
