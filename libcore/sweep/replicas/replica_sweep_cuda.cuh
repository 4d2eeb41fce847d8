#pragma once

#include "sweep/replicas/replica_block_cuda.cuh"

namespace psflip {

/// Updates the rows that a block has in a realization, or in a slab of it, `Words` words of a site at a time.
template <class Rule, int Words, bool Slab = false>
struct ReplicaSweeper {
    static constexpr int degree = Rule::degree;
    /// The number of passes after which the queue is decided. It then has about as many words as the block
    /// has threads.
    static constexpr int rows_of_leftovers = 8 / Words;

    const ReplicaSweepArgs& a;
    const ReplicaShare& share;
    const ReplicaThresholds<Rule>& thresholds;
    const ReplicaLeftovers<Rule>& leftovers;
    std::int64_t realization;
    std::uint64_t sweep;
    int colour;
    std::uint32_t* const mine = kept(words_of_colour(colour));  ///< words of the colour
    const std::uint32_t* const others = kept(words_of_colour(1 - colour));

    __device__ __forceinline__ ReplicaKeys keys() const { return {a.view.key}; }
    __device__ __forceinline__ std::uint32_t number() const {
        return a.view.first_realization + static_cast<std::uint32_t>(realization);
    }
    __device__ __forceinline__ std::uint32_t* words_of_colour(int which) const {
        return a.view.spins + realization * a.view.layout.lattice_words() +
               colour_begin(a.view.layout, which);
    }

    __device__ __forceinline__ const std::uint8_t* bonds_of_colour(const std::uint8_t* bonds) const {
        return bonds + (realization * a.view.layout.lattice_words() + colour_begin(a.view.layout, colour));
    }

    /// Does half a sweep. Calls wait() before it reads a spin. column: the first column of the thread. turn:
    /// the queue in use (Entries::count). All threads of the block must call it. A barrier must follow.
    template <class Wait>
    __device__ __forceinline__ void run(ReplicaColumn column, std::uint32_t& turn, Wait wait) const {
        bool waited = false;
        int undecided = 0;
        for (std::uint32_t first = 0; first < share.columns; first += replica_threads) {
            const bool inside = share.has_column(first);
            if (first > 0)
                column = ReplicaColumn(a.view.layout, inside ? (first + share.column) * Words : 0u);
            ReplicaDigit digit[Words][early_digits];
#pragma unroll
            for (int j = 0; j < Words; ++j)
#pragma unroll
                for (std::uint32_t d = 0; d < early_digits; ++d)
                    digit[j][d] = ReplicaDigit(keys(), sweep, column.word + j, d);
            for (std::uint32_t rows = share.begin; rows < share.end; rows += share.rows_at_once) {
                const bool valid = inside && rows + share.row < share.end;
                if (undecided == rows_of_leftovers) {
                    decide(turn);
                    __syncthreads();
                    undecided = 0;
                }
                row(column, digit, valid ? rows + share.row : share.begin, valid, turn, [&] {
                    if (!waited) wait();
                    waited = true;
                });
                ++undecided;
            }
        }
        if (!waited) wait();
        if (has_queue()) decide(turn);
    }

  private:
    /// Returns whether the block uses the queue. If every thread has only one pass, threads decide their
    /// words faster themselves.
    __device__ __forceinline__ bool has_queue() const {
        return share.columns > replica_threads || share.end - share.begin > share.rows_at_once;
    }

    template <class Wait>
    __device__ __forceinline__ void row(const ReplicaColumn& column,
                                        const ReplicaDigit (&digit)[Words][early_digits], std::uint32_t row,
                                        bool valid, std::uint32_t turn, Wait wait) const {
        const ReplicaLayout& layout = a.view.layout;
        const auto L = static_cast<std::uint32_t>(layout.L);
        const std::uint32_t w = degree == 4 ? 0 : a.plane_of(row), v = row - w * L;
        const bool next = ReplicaLayout::other_is_next(colour, static_cast<int>(v), static_cast<int>(w));
        const std::uint32_t site = L * (Slab ? a.row_of_lattice(v, w) : row) + column.site + (next ? 1 : 0);
        const ReplicaSite rounds(keys(), site, number());
        RandomBlock random[Words][early_digits];
#pragma unroll
        for (int j = 0; j < Words; ++j)
#pragma unroll
            for (std::uint32_t d = 0; d < early_digits; ++d)
                random[j][d] = replica_planes(rounds, digit[j][d], keys());
        wait();
        std::uint32_t near_place[degree];
        near_places(layout, column, v, w, next, near_place);
        update(column, near_place, site, random, valid, turn);
    }

    __device__ __forceinline__ void update(const ReplicaColumn& column,
                                           const std::uint32_t (&near_place)[degree], std::uint32_t site,
                                           const RandomBlock (&random)[Words][early_digits], bool valid,
                                           std::uint32_t turn) const {
        using Vector = typename ReplicaVector<Words>::Type;
        const auto load = [](const std::uint32_t* from) { return *reinterpret_cast<const Vector*>(from); };
        const std::uint32_t place = near_place[0];
        Vector near[degree];
        const Vector own = load(mine + place);
#pragma unroll
        for (int k = 0; k < degree; ++k) near[k] = load(others + near_place[k]);
        ReplicaNear<degree, DeviceWord> words{};
        spread_bonds(bonds_of_colour(a.view.bonds)[place], words.bond);
        if constexpr (Rule::has_absent) spread_bonds(bonds_of_colour(a.view.absent)[place], words.absent);
#pragma unroll
        for (int j = 0; j < Words; ++j) {
            words.own = {component(own, j)};
#pragma unroll
            for (int k = 0; k < degree; ++k) words.near[k] = {component(near[k], j)};
            const std::uint32_t word = column.word + j;
            const typename ReplicaThresholds<Rule>::Digit planes[early_digits] = {thresholds.digit(0, word),
                                                                                  thresholds.digit(1, word)};
            ReplicaUpdate<Rule, DeviceWord> update(
                words, {thresholds.used(word)}, a.view.always, random[j],
                [&](std::uint32_t d, int k, int i) { return planes[d](k, i); });
            if (!valid) continue;
            if (update.open.bits != 0 && has_queue() && leftovers.append(update, turn, place + j, site, word))
                continue;
            mine[place + j] = finished(update, site, word);
        }
    }

    /// Returns the spins after all digits. Digits are drawn in pairs, because all blocks wait for the last
    /// word. `left` is kept: of a condition `d < replica_digits && open` the assembler of CUDA 13.0 loses the
    /// second part.
    __device__ __forceinline__ std::uint32_t finished(ReplicaUpdate<Rule, DeviceWord>& update,
                                                      std::uint32_t site, std::uint32_t word) const {
        const auto drawn = [&](std::uint32_t digit) {
            return philox(make_counter(Purpose::replica_bits, site, sweep, word, 0, digit, number()),
                          a.view.key);
        };
        std::uint32_t left = update.open.bits;
        for (std::uint32_t d = early_digits; left != 0; d += 2) {
            const RandomBlock random[2] = {drawn(d), drawn(d + 1)};
            update.decide(random[0], thresholds.digit(d, word));
            update.decide(random[1], thresholds.digit(d + 1, word));
            left = kept(d + 2 < replica_digits ? update.open.bits : 0u);
        }
        return update.spin.bits;
    }

    /// Decides the queue. All threads of the block must call it. A barrier must follow before they append
    /// again.
    __device__ __forceinline__ void decide(std::uint32_t& turn) const {
        __syncthreads();
        const std::uint32_t count = min(leftovers.entries.count[turn], leftovers.capacity);
        for (std::uint32_t i = threadIdx.x; i < count; i += replica_threads) {
            auto update = leftovers.at(i);
            const std::uint32_t site = leftovers.entries.site[i];
            mine[leftovers.entries.place[i]] =
                finished(update, site & ((1u << leftovers.word_shift) - 1), site >> leftovers.word_shift);
        }
        turn = 1 - turn;
        if (threadIdx.x == 0) leftovers.entries.count[turn] = 0;
    }
};

}  // namespace psflip
